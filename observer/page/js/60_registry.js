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
function containerOf(w) {
  const own = sameness(w.name);
  for (let p = flatParent(w.el), i = 0; p && i < AROUND_UP; p = flatParent(p), i++) {
    let k = arounds.get(p);
    if (k === undefined) arounds.set(p, k = rowKey(p));
    if (k && k !== own) return p;
  }
  return null;
}
function aroundOf(w) {
  if (w.row !== undefined || w.key.startsWith('id=')) return '';
  const p = containerOf(w);
  return p ? arounds.get(p) : '';
}

// wordsIn are the words in an element, piece by piece, without those of its
// controls, which may say what state they are in.
const WORDS_MAX = 400; // nodes
function wordsIn(el, max = Infinity) {
  const out = [];
  let run = '', seen = 0;
  const flush = () => {
    const t = sameness(line(run));
    run = '';
    if (/[\p{L}\p{N}]/u.test(t)) out.push(clip(t, 200));
  };
  const visit = (n, depth) => {
    if (depth > 40) return;
    for (const c of flatChildren(n, tagOf(n))) {
      if (out.length >= max || seen++ > WORDS_MAX) return;
      if (!isElement(c)) { run += N.data(c); continue; }
      flush();
      const t = tagOf(c);
      if (HIDDEN_TAGS.has(t)) continue;
      const r = roleOf(c, t);
      if (r === 'link' || !WIDGETS.has(r)) visit(c, depth + 1);
      flush();
    }
  };
  visit(el, 0);
  flush();
  return out;
}
// read is wordsIn for what was walked, read once as long as it says the same.
const reads = new WeakMap();
function read(el) {
  const unit = units.get(el);
  let r = reads.get(el);
  if (r && r.unit === unit && (unit || r.at === settles)) return r;
  const words = wordsIn(el);
  reads.set(el, r = { unit, at: settles, words, sum: hash(words.join('|')) });
  return r;
}

// What tells an element from its likes (same place, role and name), by the first
// of these ways that sets most of them apart: their containers' first words, all
// words of their containers or rows, their own attributes, the last two together.
const TELLING = ['href', 'xlink:href', 'formaction', 'title', 'src', 'onclick', ...KEY_ATTRS];
const VALUED = new Set(['button', 'radio', 'checkbox', 'option']);
function placeWords(w) {
  const p = w.rowEl || containerOf(w);
  return p ? read(p).sum : '';
}
function attributes(w) {
  if (!N.hasAny(w.el)) return '';
  let s = '';
  for (const a of TELLING) s += '|' + (N.attr(w.el, a) ?? '');
  return VALUED.has(w.role) ? s + '|' + (N.attr(w.el, 'value') ?? '') : s;
}
const WAYS = [aroundOf, placeWords, attributes, (w) => placeWords(w) + '|' + attributes(w)];
const tellBy = (way, w) => way + hash(WAYS[way](w));

// tellers are the elements that what tells likes apart was read from; retold
// says that one of them was walked again.
let tellers = new WeakSet(), retold = false;
function tellApart(likes, rows) {
  let tells = [], kinds = 1;
  for (let way = 0; way < WAYS.length && kinds < likes.length; way++) {
    const by = likes.map((w) => tellBy(way, w)), n = new Set(by).size;
    if (n > kinds) { tells = by; kinds = n; }
  }
  if (kinds > 1) likes.forEach((w, i) => {
    w.tell = tells[i];
    const p = w.rowEl || containerOf(w);
    if (p && w.tell[0] !== '2') tellers.add(p);
    tellers.add(w.el);
  });
  // Of rows that are alike: the words that no other one has.
  if (!likes.every((w) => w.rowEl) || likes.every((w) => w.rowEl === likes[0].rowEl)) return;
  if (!likes.every((w) => rows.has(w.rowEl))) {
    const counts = new Map(), alike = new Set(likes.map((w) => w.rowEl));
    for (const r of alike) for (const t of new Set(read(r).words)) counts.set(t, (counts.get(t) || 0) + 1);
    for (const r of alike) rows.set(r, read(r).words.filter((t) => counts.get(t) === 1));
  }
  for (const w of likes) w.own = rows.get(w.rowEl);
}
// tookOver are those of the elements that say now what their like said before,
// which says it no more: texts or targets were swapped in place.
function tookOver(wanted) {
  const now = new Set();
  const turned = wanted.filter((w) => { const e = byEl.get(w.el); return e && e.tell && w.tell && e.tell !== w.tell && e.sig === w.sig; });
  if (!turned.length) return now;
  const were = new Map();
  for (const e of byRef.values()) if (!e.dead && e.tell) were.set(e.sig + '|' + e.tell, e);
  for (const w of turned) {
    const o = were.get(w.sig + '|' + w.tell), el = o && elementOf(o), ow = el && wantOf.get(el);
    if (o && o !== byEl.get(w.el) && !(ow && ow.tell === o.tell)) now.add(w);
  }
  return now;
}

// A dialog asks something: its heading and description, and where it has nothing
// to fill in, all its words are part of what its buttons mean.
const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]';
let asking = new Map(); // dialog -> what it asks, in one settling
function dialogSig(w) {
  const d = N.closest(w.el, DIALOGS);
  if (!d) return '';
  let s = asking.get(d);
  if (s === undefined) {
    if (!N.elQueryAll(d, 'input,select,textarea,[contenteditable]').length) s = wordsIn(d).join('|');
    else {
      const h = N.elQueryAll(d, 'h1,h2,h3,h4,h5,h6,legend,[role=heading]')[0];
      s = (h ? sameness(line(N.text(h))) : '') + '|' + descriptionOf(d, '', '');
    }
    asking.set(d, s = hash(s));
  }
  return s;
}

