// What has to be walked again. A unit is what the walk found in one element:
// it stays valid until something that it rests on has changed. Changes come
// from mutations, from the live state of controls, from pseudo-classes that a
// style rule mentions, from animations and from the style sheets themselves.
// What can't be told apart is walked again: too much costs time, too little
// would make the tree untrue.
let units = new WeakMap();    // element -> unit
let everything = true;        // nothing may be reused
const stale = new Set();      // elements on the way to a change
const deep = new Set();       // elements below which nothing may be reused
const struck = new Set();     // elements that changed themselves, not only on the way

// While a walk rests, what it goes by stays as it is: later is for the next.
let walking = false, later = [];

// touch says that an element has to be walked again; what is in it need not.
function touch(el) {
  if (!el) return;
  if (walking) { later.push([el, false]); return; }
  struck.add(el);
  for (let p = el, i = 0; p && !stale.has(p) && i < 20000; p = flatParent(p), i++) stale.add(p);
}
// deepen says that an element has to be walked again with all that is in it.
function deepen(el) {
  if (walking) { later.push([el, true]); return; }
  touch(el);
  deep.add(el);
}

// unasked are the elements of which the browser has to be asked who listens, and
// whether they hide a shadow root: those that came since. null is all.
let unasked = null;
const UNASKED_MAX = 64;
function unknown(el) {
  if (unasked && unasked.push(el) > UNASKED_MAX) unasked = null;
}

let queue = [], lostRecords = false;
const arrived = new Set(); // elements that came from elsewhere
const QUEUE_MAX = 20000;
let quietSince = performance.now(), additions = 0;
let shape = 0; // changes with which other elements, or attributes, are there
// standing is what a selector finds in the document, found anew when it may have
// changed; for selectors that rest on elements and attributes alone.
const found = new Map();
function standing(key, selector) {
  let f = found.get(key);
  if (!f || f.shape !== shape) {
    f = { shape, list: [] };
    for (const root of key === 'owners' ? [document] : rootsNow()) for (const el of queryAll(root, selector)) f.list.push(el);
    found.set(key, f);
  }
  return f.list;
}
let elements = { shape: -1, n: 0 };
function elementCount() {
  if (elements.shape !== shape) elements = { shape, n: N.docQueryAll(document, '*').length };
  return elements.n;
}
// topLayer are the elements that may be drawn above all others.
function topLayer() {
  const out = standing('layers', 'dialog,[popover]').slice();
  const full = N.docFullscreen(document);
  if (full && !out.includes(full)) out.push(full);
  return out;
}
N.docFullscreen = getter(Document.prototype, 'fullscreenElement');
const watched = new WeakSet(), knownRoots = [];
const waiters = new Set();
const observer = new MutationObserver((records) => {
  keepRecords(records);
  for (const w of waiters) w();
});
function keepRecords(records) {
  if (!records.length) return;
  quietSince = performance.now();
  let added = false;
  const left = new Map(); // what went in these records, and where from
  for (const r of records) {
    if (r.type === 'attributes') shape++;
    for (const n of r.removedNodes) if (isElement(n)) { shape++; left.set(n, r.target); }
    for (const n of r.addedNodes) if (isElement(n)) {
      added = true;
      unknown(n);
      shape++;
      // What is only put elsewhere among its siblings was never out of sight;
      // what was, or comes to another place, may be anything now.
      if (left.get(n) !== r.target) arrived.add(n);
    }
  }
  if (added) additions++;
  if (queue.length + records.length > QUEUE_MAX) { queue = []; arrived.clear(); lostRecords = true; } else for (const r of records) queue.push(r);
}
function watch(root) {
  if (watched.has(root)) return;
  watched.add(root);
  shape++;
  if (root !== document) knownRoots.push(new WeakRef(root));
  if (root !== document) root.addEventListener('slotchange', () => deepen(N.host(root)), { passive: true });
  observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
}
// A document that is still parsed is not followed before somebody looks: of each
// node that comes there would be a record, and the first walk takes all anyway.
let following = false;
N.docReady = getter(Document.prototype, 'readyState');
function follow() {
  if (following) return;
  following = true;
  quietSince = performance.now();
  watch(document);
  for (const w of waiters) w();
}
if (N.docReady(document) === 'loading') addEventListener('DOMContentLoaded', follow, { capture: true, once: true }); else follow();
for (const type of ['load', 'error', 'toggle']) {
  addEventListener(type, (e) => { const t = e.composedPath()[0]; if (t instanceof Element) deepen(t); }, { capture: true, passive: true });
}

