// The walk: one pass over the flat tree, depth-safe, building aria.Node values.
const BREAK = { role: 'break' };
const NO_KIDS = new Set(['input', 'select', 'textarea', 'img', 'video', 'audio', 'iframe', 'frame', 'embed', 'progress', 'meter', 'br', 'hr', 'wbr', 'map', 'area']);
const NAMED = new Set([...REFERABLE, ...FROM_CONTENT, 'group', 'img', 'caption', 'note', 'math', 'document', 'application', 'directory', 'marquee', 'separator', 'scrollbar']);
const CLICK_ATTRS = ['onclick', 'onmousedown', 'onpointerdown', 'data-action', 'jsaction', 'hx-get', 'hx-post', 'ng-click'];
const SVG_WALK = 'a,[role],[tabindex],[onclick],text,foreignObject,[style*=cursor],:not(svg)>title,g[aria-label]';
const TOOLTIPS = ['data-tooltip', 'data-original-title', 'data-bs-original-title', 'data-bs-title', 'data-tippy-content', 'data-tip', 'data-title', 'data-hint', 'mattooltip', 'uk-tooltip'];
const ICON = /^(?:fa|fas|far|icon|icons?|glyphicon|bi|mdi|ti|ri|la|bx|ph|lucide|ico|pi|oi|dashicons|octicon|material|feather|ion|md|el-icon)[-_](?!solid$|regular$|lg$|fw$|spin$|xs$|sm$|[0-9]+x$|icons?$)([a-z][a-z0-9-]{1,30})$/i;
// iconOf names the picture of a control without a name: by the class of an
// icon font, the symbol or the file that it shows.
function iconOf(el) {
  const all = [el, ...N.elQueryAll(el, '[class],use,image,img')].slice(0, 12);
  for (const k of all) {
    const href = N.attr(k, 'href') ?? N.attr(k, 'xlink:href') ?? N.attr(k, 'src') ?? '';
    if (k !== el && href && !href.startsWith('data:')) {
      const m = /([a-z][a-z0-9_-]{1,30})(?:\.[a-z]{2,4})?(?:\?.*)?$/i.exec(href.slice(-60));
      if (m) return m[1].replace(/^(?:icons?|i|svg|symbol)[-_]/i, '').replace(/[-_]+/g, ' ').replace(/ icon$/i, '').toLowerCase();
    }
    for (const t of tokens(N.attr(k, 'class') || '')) { const m = ICON.exec(t); if (m) return m[1].replace(/[-_]+/g, ' ').toLowerCase(); }
  }
  return '';
}
const ICONIC = new Set(['button', 'link', 'menuitem', 'tab', 'switch']);
const DEPTH_MAX = 200;

const titled = (el) => { for (let c = N.first(el), i = 0; c && i < 3; c = N.next(c)) if (isElement(c)) { if (tagOf(c) === 'svg:title') return true; i++; } return false; };

function deepActive() {
  let a = N.docActive(document);
  for (let i = 0; a && i < 50; i++) {
    const r = shadowOf(a);
    const inner = r && N.rootActive(r);
    if (!inner) break;
    a = inner;
  }
  if (!a || a === N.docElement(document) || a === N.docBody(document) || N.type(a) !== 1) return null;
  return a;
}

// aria-owns: owned element -> owner, first owner wins, cycles and hidden owners refused.
function ownership() {
  const owners = new Map();
  for (const o of standing('owners', '[aria-owns]')) {
    // A field has no children: what it "owns" stays where it is.
    if (NO_KIDS.has(tagOf(o)) || !N.checkVisibility(o, { visibilityProperty: false })) continue;
    for (const id of tokens(N.attr(o, 'aria-owns'))) {
      const el = byId(document, id);
      if (!el || owners.has(el) || el === o) continue;
      let cyclic = false;
      for (let p = o, i = 0; p && i < 5000; p = owners.get(p) || flatParent(p), i++) if (p === el) { cyclic = true; break; }
      if (!cyclic) owners.set(el, o);
    }
  }
  return owners;
}

// paints: is there anything of its content on the page?
function paints(el) {
  const range = N.newRange(document);
  N.rangeOver(range, el);
  const r = N.rangeRect(range);
  return r.width > 0 && r.height > 0 ? r : null;
}