// An id says that an element is the same to the page: counts, states and
// messages around it may change. But where the words beside a button have nothing
// in common with those before, the button is for something else. A form says so
// by itself, and fields have labels.
const PRESSED = new Set(['button', 'link', 'menuitem']);
const BESIDE_UP = 2;
let besides = new Map(); // element -> its first words, in one settling
function besideOf(w) {
  if (w.row !== undefined || w.form || !w.key.startsWith('id=') || !PRESSED.has(w.role)) return '';
  const own = sameness(w.name);
  for (let p = flatParent(w.el), i = 0; p && i < BESIDE_UP; p = flatParent(p), i++) {
    let k = besides.get(p);
    if (k === undefined) besides.set(p, k = wordsIn(p, 1)[0] || '');
    if (k && k !== own) return k;
  }
  return '';
}
function unrelated(a, b) {
  const said = new Set(a.match(/\p{L}+/gu)), now = b.match(/\p{L}+/gu);
  return said.size > 0 && now !== null && !now.some((t) => said.has(t));
}
function newSettling() { arounds = new Map(); asking = new Map(); besides = new Map(); }

function bind(entry, el, w, walk) {
  entry.walk = walk;
  entry.tell = w.tell; entry.own = w.own;
  if (entry.want === w && entry.ord === w.ord && entry.count === w.count) return; // as before
  entry.want = w;
  w.entry = entry;
  entry.el = new WeakRef(el);
  entry.role = w.role; entry.name = w.name; entry.key = w.key; entry.sig = w.sig; entry.ord = w.ord; entry.count = w.count;
  entry.rowEl = w.rowEl ? new WeakRef(w.rowEl) : null; entry.row = w.row; entry.parentSig = w.parentSig;
  entry.actOn = w.actOn ? new WeakRef(w.actOn) : null;
  entry.form = w.form ? { el: new WeakRef(w.form.el), sig: formSig(w.form) } : null;
  entry.filled = w.filled;
  entry.around = aroundOf(w); entry.beside = besideOf(w); entry.dialog = dialogSig(w);
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
  // One of several rows that begin alike: most of what it alone said is gone.
  if (entry.own && entry.own.length && w.rowEl && entry.rowEl && entry.rowEl.deref() === w.rowEl) {
    const now = new Set(read(w.rowEl).words);
    if (entry.own.filter((t) => now.has(t)).length * 2 < entry.own.length) return true;
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
      w.ord = e.ord; w.count = e.count; w.tell = e.tell; w.own = e.own;
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
  newSettling();
  const told = retold;
  retold = false;
  if (some && !told && (yield* knownAlready(some))) return NOTHING;
  settles++;
  if (!some && !told && (yield* knownAlready(wanted))) return NOTHING;
  const walk = settles;
  const counts = new Map(), alike = new Map(), rows = new Map();
  for (const w of wanted) {
    if (nodded()) yield;
    const c = counts.get(w.sig) || 0;
    w.ord = c;
    w.tell = ''; w.own = undefined;
    counts.set(w.sig, c + 1);
    if (c) { const l = alike.get(w.sig); if (l) l.push(w); else alike.set(w.sig, [w]); }
  }
  if (alike.size) for (const w of wanted) if (w.ord === 0 && alike.has(w.sig)) alike.get(w.sig).unshift(w);
  tellers = new WeakSet();
  for (const likes of alike.values()) {
    if (tired()) yield;
    tellApart(likes, rows);
  }
  const taken = tookOver(wanted);
  const fresh = [];
  const rebound = [], recycled = [];
  for (const w of wanted) {
    if (tired()) yield;
    w.count = counts.get(w.sig);
    const e = byEl.get(w.el);
    if (!e) { fresh.push(w); continue; }
    if (taken.has(w) || recycledBy(e, w)) {
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
    const keys = new Map(), sigs = new Map(), ways = new Map(), tells = new Map();
    for (const e of byRef.values()) {
      if (nodded()) yield;
      if (e.dead || elementOf(e)) continue;
      if (e.key) { const k = e.key + '|' + e.role; keys.set(k, keys.has(k) ? null : e); }
      if (e.walk < walk - 1) continue;
      if (!e.tell) { sigs.set(e.sig + '|' + e.ord, e); continue; }
      ways.set(e.sig, +e.tell[0]);
      const k = e.sig + '|' + e.tell, l = tells.get(k);
      if (l) l.push(e); else tells.set(k, [e]);
    }
    for (const l of tells.values()) l.sort((a, b) => a.ord - b.ord);
    // Likes that were told apart are known by the same again.
    const told = new Map(); // how many there are of each
    if (ways.size) for (const w of fresh) {
      if (tired()) yield;
      if (!ways.has(w.sig)) continue;
      const k = w.sig + '|' + tellBy(ways.get(w.sig), w);
      w.told = k;
      w.nth = told.get(k) || 0;
      told.set(k, w.nth + 1);
    }
    if (keys.size || sigs.size || tells.size) {
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
          // Among equals without a key the place decides, and only while
          // their number is the same.
          if (ways.has(w.sig)) {
            const then = tells.get(w.told), now = told.get(w.told);
            e = then && then.length === now ? then[w.nth] : null;
          } else {
            e = sigs.get(w.sig + '|' + w.ord) || null;
            if (e && (e.count !== w.count || w.tell)) e = null;
          }
          if (e && ((e.key && w.key && e.key !== w.key) || (e.row || '') !== (w.row || ''))) e = null;
        }
        if (e && (otherForm(e, w) || e.around !== aroundOf(w) || unrelated(e.beside, besideOf(w)) || e.dialog !== dialogSig(w))) e = null;
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
  newSettling();
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