const rootsNow = () => {
  const out = [document];
  for (const r of knownRoots) { const root = r.deref(); if (root && N.connected(N.host(root))) out.push(root); }
  return out;
};

// Style facts: which kinds of change can reach beyond the element, by the rules
// that declare something which the walk reads.
const READ_PROPERTIES = /^(display|visibility|opacity|position|overflow|cursor|pointer-events|content|clip|all$|appearance|content-visibility|zoom|color|background|text-decoration|font-weight|font-size|filter|float|inset|top|left|right|bottom|transform|translate|scale|rotate|z-index|direction)/;
const DYNAMIC = [':hover', ':active', ':focus', ':focus-within', ':focus-visible', ':target', ':checked', ':indeterminate', ':valid', ':invalid', ':user-valid', ':user-invalid', ':in-range', ':out-of-range', ':required', ':placeholder-shown', ':autofill', ':default', ':disabled', ':enabled'];
const ALWAYS = [':popover-open', ':modal', ':fullscreen'];
let facts = null, sheetsSeen = [];
const TEXT_RULES = 400; // up to so many rules are compared by their text

function sheetList() {
  const out = [];
  for (const root of rootsNow()) {
    const top = N.type(root) === 9;
    for (const s of top ? N.docSheets(document) : N.rootSheets(root)) out.push(s);
    for (const s of top ? N.docAdopted(document) : N.rootAdopted(root)) out.push(s);
  }
  return out;
}
function rulesOf(sheet) { try { return sheet.cssRules; } catch { return null; } }

function sheetMarks(list) {
  const marks = [];
  let total = 0;
  for (const s of list) { const r = rulesOf(s); total += r ? r.length : 0; }
  for (const s of list) {
    const r = rulesOf(s);
    let text = '';
    if (r && total <= TEXT_RULES) for (const rule of r) text += rule.cssText;
    marks.push(s, s.disabled, r ? r.length : -1, r && r.length ? r[r.length - 1] : null, text, s.media ? s.media.mediaText : '');
  }
  return marks;
}
function readFacts(list) {
  const f = { has: false, sibling: false, structural: false, empty: false, container: false, dynamic: [], media: [], unknown: false };
  const dynamic = new Set(), media = new Set();
  let left = 50000;
  const read = (rules, above) => {
    for (const rule of rules) {
      if (left-- <= 0) { f.unknown = true; return; }
      let sel = above;
      if (rule.selectorText) {
        sel = above + ' ' + rule.selectorText;
        let matters = false;
        const st = rule.style;
        for (let i = 0; i < st.length && !matters; i++) matters = READ_PROPERTIES.test(st[i]) || st[i].startsWith('--');
        if (matters) selector(sel);
      }
      if (rule.conditionText !== undefined && rule instanceof CSSMediaRule) media.add(rule.conditionText);
      if (typeof CSSContainerRule === 'function' && rule instanceof CSSContainerRule) f.container = true;
      if (rule instanceof CSSImportRule) { if (rule.media) media.add(rule.media.mediaText); sheet(rule.styleSheet); }
      if (rule.cssRules && rule.cssRules.length) read(rule.cssRules, sel);
    }
  };
  const selector = (sel) => {
    const plain = sel.replace(/\[[^\]]*\]/g, '').replace(/:nth-[a-z-]+\([^)]*\)/g, ':nth-x');
    if (plain.includes(':has(')) f.has = true;
    if (/[+~]/.test(plain)) f.sibling = f.structural = true;
    if (/:(nth-|first-|last-|only-|empty)/.test(plain)) f.structural = true;
    if (plain.includes(':empty')) f.empty = true;
    if (/:nth-[a-z-]+\([^)]*\bof\b/.test(sel)) f.sibling = true;
    if (sel.includes(':defined')) dynamic.add(':not(:defined)');
    for (const s of sel.match(/:state\([^)]*\)/g) || []) dynamic.add(s);
    for (const d of DYNAMIC) if (!dynamic.has(d) && sel.includes(d)) dynamic.add(d);
  };
  const sheet = (s) => {
    if (!s || s.disabled) return;
    if (s.media && s.media.mediaText) media.add(s.media.mediaText);
    const r = rulesOf(s);
    if (r) read(r, ''); else f.unknown = true;
  };
  for (const s of list) sheet(s);
  if (f.unknown) { // a sheet of another origin keeps its rules to itself
    f.has = f.sibling = f.structural = f.empty = true;
    for (const d of DYNAMIC.slice(0, 8)) dynamic.add(d);
  }
  f.dynamic = [...dynamic, ...ALWAYS];
  f.media = Array.from(media).slice(0, 100);
  return f;
}

