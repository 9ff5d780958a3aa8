// Accessible names and descriptions (accname-1.2, HTML-AAM).

// Computed style, read once per element and walk.
let styles = new Map();
function styleOf(el) {
  let s = styles.get(el);
  if (s) return s;
  const cs = getComputedStyle(el);
  s = { display: cs.display, visible: cs.visibility === 'visible', cursor: cs.cursor === 'pointer', events: cs.pointerEvents, opacity: cs.opacity, position: cs.position, over: cs.overflowX !== 'visible' || cs.overflowY !== 'visible' ? cs.overflowX + ' ' + cs.overflowY : '', skipped: cs.contentVisibility === 'hidden' };
  styles.set(el, s);
  return s;
}

// ::before and ::after cost a style computation each, so they are asked about
// only for elements that a rule with real text in its content selects.
let pseudos = new Set();
let pseudoRoots = new Set();
const sheetCache = new WeakMap();
function pseudoSelectors(sheet) {
  let rules;
  try { rules = sheet.cssRules; } catch { return ['*']; } // other origin: unknown
  const c = sheetCache.get(sheet);
  if (c && c.n === rules.length) return c.sel;
  const sel = [];
  const scan = (list, depth) => {
    for (const r of list) {
      const st = r.selectorText;
      if (st && /:(before|after)/.test(st) && r.style) {
        const text = r.style.content;
        if (text && /["']|attr\(|counter|var\(/.test(text) && (line(text.replace(/["']/g, '')) !== '')) sel.push(st.replace(/::?(before|after)/g, '\u0001').replace(/(^|[,\s>+~(])\u0001/g, '$1*').replace(/\u0001/g, ''));
      }
      if (r.cssRules && depth < 6) scan(r.cssRules, depth + 1);
    }
  };
  scan(rules, 0);
  sheetCache.set(sheet, { n: rules.length, sel });
  return sel;
}
function* readPseudos(root) {
  if (pseudoRoots.has(root)) return;
  pseudoRoots.add(root);
  const doc = N.type(root) === 9;
  const sheets = [...(doc ? N.docSheets(root) : N.rootSheets(root)), ...(doc ? N.docAdopted(root) : N.rootAdopted(root))];
  for (const s of sheets) {
    if (s.disabled) continue;
    for (const sel of pseudoSelectors(s)) {
      if (late()) yield;
      let found;
      try { found = queryAll(root, sel); } catch { continue; }
      for (const el of found) pseudos.add(el);
    }
  }
}
function pseudoText(el, which) {
  if (!pseudos.has(el)) return '';
  const cs = getComputedStyle(el, which);
  let c = cs.content;
  if (!c || c === 'none' || c === 'normal' || cs.display === 'none' || cs.visibility !== 'visible') return '';
  const alt = / \/ ((?:"(?:[^"\\]|\\.)*"\s*)+)$/.exec(c);
  if (alt) c = alt[1];
  // A picture's address is not text: content: url("data:…") "label".
  c = c.replace(/url\("(?:[^"\\]|\\.)*"\)/g, '');
  let out = '';
  for (const m of c.matchAll(/"((?:[^"\\]|\\.)*)"/g)) out += m[1].replace(/\\(.)/g, '$1');
  out = squash(out);
  return out && cs.display !== 'inline' ? ' ' + out + ' ' : out;
}

const HIDDEN_TAGS = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'param', 'source', 'track', 'datalist', 'svg:defs', 'svg:title', 'svg:desc', 'svg:style', 'svg:script', 'svg:symbol', 'svg:metadata', 'noframes', 'rp']);
function concealed(el, tag) {
  if (HIDDEN_TAGS.has(tag)) return true;
  if (N.hasAny(el) && (N.attr(el, 'aria-hidden') || '').toLowerCase() === 'true') return true;
  const s = styleOf(el);
  return s.display === 'none' || (!s.visible && tag !== 'slot' && s.display !== 'contents');
}

// Widgets whose inside is their own: no part of what they stand in is named by it.
const SELF_CONTAINED = new Set(tokens('menu menubar tree treegrid tablist'));

