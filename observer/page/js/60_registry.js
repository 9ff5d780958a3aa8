// The registry: element <-> ref, for the life of the document. A ref is handed
// out once; it means its element, an equivalent that replaced it, or nothing.
const byRef = new Map();      // ref -> entry
const byEl = new WeakMap();   // element -> entry
let walks = 0;
let settles = 0; // walks whose elements were matched with the registry
let localCounter = 0;
const bytes = crypto.getRandomValues(new Uint32Array(3));
const docID = Array.from(bytes, (b) => b.toString(36)).join('');

const marked = new WeakSet(); // elements with a click-like listener, from outside

const elementOf = (entry) => { const el = entry.el.deref(); return el && N.connected(el) && N.ownerDocument(el) === document ? el : null; };
N.ownerDocument = getter(Node.prototype, 'ownerDocument');

// rowKey says what a repeated thing (row, list item, card) is about: its data
// id, else its first words. Counts in brackets don't matter.
const KEY_ATTRS = ['data-id', 'data-key', 'data-row-id', 'data-row-key', 'data-item-id', 'data-uuid'];
function rowKey(el) {
  if (N.hasAny(el)) for (const a of KEY_ATTRS) { const v = N.attr(el, a); if (v) return a + '=' + clip(v, 80); }
  let run = '', out = '', seen = 0, done = false;
  const flush = () => {
    const t = line(run);
    run = '';
    if (!/[\p{L}\p{N}]/u.test(t)) return;
    out += (out ? ' ' : '') + t;
    // A bare number may only be a line number: take the next words too.
    if (/\p{L}/u.test(t) || out !== t) done = true;
  };
  const visit = (n, depth) => {
    if (depth > 40) return;
    for (const c of flatChildren(n, tagOf(n))) {
      if (done || seen++ > 200) return;
      if (!isElement(c)) { run += N.data(c); continue; }
      flush();
      const t = tagOf(c);
      if (done || HIDDEN_TAGS.has(t) || t === 'input' || t === 'select' || t === 'textarea') continue;
      visit(c, depth + 1);
      flush();
    }
  };
  visit(el, 0);
  if (!done) flush();
  return clip(sameness(out), 80);
}
// A repeated block without any role: a div among at least three of its kind.
const BLOCKS = new Set(['div', 'li', 'section', 'article', 'tr']);
const classOf = (el) => N.attr(el, 'class') || '';
function rowLike(el, tag, role) {
  if (ROWLIKE.has(role)) return true;
  if (role || tag !== 'div') return false;
  const c = classOf(el);
  if (!c) return false;
  let same = 0;
  for (const from of ['prev', 'next']) {
    let s = el;
    for (let i = 0; i < 3; i++) {
      s = from === 'prev' ? N.prevElement(s) : N.nextElement(s);
      if (!s || tagOf(s) !== tag || classOf(s) !== c) break;
      same++;
    }
  }
  return same >= 3;
}
N.prevElement = getter(Element.prototype, 'previousElementSibling');
N.nextElement = getter(Element.prototype, 'nextElementSibling');

function keyOf(el) {
  if (!N.hasAny(el)) return '';
  const id = N.attr(el, 'id');
  if (id) return 'id=' + clip(line(id), 100);
  const t = N.attr(el, 'data-testid') || N.attr(el, 'data-test') || N.attr(el, 'data-qa');
  if (t) return 'testid=' + clip(line(t), 100);
  const n = N.attr(el, 'name');
  if (n) return 'name=' + clip(line(n), 100);
  return '';
}

// aroundOf is the first words of the nearest container that says more than the
// element itself: what tells it from its like elsewhere, where no row does.
const AROUND_UP = 6;
let arounds = new Map(); // element -> rowKey, in one settling
function aroundOf(w) {
  if (w.row !== undefined || w.key.startsWith('id=')) return '';
  const own = sameness(w.name);
  for (let p = flatParent(w.el), i = 0; p && i < AROUND_UP; p = flatParent(p), i++) {
    let k = arounds.get(p);
    if (k === undefined) arounds.set(p, k = rowKey(p));
    if (k && k !== own) return k;
  }
  return '';
}

function bind(entry, el, w, walk) {
  entry.walk = walk;
  if (entry.want === w && entry.ord === w.ord && entry.count === w.count) return; // as before
  entry.want = w;
  w.entry = entry;
  entry.el = new WeakRef(el);
  entry.role = w.role; entry.name = w.name; entry.key = w.key; entry.sig = w.sig; entry.ord = w.ord; entry.count = w.count;
  entry.rowEl = w.rowEl ? new WeakRef(w.rowEl) : null; entry.row = w.row; entry.parentSig = w.parentSig;
  entry.actOn = w.actOn ? new WeakRef(w.actOn) : null;
  entry.form = w.form ? { el: new WeakRef(w.form.el), sig: formSig(w.form) } : null;
  entry.filled = w.filled;
  entry.around = aroundOf(w);
  byEl.set(el, entry);
}

// formSig says what a form is for: where it sends what, under which heading.
function formSig(f) {
  if (f.sig) return f.sig;
  const h = N.elQueryAll(f.el, 'h1,h2,h3,h4,h5,h6,legend,[role=heading]')[0];
  return f.sig = [N.attr(f.el, 'action') || '', N.attr(f.el, 'method') || '', N.attr(f.el, 'aria-label') || '', h ? clip(sameness(line(N.text(h))), 100) : ''].join('|') || '|';
}
// newForms tells forms that came in the place of others from those that were
// only rendered again: another purpose, or what was filled in is gone.
function newForms(wanted) {
  const filled = new Set();
  for (const e of byRef.values()) if (!e.dead && e.form && e.filled && !elementOf(e)) filled.add(e.form.sig + '|' + e.role + '|' + sameness(e.name));
  const emptied = new Set();
  if (filled.size) for (const w of wanted) if (w.form && !w.filled && filled.has(formSig(w.form) + '|' + w.role + '|' + sameness(w.name))) emptied.add(w.form.el);
  return (e, w) => {
    if (!e.form || !w.form) return Boolean(e.form) !== Boolean(w.form);
    if (e.form.el.deref() === w.form.el) return false;
    return e.form.sig !== formSig(w.form) || emptied.has(w.form.el);
  };
}