// A control that cannot be seen but has a label that can: the label is the handle.
function handleOf(el, tag, hiddenSelf) {
  if (tag !== 'input') return null;
  const type = N.inputType(el);
  if (type !== 'checkbox' && type !== 'radio' && type !== 'file') return null;
  if (!hiddenSelf) {
    const r = N.rect(el), s = styleOf(el);
    if (r.width > 3 && r.height > 3 && +s.opacity > 0.01 && s.visible && s.events !== 'none' && !/rect\(0|inset\(50%/.test(getComputedStyle(el).clip + getComputedStyle(el).clipPath)) return null;
  }
  for (const l of labelsOf(el, tag)) {
    if (!N.checkVisibility(l, { visibilityProperty: true })) continue;
    const r = N.rect(l);
    if (r.width > 3 && r.height > 3) return l;
  }
  return null;
}

// Where a text node of the tree begins on the page. Short ones get a box, so
// that a field can be found beside words that no attribute ties to it.
const textAt = new WeakMap();
const TEXT_BOX_MAX = 60, TEXT_BOXES = 1000;
function textBox(n) {
  const at = n.text.length <= TEXT_BOX_MAX && textAt.get(n);
  if (!at) return false;
  const range = N.newRange(document);
  N.rangeOver(range, at);
  const r = N.rangeRect(range);
  if (r.width > 0 && r.height > 0) {
    n.box = box(r);
    if (r.bottom + scrollY <= 0 || (r.right + scrollX <= 0 && getComputedStyle(N.docElement(document)).direction !== 'rtl')) n.unreachable = true;
  }
  return true;
}

const sameMarks = (a, b) => a.transparent === b.transparent && a.clipped === b.clipped && a.looks === b.looks && a[TINT] === b[TINT];
const FAINT = Symbol('faint'), CUT = Symbol('cut'); // a node's only words are
// What the only words of a node look like is how it looks itself.
function inheritMarks(n, kids) {
  if (kids.length !== 1) return;
  const k = kids[0];
  if (k[TINT] && !n.looks) n[TINT] = k[TINT]; else if (k.looks && !n.looks) n.looks = k.looks;
  if (k.transparent) n.transparent = n[FAINT] = true;
  if (k.clipped) n.clipped = n[CUT] = true;
}
function tidy(kids) {
  const out = [];
  let run = null, cut = true;
  for (const k of kids) {
    if (k === BREAK) { cut = true; continue; }
    if (k.role === 'text' && !k.w) {
      if (run && !cut && sameMarks(run, k)) { run.text += k.text; continue; }
      const glue = k.glue ?? (run !== null && !cut && !/\s$/.test(run.text) && !/^\s/.test(k.text));
      run = { ...k, [ID]: 0, [TRIED]: false };
      if (glue) run.glue = true;
      if (textAt.has(k)) textAt.set(run, textAt.get(k));
      out.push(run);
      cut = false;
      continue;
    }
    run = null;
    cut = false;
    out.push(k);
  }
  let j = 0;
  for (const k of out) {
    if (k.role === 'text' && !k.w) {
      k.text = clip(line(k.text), TEXT_MAX);
      if (!k.text) continue;
    }
    out[j++] = k;
  }
  out.length = j;
  return out;
}
// plain: nothing in here that could be referred to, but pictures: in a button or
// link also those that listen for clicks, for the click is the control's as well.
function plain(k, depth, pressed) {
  if (k.role === 'text') return true;
  if (depth > 50 || (k.w && stays(k.w) && (k.role !== 'img' || k.clickable && !pressed))) return false;
  return !k.children || k.children.every((c) => plain(c, depth + 1, pressed));
}
function textIn(k, out, depth) {
  if (k.role === 'text') { if (k.glue && out.length) out[out.length - 1] += k.text; else out.push(k.text); }
  else if (k.name && k.role === 'img') out.push(k.name);
  if (k.children && depth < 60) for (const c of k.children) textIn(c, out, depth + 1);
}
const textsOf = (kids) => { const out = []; for (const k of kids) textIn(k, out, 0); return line(out.join(' ')); };
// A node may be forgotten by what holds it, and come back when that is walked
// again: lost counts by how many it is.
const stays = (w) => w.keep && w.lost === 0;
let forgotten = [], shaken = []; // the latter: of which lost changed in this walk
function forget(k, depth) {
  if (k.w) { k.w.lost++; forgotten.push(k.w); shaken.push(k.w); }
  if (k.children && depth < 60) for (const c of k.children) forget(c, depth + 1);
}
const bare = (s) => s.replace(/\s/g, '');

let capNow = 150000, lastTree = null;
let inView = [];     // wants that something could cover
let modalsSeen = []; // open modal dialogs
let counted = 0; // elements in the last whole walk
const LARGE = 30000;
function* walkTree(opts) {
  follow();
  keepRecords(observer.takeRecords());
  clipRound++;
  styles = new Map();
  looked = new Map();
  pseudos = new Set();
  pseudoRoots = new Set();
  walks++;
  yield* readPseudos(document);
  capNow = opts.cap || capNow;
  // Of a large page that is mostly new, the first part will do for now.
  const total = opts.first ? elementCount() : 0, part = total > LARGE && total > 4 * counted && total < capNow;
  const cap = part ? opts.first : capNow;
  // A walk that was cut is walked anew, unless it is asked for again at once.
  if (cap < capNow && lastTree && lastTree.cap === cap && lastTree.lie === lie() && performance.now() - lastTree.at < 2000) return { ...lastTree, walked: 0, quiet: true };
  const vp = viewportOf();
  const notes = [];
  const hovers = new Set();
  yield* hoverTargets(document, hovers);
  const visited = new Set();
  const owners = ownership();
  const modals = topLayer().filter((el) => N.matches(el, ':modal'));
  const active = deepActive();
  const body = N.docBody(document), top = N.docElement(document);
  vp.rtl = top ? getComputedStyle(top).direction === 'rtl' : false;
  let count = 0, cut = false, walked = 0;
  const lit = active && N.has(active, 'aria-activedescendant') && byId(N.root(active), N.attr(active, 'aria-activedescendant')) || null;
  if (opts.fresh) everything = true;
  yield* takeChanges(active, lit);
  walking = true;
  const reusing = !everything && !owners.size;
  // Nothing has to be walked: only what stands where may have changed.
  const idle = reusing && !stale.size && lastTree && lastTree.cap === cap ? lastTree : null;
  // The same elements are wanted as the last time, as far as is known yet: then
  // only those that were walked again have to be looked at.
  let same = reusing && lastTree !== null && lastTree.cap === cap;
  const again = [];
  shaken = [];
  loose = [];

  // want makes, or makes anew, what is wanted of an element.
  function want(el, n, role, c, F) {
    const old = el === F.el ? F.prior : wantOf.get(el);
    const w = old && old.made !== walks ? old : { stayed: false, bits: -1, operable: false, blocker: null };
    if (w.entry) w.entry.want = null;
    if (w.role !== role) placedOtherwise = walks;
    w.el = el; w.node = n; w.ctx = c; w.role = role; w.name = n.name || ''; w.key = keyOf(el); w.sig = c.sig; w.parentSig = c.parentSig;
    w.row = c.row; w.rowEl = c.rowEl; w.keep = false; w.lost = 0; w.clip = c.outerClip; w.fixed = c.fixed; w.actOn = F.actOn || null;
    w.form = c.form; w.filled = Boolean(n.value); w.made = walks; w.placed = -1; w.tried = false;
    w.entry = null; w.ref = w.linked = w.controls = w.area = undefined;
    again.push(w);
    loose.push(w);
    n.w = w;
    wantOf.set(el, w);
    F.unit.seq.push(w);
    return w;
  }

  function enter(el, pc, viaOwner) {
    const tag = tagOf(el);
    if (visited.has(el)) return null;
    if (HIDDEN_TAGS.has(tag)) return null;
    if (!viaOwner && owners.has(el)) return null;
    if (++count > cap) { cut = true; return null; }
    walked++;
    if (tellers.has(el)) retold = true;
    const old = units.get(el);
    if (old) { for (const w of old.forgot) { w.lost--; shaken.push(w); } units.delete(el); }
    const prior = wantOf.get(el) || null;
    wantOf.delete(el);
    const unit = newUnit(el, pc);
    if (old) unit.geo = old.geo;
    const s = styleOf(el);
    let actOn = null, hover = pc.hover;
    if (CONTROL_TAGS.has(tag) || tag.includes('-')) { if (!controls.has(el)) { controls.add(el); controlSeen.set(el, controlState(el, tag)); } }
    const any = N.hasAny(el);
    if (pointing(el, tag)) rests(pointed, el); else if (LABELABLE.has(tag)) rests(labelable, el);
    if (hovers.size && !hover && hovers.has(el) && (s.display === 'none' || !s.visible) && few(el)) hover = true;
    if (s.display === 'none' && !(hover && !pc.hover)) {
      actOn = handleOf(el, tag, true);
      if (!actOn) {
        left(old);
        unit.geo = null;
        if (tag !== 'input' && !cut) units.set(el, unit);
        return null;
      }
    }
    visited.add(el);
    // Text that only measures: hidden from readers, and where no eye gets.
    if (any && (s.position === 'absolute' || s.position === 'fixed') && N.attr(el, 'aria-hidden') === 'true' && !N.elQueryAll(el, 'a,button,input,select,textarea,[tabindex],[role]').length) {
      const r = N.rect(el);
      if (r.bottom + scrollY <= 0 || (r.right + scrollX <= 0 && !vp.rtl)) return null;
    }
    const contents = s.display === 'contents';
    const visible = actOn || s.visible || contents || hover;
    if (!actOn && tag === 'input') actOn = handleOf(el, tag, !s.visible);
    let role = roleOf(el, tag);
    if (role === 'none') role = '';

    let c = { hidden: pc.hidden, inert: pc.inert, clear: pc.clear, disabled: pc.disabled, clip: pc.clip, absClip: pc.absClip, fixed: pc.fixed, pointer: s.cursor, control: pc.control, sig: pc.sig, parentSig: pc.sig, row: pc.row, rowEl: pc.rowEl, listening: pc.listening, editable: pc.editable, outerClip: null, hover, shy: pc.shy, form: tag === 'form' ? formOf(el) : pc.form, code: pc.code || CODE.has(tag) };
    if (any && !c.hidden && N.has(el, 'aria-hidden') && N.attr(el, 'aria-hidden').toLowerCase() === 'true') c.hidden = true;
    if (any && !c.inert && isHTML(el) && N.has(el, 'inert')) c.inert = true;
    if (+s.opacity < 0.01) { c.clear = true; if (hovers.has(el)) c.shy = true; }
    if (any && N.has(el, 'aria-disabled')) c.disabled = N.attr(el, 'aria-disabled') === 'true';
    if (modals.length && modals.includes(el)) c.inert = false;
    if (!contents) {
      if (s.position === 'fixed') { c.fixed = true; c.clip = c.absClip = null; } else if (s.position === 'absolute') c.clip = c.absClip;
      c.outerClip = c.clip;
      if (s.over && el !== body && el !== top && s.display !== 'inline') c.clip = clipOf(el, c.clip, s.over);
      if (s.position !== 'static') c.absClip = c.clip;
    }

    if (s.position !== 'static' && s.position !== 'relative' || s.over || contents) unit.odd = true;

    // What is it?
    if (any && !role && !pc.editable && N.has(el, 'contenteditable') && isHTML(el) && N.editable(el)) role = 'textbox';
    if (role === 'textbox' || role === 'searchbox') c.editable = true;
    if (!role && tag.startsWith('svg:') && titled(el)) role = tag === 'svg:g' ? 'group' : 'img';
    if (role === 'img' && tag.startsWith('svg') === false && tag !== 'img' && !explicitRole(el)) role = 'img';
    const F = { el, tag, role, s, c, unit, old, prior, deep: false, kids: [], list: [], i: 0, n: null, actOn, visible, inline: (s.display === 'inline' || contents) && !actOn, apart: setsApart(el, tag, any), listener: false, pointer: false, tabbed: false, interactive: false, clicks: false, from: '' };

    const labelled = any && (N.has(el, 'aria-label') || N.has(el, 'aria-labelledby'));
    let name = '';
    if (visible && (NAMED.has(role) || labelled)) {
      const r = nameOf(el, hover);
      name = r.name;
      F.from = r.from;
      if (NAME_REQUIRED.has(role) && !name) role = F.role = '';
      if (role === 'complementary' && !name && N.parent(el) && N.type(N.parent(el)) === 1 && N.closest(N.parent(el), SECTIONING)) role = F.role = '';
      if (!role && labelled && name) role = F.role = '';
    }
    const widget = WIDGETS.has(role);
    if (visible && !widget && el !== body && el !== top) {
      F.listener = marked.has(el) || any && CLICK_ATTRS.some((a) => N.has(el, a));
      F.pointer = s.cursor && !pc.pointer && !pc.control && s.events !== 'none' && !(tag === 'label' && N.labelControl(el));
      F.tabbed = any && N.has(el, 'tabindex') && isHTML(el) && (tabbable(el) || el === active);
    }
    if (rowLike(el, tag, role)) { c.row = rowKey(el); c.rowEl = el; }
    if (c.rowEl === el) c.sig = hash(pc.sig + '|' + (role || 'row') + '|' + c.row);
    else if (role) c.sig = hash(pc.sig + '|' + role + '|' + sameness(clip(name, 60)));
    if (widget || role === 'heading') c.control = pc.control || widget;
    if (F.listener && N.parent(el) !== body && !widget) c.listening = true;

    // As long as it says the same it is the same object: what is in it need not compare.
    if (old && old.passes && old.passes.parentSig === c.parentSig && old.passes.outerClip === c.outerClip && sameContext(old.passes, c)) c = F.c = old.passes;
    unit.passes = c;
    if (!visible) {
      F.list = flatChildren(el, tag);
      F.role = '';
      return F;
    }
    if (role || labelled || F.listener || F.pointer || F.tabbed) {
      const n = F.n = { role: role || 'generic' };
      if (name) n.name = name;
      readStates(n, el, tag, role, c.disabled);
      if (role) {
        const v = valueOf(el, tag, role);
        if (v.value !== undefined) n.value = v.value;
        if (v.masked) n.masked = true;
        if (v.now !== undefined) n.value_now = v.now;
        if (v.min !== undefined) n.value_min = v.min;
        if (v.max !== undefined) n.value_max = v.max;
      }
      if (widget || F.from || role === 'group' || role === 'dialog') { const d = descriptionOf(el, name, F.from); if (d) n.description = d; }
      if (tag === 'input' || tag === 'textarea' || role === 'textbox' || role === 'searchbox' || role === 'combobox') {
        const ph = line(N.attr(el, 'placeholder') || N.attr(el, 'aria-placeholder') || '');
        if (ph && ph !== name) n.placeholder = clip(ph, 300);
      }
      if (widget && !name && any) {
        for (const a of TOOLTIPS) { const t = N.attr(el, a); if (t && line(t)) { n.name = name = clip(line(t), 300); F.from = 'title'; break; } }
      }
      if (tag === 'input') n.input_type = N.inputType(el);
      if (role === 'link') { const h = N.attr(el, 'href') ?? N.attr(el, 'xlink:href'); if (h !== null) n.url = h.startsWith('data:') ? h.slice(0, h.indexOf(',') + 1) : clip(line(h), 2000); }
      if (role === 'dialog' || role === 'alertdialog') { if (N.attr(el, 'aria-modal') === 'true' || modals.includes(el)) n.modal = true; }
      if (el === active) n.active = true;
      if (c.hidden) n.aria_hidden = true;
      const w = want(el, n, role || 'generic', c, F);
      if (n.haspopup || n.expanded || role === 'combobox') {
        const t = N.has(el, 'aria-controls') && N.controls(el);
        const o = !t && N.has(el, 'aria-owns') && byId(N.root(el), tokens(N.attr(el, 'aria-owns'))[0] || '');
        const popup = t && t[0] || o;
        if (popup) w.controls = popup;
        if (role === 'combobox' && tag !== 'select') {
          const list = tag === 'input' && N.has(el, 'list') && N.inputList(el);
          const count = list ? N.elQueryAll(list, 'option').length : popup ? N.elQueryAll(popup, '[role=option]').length : 0;
          if (count) n.options = count;
        }
      }
      if (w.key) n.key = w.key;
    }
    if (tag === 'select') selectKids(F, el);
    else if (tag === 'img' && N.has(el, 'usemap')) areaKids(F, el, c);
    else if (tag.startsWith('svg:') && tag === 'svg:svg') F.list = N.elQueryAll(el, SVG_WALK).length || !name ? svgKids(el) : [];
    else if (tag === 'canvas') F.list = focusables(el);
    else if (!NO_KIDS.has(tag) && !s.skipped && (tag !== 'object' || paints(el))) {
      const root = shadowOf(el);
      if (root) { watch(root); drain(hoverTargets(root, hovers)); drain(readPseudos(root)); }
      F.list = flatChildren(el, tag);
      if (any && N.has(el, 'aria-owns')) for (const id of tokens(N.attr(el, 'aria-owns'))) { const o = byId(N.root(el), id); if (o && owners.get(o) === el) F.list = [...F.list, o]; }
      const b = pseudoText(el, '::before');
      if (b) F.kids.push({ role: 'text', text: b });
    }
    return F;
  }

  // A menu that a pointer opens is not listed before; a few actions are.
  const few = (el) => N.elQueryAll(el, 'a,button,input,select,textarea,[role],[tabindex]').length <= 8;
  // What stands in for a canvas is not painted, but the keyboard reaches it.
  const focusables = (el) => N.first(el) ? Array.from(N.elQueryAll(el, '*')).filter((k) => focusable(k, tagOf(k))) : [];
  const svgKids = (el) => N.elQueryAll(el, SVG_WALK).length ? flatChildren(el, 'svg:svg') : [];
  function selectKids(F, el) {
    let group = null, parent = null, num = 0;
    for (const o of N.selectOptions(el)) {
      num++;
      if (num > 1000) continue;
      const n = { role: 'option', name: clip(line(N.optionLabel(o)), NAME_MAX), selected: N.optionSelected(o) ? 'true' : 'false' };
      if (N.matches(o, ':disabled')) n.disabled = true;
      const p = N.parent(o);
      if (p && N.type(p) === 1 && tagOf(p) === 'optgroup') {
        if (p !== parent) { parent = p; group = { role: 'group', name: line(N.attr(p, 'label') || ''), children: [] }; F.kids.push(group); }
        group.children.push(n);
      } else F.kids.push(n);
      if (F.role === 'listbox') {
        const w = want(o, n, 'option', F.c, F);
        w.keep = true;
      }
    }
    F.n.options = num;
  }
  function areaKids(F, el, c) {
    const id = (N.attr(el, 'usemap') || '').replace(/^#/, '');
    if (!id) return;
    const r = N.rect(el);
    for (const m of N.docQueryAll(document, 'map')) {
      if (N.attr(m, 'name') !== id) continue;
      for (const a of N.elQueryAll(m, 'area')) {
        if (!N.has(a, 'href')) continue;
        const nm = nameOf(a);
        const n = { role: 'link', name: nm.name, url: clip(line(N.attr(a, 'href')), 2000) };
        const w = want(a, n, 'link', c, F);
        w.keep = true;
        w.area = el;
        F.kids.push(n);
      }
      break;
    }
  }

  // leave finishes an element: its unit is what its parent gets of it.
  function leave(F, P) {
    const u = F.unit, at = P.kids.length, { interactive, clicks } = P;
    P.interactive = P.clicks = false;
    forgotten = [];
    finish(F, P);
    u.kids = P.kids.slice(at);
    u.interactive = P.interactive;
    u.clicks = P.clicks;
    u.forgot = forgotten;
    u.node = F.n || u.group;
    P.interactive = P.interactive || interactive;
    P.clicks = P.clicks || clicks;
    join(u, P);
    if (!cut) units.set(F.el, u);
    same = same && alike(F.old, u);
  }
  // alike says that a unit wants the same as before, in the same order; of its
  // parts each is asked itself.
  function alike(old, u) {
    if (!old || old.seq.length !== u.seq.length) return false;
    for (let i = 0; i < u.seq.length; i++) {
      const a = old.seq[i], b = u.seq[i];
      if (a !== b && !(a.seq && b.seq && a.el === b.el)) return false;
    }
    return true;
  }
  function join(u, P) {
    P.unit.seq.push(u);
    P.unit.count += u.count;
    if (u.odd) P.unit.odd = true;
  }
  function reuse(u, P) {
    count += u.count;
    for (const k of u.kids) P.kids.push(k);
    if (u.interactive) P.interactive = true;
    if (u.clicks) P.clicks = true;
    join(u, P);
  }

  function finish(F, P) {
    const { el, tag, role, s, c, n, unit: u } = F;
    if (n) {
      const a = pseudoText(el, '::after');
      if (a) F.kids.push({ role: 'text', text: a });
    } else if (pseudos.has(el)) { const a = pseudoText(el, '::after'); if (a) F.kids.push({ role: 'text', text: a }); }
    const widget = WIDGETS.has(role);
    let node = null;
    const hint = F.visible && el !== body && el !== top ? looksOf(F, P, widget) : '';
    if (n) node = settle(F, widget);
    if (hint) mark(F, node, hint);
    if (node) {
      P.kids.push(node);
      if (widget || node.clickable || F.tabbed) P.interactive = true;
      if (node.clickable) P.clicks = true;
    } else if (tag === 'br') P.kids.push({ role: 'text', text: ' ' });
    else if (tag === 'label' && labelKids(F)) for (const k of F.kids) P.kids.push(k);
    else if (F.inline) for (const k of F.kids) P.kids.push(k);
    else {
      const kids = tidy(F.kids);
      if (kids.length && c.listening && F.visible && !tag.startsWith('svg:') && !F.interactive && !c.control && s.display !== 'inline' && kids.every((k) => k.role === 'text') && el !== body) {
        // Inside something that listens for clicks, a leaf may be what is meant.
        const t = textsOf(kids);
        const g = { role: 'generic', name: clip(t, NAME_MAX) };
        if (c.hidden) g.aria_hidden = true;
        inheritMarks(g, kids);
        const w = want(el, g, 'generic', c, F);
        w.keep = true;
        P.kids.push(g);
      } else if (kids.length >= 2 && F.visible && el !== top) {
        const g = u.group = { role: 'generic', children: kids };
        if (F.noteGroup) F.noteGroup(g);
        // What is tidied already must not run together again further up.
        if (el === body) for (const k of kids) P.kids.push(BREAK, k); else P.kids.push(g);
      } else { for (const k of kids) P.kids.push(BREAK, k); P.kids.push(BREAK); }
    }
    if (F.interactive) P.interactive = true;
    if (F.clicks) P.clicks = true;
  }
  // looksOf is what the paint says of the element, or a class about its state.
  function looksOf(F, P, widget) {
    const { el, tag, role, c, n } = F;
    if (!F.apart || F.actOn) return '';
    const rowlike = ROWLIKE.has(role) || tag === 'tr' || c.rowEl === el;
    F.state = '';
    if (!n || !(n.disabled || n.current || n.selected === 'true' || n.pressed === 'true' || n.checked === 'true' || n.expanded)) F.state = stateByClass(el, tag);
    const h = c.control && !widget ? '' : hintOf(F, P, rowlike, widget);
    if (!F.state) return h;
    return h ? F.state + ', ' + h : F.state;
  }
  // mark puts a hint where it is seen: on the one control that an item holds,
  // on the element's own node, else on its words.
  function mark(F, node, hint) {
    const note = (k) => { if (F.state) k.looks = k.looks || hint; else if (!k.looks) tint(k, hint); };
    if (F.state && !(node && node.w && node.w.keep)) {
      const ops = F.kids.filter((k) => k.w && k.w.keep && (WIDGETS.has(k.role) || k.clickable));
      if (ops.length === 1) { note(ops[0]); return; }
    }
    if (node) { note(node); return; }
    const words = F.kids.filter((k) => k.role === 'text' && k.text !== ' ');
    if (words.length && words.length <= 4) words.forEach(note);
    else F.noteGroup = note;
  }
  // A label's words are its control's name; said once is enough. labelKids
  // leaves only the control, if the label holds it, and says whether it did so.
  function labelKids(F) {
    const ctl = N.labelControl(F.el);
    if (!ctl) return false;
    const kids = tidy(F.kids);
    const words = kids.filter((k) => k.role === 'text');
    if (!words.length || !kids.every((k) => k.role === 'text' || (k.w && k.w.el === ctl))) return false;
    const t = tagOf(ctl);
    if (!N.checkVisibility(ctl, { visibilityProperty: true }) && !handleOf(ctl, t, true)) return false;
    if (nameOf(ctl).name !== textsOf(words)) return false;
    F.kids = [BREAK, ...kids.filter((k) => k.role !== 'text'), BREAK];
    return true;
  }

  // settle decides whether an element's node stays, and returns it.
  function settle(F, widget) {
    const { el, tag, role, s, c, n } = F;
    const w = n.w;
    let kids = tidy(F.kids);
    let clickable = false;
    if (!widget) {
      const text = F.listener && !F.pointer ? textsOf(kids) : '';
      const rowish = ROWLIKE.has(role) || role === 'cell' || role === 'gridcell' || role === 'columnheader';
      clickable = (F.pointer && (F.listener || !F.clicks)) || (F.listener && (rowish || (!F.interactive && !F.clicks && (kids.length <= 3 || text.length <= 120)))) || (F.tabbed && F.listener);
      if (clickable) n.clickable = true; else if (F.tabbed && role === '' && !F.interactive) n.focusable = true;
    }
    if (role === '' && !clickable && !F.tabbed && !n.name) {
      // Only a listener that serves what is inside.
      if (F.listener && kids.length >= 2) { delete n.w; w.keep = false; n.children = kids; return n; }
      return null;
    }
    if (role === 'img') {
      const r = N.rect(el);
      const min = tag === 'img' ? 24 : 48;
      const big = r.width >= min && r.height >= min;
      if (!n.name && !kids.length && !big && !clickable) return null;
      w.keep = big || clickable;
      if (!w.keep) delete n.w;
    } else w.keep = REFERABLE.has(role) || clickable || F.tabbed || n.active || (role !== '' && (F.from === 'label' || F.from === 'labelledby')) || (role === 'group' && (tag === 'fieldset' || tag === 'details'));
    if ((role === '' || role === 'listitem') && (clickable || F.tabbed) && !n.name) {
      const t = contentOf(el, tag) || line(N.attr(el, 'title') || '');
      if (t) { n.name = clip(t, 300); w.name = n.name; F.from = 'content'; }
    }
    if (w.keep && !n.name && (clickable || ICONIC.has(role)) && !textsOf(kids)) { const i = iconOf(el); if (i && !n.looks) n.looks = i + ' icon'; }
    if (clickable && tag === 'svg:g' && !n.description) { const kind = line(N.attr(el, 'data-type') || N.attr(el, 'data-kind') || '') || iconOf(el); if (kind && kind !== n.name) n.description = clip(kind, 60); }
    if (role === 'listitem' && !w.keep) { delete n.w; }
    if (!w.keep) delete n.w;

    const leaf = LEAVES.has(role) || ((role === '' || role === 'listitem') && (clickable || F.tabbed) && !F.interactive);
    if (role === 'cell' || role === 'gridcell') {
      if (kids.every((k) => k.role === 'text')) {
        const t = textsOf(kids);
        if (n.name && bare(n.name) !== bare(t) && t) n.label = t; else if (t) n.name = t;
        inheritMarks(n, kids);
        kids = [];
      } else if (F.from === 'content') delete n.name;
    } else if (role === 'row' && F.from === 'content' && n.name.length > 300) n.name = clip(n.name, 300);
    else if ((role === 'textbox' || role === 'searchbox') && tag !== 'input' && tag !== 'textarea') { if (!F.interactive) { kids.forEach((k) => forget(k, 0)); kids = []; } }
    else if (leaf && n.name && kids.length && kids.every((k) => plain(k, 0, role === 'button' || role === 'link'))) {
      const t = textsOf(kids);
      if (t && F.from !== 'content' && bare(t) !== bare(n.name)) n.label = clip(t, 500);
      kids.forEach((k) => forget(k, 0));
      if (F.from === 'content' && kids[0].role === 'text') inheritMarks(n, kids);
      kids = [];
    }
    if (kids.length) n.children = kids;
    if (n.aria_hidden) for (const k of kids) delete k.aria_hidden;
    return n;
  }

  // The loop, with a stack of its own: pages nest deeper than call stacks.
  const rootNode = idle ? idle.root : { role: 'document' };
  const R = { el: top, kids: [], interactive: false, clicks: false, unit: newUnit(null, null) };
  const base = { hidden: false, inert: modals.length > 0, clear: false, disabled: false, clip: null, absClip: null, fixed: false, pointer: false, control: false, sig: '', parentSig: '', row: undefined, rowEl: null, listening: false, editable: false, outerClip: null, hover: false, shy: false, form: null, code: false };
  const stack = [];
  const first = !idle && top && enter(top, base, false);
  if (first) { first.deep = everything || deep.has(top); first.unit.deep = first.deep; stack.push(first); }
  while (stack.length) {
    if (tired()) yield;
    const F = stack[stack.length - 1];
    if (F.i >= F.list.length || cut) {
      stack.pop();
      leave(F, stack.length ? stack[stack.length - 1] : R);
      continue;
    }
    const ch = F.list[F.i++];
    if (!isElement(ch)) {
      if (!F.visible || !F.s.visible && F.s.display !== 'contents' || F.c.hover) continue;
      const t = squash(N.data(ch));
      if (t) {
        const k = { role: 'text', text: t };
        if (F.c.clear || (F.apart && faint(F.el))) k.transparent = true;
        if (F.c.clip && cuts(F.c.clip)) k.clipped = true;
        textAt.set(k, ch);
        F.kids.push(k);
      }
      continue;
    }
    if (reusing && !F.deep && !stale.has(ch)) {
      const u = units.get(ch);
      if (u && sameContext(u.pc, F.c) && count + u.count <= cap) { reuse(u, F); continue; }
    }
    const G = enter(ch, F.c, owners.get(ch) === F.el);
    if (G) {
      G.deep = F.deep || deep.has(ch);
      G.unit.deep = G.deep;
      stack.push(G);
    }
  }
  if (late()) yield;
  const kids = tidy(R.kids);
  if (kids.length) rootNode.children = kids;
  if (idle) { R.unit = idle.unit; count = idle.count; cut = idle.cut; }
  if (walked) settleLooks(rootNode);
  const lw = lit && wantOf.get(lit);
  if (lw && stays(lw) && !lw.node.active && !lw.node.looks) lw.node.looks = 'highlighted';
  if (cut && !part) notes.push('The page has more than ' + cap + ' elements; the rest is not listed.');

  const strayed = (w) => stays(w) !== w.stayed;
  if (cut || shaken.some(strayed) || again.some(strayed)) same = false;
  let stay = same && lastTree.stay;
  if (!same) {
    stay = [];
    for (const w of members(R.unit)) { if ((w.stayed = stays(w))) stay.push(w); if (nodded()) yield; }
    unsettledAll = unlinkedAll = true;
    unsettled = []; unlinked = [];
  } else if (!idle) {
    if (!unsettledAll) unsettled.push(...again.filter(stays));
    if (!unlinkedAll) unlinked.push(...again);
  }
  const { regions: around, torn } = yield* moveBoxes(R.unit, vp, same ? null : stay, part ? 0 : 2);
  // The backdrop of a modal dialog lies over all, wherever the dialog is.
  const regions = modals.length === modalsSeen.length && modals.every((m, i) => m === modalsSeen[i]) ? around : null;
  modalsSeen = modals;
  // Nothing moved either, and what could cover something did not change.
  if (idle && movedAt !== walks && regions && !regions.length) { changesDone(cut || torn); return { ...idle, viewport: vp, notes, walked, quiet: true }; }
  // What is in view is tried, so many at most.
  if (!same || placedOtherwise === walks) {
    inView = [];
    for (const w of stay) {
      if (nodded()) yield;
      const n = w.node;
      if (!w.operable || w.area || inView.length >= 400 || n.offscreen || n.unreachable || n.clipped || n.pointer_none || w.role === 'option') { w.blocker = null; w.tried = false; } else inView.push(w);
    }
  }
  for (const w of inView) {
    if (tired()) yield;
    const n = w.node;
    if (w.tried && w.moved !== walks && !meets(regions, n.box)) continue;
    w.tried = true;
    const b = blocker(w.actOn || w.el, rectAt(w), clipNow(w.clip), vp);
    w.blocker = b && !(w.actOn && inFlat(b, w.el)) ? b : null;
  }
  changesDone(cut || torn);
  lastTree = { root: rootNode, unit: R.unit, stay, notes: [], viewport: vp, count, cut, cap, walked, of: part ? total : 0, lie: lie(), at: performance.now() };
  if (!part) counted = count;
  return { ...lastTree, notes, idle: Boolean(idle) };
}