// The state of pseudo-classes, of the media and of controls, as last walked.
let pseudoSets = new Map();
let mediaSeen = '', focusSeen = null, litSeen = null;
const controls = new Set();
let controlSeen = new WeakMap();
let animated = new Set();

const CONTROL_TAGS = new Set(['input', 'select', 'textarea', 'details', 'dialog', 'progress', 'meter', 'output', 'option', 'video', 'audio']);
function controlState(el, tag) {
  let s = shadowOf(el) ? 's' : '';
  // A custom element whose own content stops painting got a shadow root, and a
  // closed one shows in nothing else.
  if (!s && tag.includes('-') && N.first(el)) {
    const range = N.newRange(document);
    N.rangeOver(range, el);
    const r = N.rangeRect(range);
    s = r.width > 0 && r.height > 0 ? 'p' : 'n';
  }
  if (tag === 'input') s += N.inputChecked(el) + '|' + N.inputMixed(el);
  if (VALUES.has(tag)) { const v = VALUES.get(tag)(el); s += '|' + (v.length < 200 ? v : hash(v)); }
  if (NUMBERS.has(tag)) s += '|' + NUMBERS.get(tag)(el);
  if (VALIDITY.has(tag)) { const v = VALIDITY.get(tag)(el); s += v && !v.valid ? '|' + MESSAGES.get(tag)(el) : ''; }
  if (tag === 'select') for (const o of N.selectOptions(el)) { if (N.optionSelected(o)) s += '|' + N.optionLabel(o); if (s.length > 2000) break; }
  return s;
}

// What may get a shadow root at any time, without any mutation; custom elements
// besides.
const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p', 'section', 'span']);
const HOSTING = [...HOSTS].join();