const DATED = /\b(19|20)\d\d\b/;
// recycledBy: does the same element now stand for another thing?
function recycledBy(entry, w) {
  if (entry.row !== undefined && w.row !== undefined && entry.row !== w.row) {
    const r = entry.rowEl && entry.rowEl.deref();
    if (r === w.rowEl && entry.row !== '' ) return true;
  }
  // A calendar's day cell: the same box, another date.
  if (entry.name !== w.name && DATED.test(entry.name) && DATED.test(w.name) && entry.name.match(/\d+/g).join() !== (w.name.match(/\d+/g) || []).join() && (w.role === 'gridcell' || w.role === 'button')) return true;
  return false;
}

// knownAlready is the quick way where no element is new and none stands for
// another thing: every ref stays where it is.
function* knownAlready(wanted) {
  for (const w of wanted) {
    if (nodded()) yield;
    if (w.entry) continue;
    const e = byEl.get(w.el);
    if (!e || e.dead || e.sig !== w.sig || recycledBy(e, w)) return false;
  }
  for (const w of wanted) {
    if (nodded()) yield;
    let e = w.entry;
    if (!e) {
      e = byEl.get(w.el);
      w.ord = e.ord;
      w.count = e.count;
      bind(e, w.el, w, settles);
      w.ref = e.ref;
    }
    e.walk = settles;
  }
  return true;
}

// settle matches the walk's wanted elements with the registry: known elements
// keep their refs, equivalents of vanished ones inherit them, the rest waits.
function* settleRefs(wanted) {
  const some = unsettledAll ? null : unsettled;
  unsettled = [];
  unsettledAll = false;
  arounds = new Map();
  if (some && (yield* knownAlready(some))) return NOTHING;
  settles++;
  if (!some && (yield* knownAlready(wanted))) return NOTHING;
  const walk = settles;
  const counts = new Map();
  for (const w of wanted) {
    if (nodded()) yield;
    const c = counts.get(w.sig) || 0;
    w.ord = c;
    counts.set(w.sig, c + 1);
  }
  const fresh = [];
  const rebound = [], recycled = [];
  for (const w of wanted) {
    if (tired()) yield;
    w.count = counts.get(w.sig);
    const e = byEl.get(w.el);
    if (!e) { fresh.push(w); continue; }
    if (recycledBy(e, w)) {
      e.dead = 'recycled';
      if (w.entry === e) w.entry = null;
      e.now = { role: w.role, name: w.name };
      byEl.delete(w.el);
      recycled.push(e.ref);
      fresh.push(w);
      continue;
    }
    bind(e, w.el, w, walk);
    w.ref = e.ref;
  }
  let waiting = fresh;
  if (fresh.length && byRef.size) {
    const keys = new Map(), sigs = new Map();
    for (const e of byRef.values()) {
      if (nodded()) yield;
      if (e.dead || elementOf(e)) continue;
      if (e.key) { const k = e.key + '|' + e.role; keys.set(k, keys.has(k) ? null : e); }
      if (e.walk >= walk - 1) sigs.set(e.sig + '|' + e.ord, e);
    }
    if (keys.size || sigs.size) {
      const freshKeys = new Map();
      for (const w of wanted) if (w.key) { const k = w.key + '|' + w.role; freshKeys.set(k, (freshKeys.get(k) || 0) + 1); }
      waiting = [];
      const otherForm = newForms(wanted);
      for (const w of fresh) {
        if (tired()) yield;
        let e = null;
        if (w.key && freshKeys.get(w.key + '|' + w.role) === 1) e = keys.get(w.key + '|' + w.role) || null;
        // An id may be reused for another thing of the row or of the page.
        if (e && ((e.row !== undefined && w.row !== undefined && e.row !== w.row) || (e.name && w.name && sameness(e.name) !== sameness(w.name)))) e = null;
        if (!e) {
          e = sigs.get(w.sig + '|' + w.ord) || null;
          // Among equals without a key the place decides, and only while
          // their number is the same.
          if (e && (e.count !== w.count || (e.key && w.key && e.key !== w.key) || (e.row || '') !== (w.row || ''))) e = null;
        }
        if (e && (otherForm(e, w) || e.around !== aroundOf(w))) e = null;
        if (e && !e.taken) {
          e.taken = true;
          bind(e, w.el, w, walk);
          e.rebinds = (e.rebinds || 0) + 1;
          w.ref = e.ref;
          rebound.push(e.ref);
        } else waiting.push(w);
      }
      for (const r of rebound) byRef.get(r).taken = false;
    }
  }
  unsettledAll = waiting.length > 0; // until they have refs
  return { waiting, rebound, recycled };
}

// giveRefs hands refs to elements that have none: numbers from start on, or in
// a child frame its own.
function* giveRefs(list, prefix, start) {
  arounds = new Map();
  for (const w of list) {
    if (tired()) yield;
    const ref = prefix + (start > 0 ? start++ : ++localCounter);
    const e = { ref, born: settles };
    bind(e, w.el, w, settles);
    byRef.set(ref, e);
    w.ref = ref;
  }
  unsettledAll = false;
}
