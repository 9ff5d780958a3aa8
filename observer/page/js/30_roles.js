// Roles: explicit ARIA first, else HTML-AAM. '' is no role of its own
// (generic), 'none' was taken away by the author.
const ROLES = new Set(tokens('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem'));
const GLOBAL_ARIA = tokens('aria-atomic aria-busy aria-controls aria-current aria-describedby aria-details aria-dropeffect aria-flowto aria-grabbed aria-keyshortcuts aria-label aria-labelledby aria-live aria-owns aria-relevant aria-roledescription aria-description');

const WIDGETS = new Set(tokens('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem'));
const FROM_CONTENT = new Set(tokens('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem'));
// Leaves: what is inside belongs to the name, unless it can be operated itself.
const LEAVES = new Set(tokens('button checkbox link menuitem menuitemcheckbox menuitemradio option radio switch tab heading columnheader rowheader cell gridcell tooltip treeitem'));
const REFERABLE = new Set([...WIDGETS, ...tokens('row heading dialog alertdialog banner main navigation contentinfo complementary search region form list table grid treegrid tree menu menubar tablist tabpanel toolbar radiogroup iframe canvas video audio object status alert log timer progressbar meter tooltip feed article figure')]);
const ROWLIKE = new Set(tokens('row listitem option treeitem article'));
const NAME_REQUIRED = new Set(['form', 'region']);

const INPUT_ROLES = { button: 'button', submit: 'button', reset: 'button', image: 'button', file: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', hidden: 'none' };
const TAG_ROLES = {
  article: 'article', address: 'group', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', dd: 'definition', del: 'deletion', details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', frame: 'iframe', ins: 'insertion', main: 'main', mark: 'mark', math: 'math', ':math': 'math', menu: 'list', meter: 'meter', nav: 'navigation', ol: 'list', ul: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript', sup: 'superscript', summary: 'button', svg: 'img', table: 'table', tbody: 'rowgroup', tfoot: 'rowgroup', thead: 'rowgroup', textarea: 'textbox', time: 'time', tr: 'row', 'svg:svg': 'img', canvas: 'canvas', video: 'video', audio: 'audio', object: 'object', embed: 'object',
};
const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]';

function explicitRole(el) {
  const a = N.attr(el, 'role');
  if (!a) return '';
  for (const t of tokens(a.toLowerCase())) if (ROLES.has(t)) return t;
  return '';
}

function nativeRole(el, tag) {
  switch (tag) {
    case 'a': case 'area': return N.has(el, 'href') ? 'link' : '';
    case 'svg:a': return N.has(el, 'href') || N.has(el, 'xlink:href') ? 'link' : '';
    case 'input': {
      const type = N.inputType(el);
      if (type === 'checkbox' && N.has(el, 'switch')) return 'switch';
      const r = INPUT_ROLES[type];
      if (r) return r;
      return N.has(el, 'list') && N.inputList(el) ? 'combobox' : 'textbox';
    }
    case 'select': return N.selectMultiple(el) || N.selectSize(el) > 1 ? 'listbox' : 'combobox';
    case 'img': {
      const alt = N.attr(el, 'alt');
      return alt === '' && !N.has(el, 'title') && !N.has(el, 'aria-label') && !N.has(el, 'aria-labelledby') ? 'none' : 'img';
    }
    case 'li': {
      const p = flatParent(el), pt = p ? tagOf(p) : '';
      return pt === 'ul' || pt === 'ol' || pt === 'menu' || (p && explicitRole(p) === 'list') ? 'listitem' : '';
    }
    case 'header': return N.closest(el, SECTIONING) ? '' : 'banner';
    case 'footer': return N.closest(el, SECTIONING) ? '' : 'contentinfo';
    case 'aside': return 'complementary';
    case 'form': return 'form';
    case 'section': return 'region';
    case 'td': case 'th': {
      const t = N.closest(el, 'table'), tr = t ? explicitRole(t) : '';
      if (tr === 'presentation' || tr === 'none') return '';
      if (tag === 'td') return tr === 'grid' || tr === 'treegrid' ? 'gridcell' : 'cell';
      const scope = (N.attr(el, 'scope') || '').toLowerCase();
      if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
      if (scope === 'col' || scope === 'colgroup') return 'columnheader';
      const p = N.parent(el), pp = p && N.parent(p);
      if (pp && N.type(pp) === 1 && tagOf(pp) === 'thead') return 'columnheader';
      for (let c = p && N.first(p); c; c = N.next(c)) if (isElement(c) && tagOf(c) === 'td') return 'rowheader';
      return 'columnheader';
    }
    case 'tr': case 'tbody': case 'thead': case 'tfoot': {
      const t = N.closest(el, 'table'), tr = t ? explicitRole(t) : '';
      return tr === 'presentation' || tr === 'none' ? '' : TAG_ROLES[tag];
    }
    case 'summary': {
      const p = N.parent(el);
      return p && N.type(p) === 1 && tagOf(p) === 'details' ? 'button' : '';
    }
  }
  return own(TAG_ROLES, tag) ? TAG_ROLES[tag] : '';
}

const NATIVELY_FOCUSABLE = new Set(['button', 'select', 'textarea', 'iframe', 'summary']);
function focusable(el, tag) {
  if (N.has(el, 'tabindex')) { const n = parseInt(N.attr(el, 'tabindex'), 10); if (n >= -1) return true; }
  if (tag === 'a' || tag === 'area') return N.has(el, 'href');
  if (tag === 'input') return N.inputType(el) !== 'hidden';
  return NATIVELY_FOCUSABLE.has(tag);
}
const tabbable = (el) => { const a = N.attr(el, 'tabindex'); return a !== null && parseInt(a, 10) >= 0; };

function roleOf(el, tag) {
  const ex = N.hasAny(el) ? explicitRole(el) : '';
  if (ex && ex !== 'none' && ex !== 'presentation' && ex !== 'generic') return ex === 'image' ? 'img' : ex;
  const nat = nativeRole(el, tag);
  if (ex === 'none' || ex === 'presentation') {
    // The author may not take away what can be operated (conflict resolution).
    if (focusable(el, tag) || GLOBAL_ARIA.some((a) => N.has(el, a))) return nat;
    return 'none';
  }
  if (ex === 'generic') return '';
  return nat;
}