// st: seen (cycle guard), read (labels that were followed: said once is enough),
// labelledby (inside a reference: no second hop), hidden (a hidden label was
// pointed at: its hidden parts count), depth.
function altText(el, st, traversing) {
  if (st.seen.has(el) || st.depth > 120 || st.left <= 0) return '';
  if (traversing && st.read.has(el)) return '';
  const tag = tagOf(el);
  if (traversing && !st.hidden) {
    if (concealed(el, tag)) {
      // visibility can come back further down.
      if (HIDDEN_TAGS.has(tag) || styleOf(el).display === 'none' || N.attr(el, 'aria-hidden') === 'true') return '';
      return contentText(el, tag, st);
    }
  } else if (HIDDEN_TAGS.has(tag) && tag !== 'svg:title' && tag !== 'title') return '';
  st.seen.add(el);
  st.depth++;
  const out = altText1(el, tag, st, traversing);
  st.depth--;
  if (!traversing) st.seen.delete(el);
  return out;
}
function altText1(el, tag, st, traversing) {
  const any = N.hasAny(el);
  const role = roleOf(el, tag);
  if (any && !st.labelledby && N.has(el, 'aria-labelledby')) {
    const t = referred(N.labelledBy(el), st, el);
    if (t) { if (!traversing) st.from = 'labelledby'; return t; }
  }
  if (traversing) {
    const embedded = embeddedValue(el, tag, role);
    if (embedded !== undefined) return embedded;
    if (SELF_CONTAINED.has(role)) return '';
  } else if (st.embedded) {
    const value = embeddedValue(el, tag, role);
    if (value) return value;
  }
  const label = any && tag !== 'slot' ? line(N.attr(el, 'aria-label') || '') : '';
  if (label) { if (!traversing) st.from = 'label'; return label; }
  if (role !== 'none') {
    const nat = nativeName(el, tag, st);
    if (nat) { if (!traversing) st.from = 'native'; return nat; }
  }
  let space = ''; // between the words around it, also from deep inside
  if (traversing || FROM_CONTENT.has(role) || st.pointed || tag === 'summary') {
    const t = contentText(el, tag, st);
    if (line(t)) { if (!traversing) st.from = 'content'; return t; }
    if (traversing && t) space = ' ';
  }
  const title = any && role !== 'none' ? line(N.attr(el, 'title') || '') : '';
  if (title && tag !== 'svg:svg') { if (!traversing) st.from = 'title'; return title; }
  if (!traversing && (tag === 'input' || tag === 'textarea' || role === 'textbox' || role === 'searchbox' || role === 'combobox')) {
    const ph = line(N.attr(el, 'placeholder') || N.attr(el, 'aria-placeholder') || '');
    if (ph) { st.from = 'placeholder'; return ph; }
  }
  if (!traversing && LABELABLE.has(tag)) {
    const l = fromLabels(el, tag, st, true);
    if (l) { st.from = 'native'; return l; }
  }
  return space;
}
// referred is what the elements say that el's label or description points at. A
// field among them says its value; el itself, its own label.
function referred(els, st, el) {
  if (!els) return '';
  const parts = [];
  for (const r of els) {
    const hidden = !N.checkVisibility(r, { visibilityProperty: true }) || N.closest(r, '[aria-hidden=true]') !== null;
    const t = line(altText(r, { seen: new Set(), read: st.read, labelledby: true, pointed: true, embedded: r !== el, hidden, depth: st.depth + 1, left: st.left }, false));
    if (t) parts.push(t);
  }
  for (const r of els) st.read.add(r); // only now: a list may name a part and the whole
  return parts.join(' ');
}
function embeddedValue(el, tag, role) {
  switch (role) {
    case 'textbox': case 'searchbox': case 'combobox': case 'spinbutton': case 'slider': case 'progressbar': case 'meter': case 'listbox': {
      const v = valueOf(el, tag, role);
      return v.text ?? v.now ?? v.value ?? '';
    }
  }
  return undefined;
}
function nativeName(el, tag, st) {
  switch (tag) {
    case 'input': {
      const type = N.inputType(el);
      if (type === 'button' || type === 'submit' || type === 'reset') {
        const l = fromLabels(el, tag, st, false);
        if (l) return l;
        const v = line(VALUES.get('input')(el));
        if (v) return v;
        return type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '';
      }
      if (type === 'image') return fromLabels(el, tag, st, false) || line(N.attr(el, 'alt') || '') || line(N.attr(el, 'title') || '') || line(N.attr(el, 'value') || '') || 'Submit';
      return fromLabels(el, tag, st, false);
    }
    case 'button': case 'select': case 'textarea': case 'meter': case 'progress': case 'output': return fromLabels(el, tag, st, false);
    case 'img': case 'area': return line(N.attr(el, 'alt') || '');
    case 'fieldset': return childText(el, 'legend', st);
    case 'figure': return childText(el, 'figcaption', st);
    case 'table': return childText(el, 'caption', st);
    case 'optgroup': return line(N.attr(el, 'label') || '');
    case 'option': return line(N.optionLabel(el));
    case 'iframe': case 'frame': return line(N.attr(el, 'title') || '');
  }
  return tag.startsWith('svg:') ? childText(el, 'svg:title', st) : '';
}
// labelsOf lists a control's labels in tree order. The property of that name
// searches the whole tree for each control anew; here all labels of a tree are
// asked for their control once, as long as the styles that were read hold.
let labelRoots = new Map(), labelStyles = null;
function labelsOf(el, tag) {
  if (!LABELABLE.has(tag)) return [];
  if (labelStyles !== styles) { labelRoots = new Map(); labelStyles = styles; }
  const root = N.root(el);
  let labels = labelRoots.get(root);
  if (!labels) {
    labelRoots.set(root, labels = new Map());
    for (const l of queryAll(root, 'label')) {
      const control = isHTML(l) && N.labelControl(l);
      if (!control) continue;
      const of = labels.get(control);
      if (of) of.push(l); else labels.set(control, [l]);
    }
  }
  return labels.get(el) || [];
}
// fromLabels is what the labels say that are shown, or, for a control that
// nothing else names, those that are not.
function fromLabels(el, tag, st, hidden) {
  const labels = labelsOf(el, tag);
  if (!labels.length) return '';
  const parts = [];
  for (const l of labels) {
    if (st.seen.has(l)) continue; // the label is being traversed already
    if (N.checkVisibility(l, { visibilityProperty: true }) === hidden) continue;
    const seen = new Set(st.seen);
    seen.add(el);
    const t = line(altText(l, { seen, read: st.read, labelledby: true, pointed: true, hidden, depth: st.depth + 1, left: st.left }, false));
    if (t) parts.push(t);
  }
  for (const l of labels) st.read.add(l);
  return parts.join(' ');
}
function childText(el, want, st) {
  for (let c = N.first(el); c; c = N.next(c)) {
    if (!isElement(c) || tagOf(c) !== want) continue;
    if (want !== 'svg:title' && !N.checkVisibility(c, { visibilityProperty: true })) return '';
    return line(altText(c, { seen: new Set(st.seen), read: st.read, labelledby: true, pointed: true, hidden: want === 'svg:title', depth: st.depth + 1, left: st.left }, false));
  }
  return '';
}
function contentText(el, tag, st) {
  const root = shadowOf(el);
  if (root) drain(readPseudos(root));
  const mute = !st.hidden && !styleOf(el).visible; // what is visible further down still counts
  let acc = mute ? '' : pseudoText(el, '::before');
  for (const c of flatChildren(el, tag)) {
    if (st.left <= 0) break;
    if (!isElement(c)) {
      if (mute) continue;
      const s = squash(N.data(c));
      st.left -= s.length;
      acc += s;
      continue;
    }
    const ct = tagOf(c);
    if (ct === 'br') { acc += ' '; continue; }
    if (HIDDEN_TAGS.has(ct) && !st.hidden) continue;
    const t = altText(c, st, true);
    if (!t) { if (!HIDDEN_TAGS.has(ct) && styleOf(c).display !== 'inline') acc += ' '; continue; }
    acc += styleOf(c).display === 'inline' || styleOf(c).display === 'contents' ? t : ' ' + t + ' ';
  }
  if (N.hasAny(el) && N.has(el, 'aria-owns')) for (const id of tokens(N.attr(el, 'aria-owns'))) {
    const o = byId(N.root(el), id);
    if (o && (st.hidden || N.checkVisibility(o, { visibilityProperty: false }))) acc += ' ' + altText(o, st, true) + ' ';
  }
  return mute ? acc : acc + pseudoText(el, '::after');
}

// nameOf returns the name and where it came from; hidden parts count where the
// whole is hidden.
function nameOf(el, hidden) {
  const st = { seen: new Set(), read: new Set(), depth: 0, left: NAME_MAX * 2, from: '', hidden };
  const name = clip(line(altText(el, st, false)), NAME_MAX);
  return { name, from: name ? st.from : '' };
}
const contentOf = (el, tag) => clip(line(contentText(el, tag, { seen: new Set([el]), read: new Set(), depth: 0, left: NAME_MAX * 2 })), NAME_MAX);

function descriptionOf(el, name, from) {
  if (!N.hasAny(el)) return '';
  let d = '';
  if (N.has(el, 'aria-describedby')) d = referred(N.describedBy(el), { read: new Set(), depth: 0, left: NAME_MAX }, el);
  if (!d) d = line(N.attr(el, 'aria-description') || '');
  if (!d && from !== 'title') d = line(N.attr(el, 'title') || '');
  return d && d !== name ? clip(d, NAME_MAX) : '';
}