// styled says that an element's own style or state may have changed, and with
// it whatever rules reach from it.
function styled(el) {
  if (facts.has) { everything = true; return; }
  deepen(el);
  if (facts.sibling) { const p = flatParent(el); if (p) deepen(p); else everything = true; }
}
// neighbours touches what stands around: it decides whether a block is one of a repeated kind.
function neighbours(n) {
  for (const step of [N.prevElement, N.nextElement]) {
    let s = n;
    for (let i = 0; i < 4 && s; i++) { s = isElement(s) ? step(s) : null; if (s) touch(s); }
  }
}
const REACHING = new Set(['id', 'for', 'name', 'usemap', 'slot', 'aria-owns', 'dir', 'lang', 'form', 'list', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-errormessage', 'aria-details', 'rel', 'disabled']);

// pointed are labels, and elements that rest on others by an id: a description.
// labelable are those that a label can point at.
const pointed = new Set(), labelable = new Set();
function rests(set, el) { if (set.size < 50000) set.add(el); else everything = true; }
const named = (n) => isElement(n) && (N.has(n, 'id') || tagOf(n) === 'label' || tagOf(n) === 'map' || N.elQueryAll(n, '[id],label,map').length > 0);

const slots = (n) => isElement(n) && (tagOf(n) === 'slot' || N.elQueryAll(n, 'slot').length > 0);

function applyRecord(r) {
  let t = r.target;
  if (N.type(t) === 11) t = t instanceof ShadowRoot ? N.host(t) : null;
  else if (N.type(t) === 9) t = N.docElement(document);
  if (r.type === 'characterData') {
    let p = N.parent(t);
    if (p && N.type(p) === 11) p = p instanceof ShadowRoot ? N.host(p) : null;
    if (p) { if (facts.empty) styled(p); else touch(p); }
    return;
  }
  if (!t || !isElement(t)) { if (t) everything = true; return; }
  if (r.type === 'attributes') {
    if (t === N.docElement(document) || t === N.docBody(document) || REACHING.has(r.attributeName)) { everything = true; return; }
    styled(t);
    if (r.attributeName === 'class') neighbours(t);
    return;
  }
  touch(t);
  if (facts.has) { everything = true; return; }
  if (facts.empty) styled(t); // it may be empty now, or not any more
  // What is slotted where is decided by a host's children and the slots in it.
  // Of a row, what its header cells are for rests on all of its cells.
  if (facts.structural || shadowOf(t) || tagOf(t) === 'tr') deepen(t);
  const root = N.root(t);
  if (root instanceof ShadowRoot && [...r.addedNodes, ...r.removedNodes].some(slots)) deepen(N.host(root));
  for (const n of [r.previousSibling, r.nextSibling]) if (n && isElement(n)) { touch(n); neighbours(n); }
  let names = false;
  for (const n of r.addedNodes) {
    if (isElement(n)) { if (arrived.has(n)) deepen(n); else struck.add(n); }
    names = names || named(n);
  }
  for (const n of r.removedNodes) { if (isElement(n)) left(units.get(n)); names = names || named(n); }
  if (names) for (const set of [pointed, labelable]) for (const el of set) touch(el);
}
// gone is where elements were that are not shown any more; null is anywhere, for
// what is in an element may lie outside of it.
let gone = [];
function left(unit) {
  if (unit && unit.odd) gone = null; else if (unit && unit.geo && gone) gone.push(unit.geo);
}

// takeChanges brings stale, deep and everything up to date.
function* takeChanges(active, lit) {
  keepRecords(observer.takeRecords());
  const list = sheetList(), marks = sheetMarks(list);
  if (!facts || marks.length !== sheetsSeen.length || marks.some((m, i) => m !== sheetsSeen[i])) {
    facts = readFacts(list);
    sheetsSeen = marks;
    everything = true;
  }
  const media = [innerWidth, innerHeight, devicePixelRatio, ...facts.media.map((m) => matchMedia(m).matches)].join();
  if (media !== mediaSeen) { mediaSeen = media; everything = true; }
  if (lostRecords || facts.container) { lostRecords = false; everything = true; }
  const records = queue, between = later;
  queue = [];
  later = [];
  for (const [el, all] of between) if (all) deepen(el); else touch(el);
  if (!everything) for (const r of records) { applyRecord(r); if (everything) break; }
  arrived.clear();
  if (active !== focusSeen) { if (focusSeen && N.connected(focusSeen)) touch(focusSeen); if (active) touch(active); focusSeen = active; }
  if (lit !== litSeen) { if (litSeen && N.connected(litSeen)) touch(litSeen); if (lit) touch(lit); litSeen = lit; }
  const sets = new Map();
  const some = N.docFullscreen(document) || topLayer().some((el) => N.matches(el, ':modal,:popover-open'));
  for (const p of facts.dynamic) {
    if (late()) yield;
    if (!some && ALWAYS.includes(p)) { const old = pseudoSets.get(p); if (old && !everything) for (const el of old) if (N.connected(el)) styled(el); sets.set(p, new Set()); continue; }
    const set = new Set();
    for (const root of rootsNow()) try { for (const el of queryAll(root, p)) set.add(el); } catch { /* not known here */ }
    sets.set(p, set);
    const old = pseudoSets.get(p);
    if (!everything && old) {
      for (const el of set) if (!old.has(el)) styled(el);
      for (const el of old) if (!set.has(el) && N.connected(el)) styled(el);
    }
  }
  pseudoSets = sets;
  for (const el of controls) {
    if (tired()) yield;
    if (!N.connected(el)) { controls.delete(el); continue; }
    const s = controlState(el, tagOf(el));
    const was = controlSeen.get(el);
    if (was === s) continue;
    controlSeen.set(el, s);
    if (was !== undefined && tagOf(el).includes('-')) { asked.delete(el); unknown(el); additions++; } // ask the browser again
    if (!everything) styled(el);
  }
  for (const el of standing('hosts', HOSTING)) {
    if (nodded()) yield;
    const inner = N.shadow(el);
    if (inner && !watched.has(inner)) { watch(inner); if (!everything) deepen(el); }
  }
  const moving = new Set();
  for (const root of rootsNow()) for (const a of root === document ? N.animations(root) : N.rootAnimations(root)) { const t = a.effect && a.effect.target; if (t) moving.add(t); }
  if (!everything) { for (const el of moving) deepen(el); for (const el of animated) if (!moving.has(el) && N.connected(el)) deepen(el); }
  animated = moving;
  if (stale.size) for (const el of pointed) {
    if (!N.connected(el)) { pointed.delete(el); continue; }
    if (nodded()) yield;
    for (const t of restsOn(el)) if (stale.has(t) || deepAbove(t)) { touch(el); break; }
    const ctl = tagOf(el) === 'label' && N.labelControl(el);
    if (ctl && (stale.has(el) || deepAbove(el))) touch(ctl);
  }
  if (!everything && stale.size) for (const el of stated) {
    if (!N.connected(el)) stated.delete(el); else if (kin(el).some((o) => stale.has(o))) touch(el);
    if (nodded()) yield;
  }
  if (!everything) for (const c of worded) {
    if (tired()) yield;
    if (!N.connected(c.el) || clips.get(c.el) !== c) worded.delete(c);
    else if (cutOff(clipNow(c).rect) !== c.cut) deepen(c.el);
  }
  if (everything) { worded.clear(); stated.clear(); }
  if (everything) { units = new WeakMap(); controls.clear(); controlSeen = new WeakMap(); pointed.clear(); labelable.clear(); }
}
N.animations = uncurry(Document.prototype.getAnimations);
N.rootAnimations = uncurry(ShadowRoot.prototype.getAnimations);
function deepAbove(el) {
  if (!deep.size && !struck.size) return false;
  for (let p = el, i = 0; p && i < 5000; p = flatParent(p), i++) if (deep.has(p) || struck.has(p)) return true;
  return false;
}
function restsOn(el) {
  const out = [];
  const tag = tagOf(el);
  for (const list of [N.labelledBy(el), N.describedBy(el), N.controls(el), N.errorMessage(el), labelsOf(el, tag)]) if (list) for (const t of list) out.push(t);
  if (tag === 'label') { const c = N.labelControl(el); if (c) out.push(c); }
  return out;
}
N.errorMessage = Object.getOwnPropertyDescriptor(Element.prototype, 'ariaErrorMessageElements') ? getter(Element.prototype, 'ariaErrorMessageElements') : () => null;
const POINTING = ['aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-errormessage'];
function pointing(el, tag) { return tag === 'label' || N.hasAny(el) && POINTING.some((a) => N.has(el, a)); }

// changesDone says that the walk has taken the changes in.
function changesDone(anew) {
  walking = false;
  stale.clear(); deep.clear(); struck.clear();
  gone = [];
  everything = anew;
}
