// The interface: globalThis.__quartet.

// change resolves to true with the next change of the DOM, to false after ms.
function change(ms) {
  follow();
  return new Promise((resolve) => {
    const done = (did) => { clearTimeout(timer); waiters.delete(seen); resolve(did); };
    const seen = () => done(true);
    const timer = setTimeout(() => done(false), ms);
    waiters.add(seen);
  });
}
const RESTLESS = '{"restless":true}';
function calm(ms) {
  keepRecords(observer.takeRecords());
  return following && performance.now() - quietSince >= ms;
}
// quiet resolves to true when nothing changed for ms, false at max.
function quiet(ms, max) {
  const start = performance.now();
  return new Promise((resolve) => {
    let timer = 0;
    const check = () => {
      clearTimeout(timer);
      const now = performance.now();
      const still = following && now - quietSince >= ms && now - start >= Math.min(ms, 1);
      if (still || now - start >= max) { waiters.delete(check); resolve(still); return; }
      const next = following ? quietSince + ms : Infinity; // follow tells when it begins
      timer = setTimeout(check, Math.max(1, Math.min(next, start + max) - now));
    };
    waiters.add(check);
    check();
  });
}

const asked = new WeakMap();
// suspects lists elements that may host a closed shadow root: custom elements,
// and hosts that paint without content. Each is named a few times only.
function* suspects(max, all) {
  const out = [];
  for (const root of yield* roots(all ? null : unasked, 2000)) {
    if (N.type(root) !== 1) watch(root);
    let left = partial() || Infinity;
    for (const el of below(root)) {
      if (tired()) yield;
      if (left-- <= 0) break;
      if (shadowOf(el) || !isHTML(el)) continue;
      const tag = N.local(el), custom = tag.includes('-');
      if (!custom && (N.first(el) !== null || !HOSTS.has(tag))) continue;
      const times = asked.get(el) || 0;
      if (times >= (custom ? 4 : 2)) continue;
      if (!custom) { const r = N.rect(el); if (r.width < 8 || r.height < 8) continue; }
      asked.set(el, times + 1);
      out.push(el);
      if (out.length >= max) return out;
    }
  }
  return out;
}
// roots are where to ask: from, or the document, and the shadow roots in it, open
// ones and those handed in.
function* roots(from, max) {
  const out = from ? from.filter(N.connected) : [document];
  for (let i = 0; i < out.length; i++) {
    let left = partial() || Infinity;
    for (const el of below(out[i])) {
      if (tired()) yield;
      if (left-- <= 0) break;
      const root = shadowOf(el);
      if (root && out.length < max) out.push(root);
    }
  }
  return out;
}
// partial is how many elements were walked where it was only the first ones, else 0.
const partial = () => lastTree && lastTree.of ? lastTree.cap : 0;
const below = (root) => N.type(root) === 1 ? [root, ...N.elQueryAll(root, '*')] : queryAll(root, '*');

let owing = 0; // elements that wait for a ref
const NOTHING = { waiting: [], rebound: [], recycled: [] };
// What came of refs in walks whose answer was only that refs are needed.
const owed = { rebound: [], recycled: [] };

const CLICKS = new Set(['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'dblclick', 'touchstart', 'touchend']);

const publicAPI = {
  version: 1,
  doc: docID,

  // prep says how far the document is, for asking the browser about it: with
  // suspects and listening, which name where to ask.
  prep() {
    follow();
    keepRecords(observer.takeRecords());
    return { doc: docID, additions, age: performance.now(), part: partial() > 0 };
  },
  suspects: (max, all) => inSlices(suspects(max, all), SLICE),
  listening(all) {
    const from = all ? null : unasked;
    unasked = [];
    return inSlices(roots(from, 200), SLICE);
  },
  adopt(host, root) {
    if (!(root instanceof ShadowRoot) || N.shadow(host)) return false;
    adopted.set(host, root);
    watch(root);
    deepen(host);
    return true;
  },
  mark(el, events) {
    if (N.type(el) !== 1 || marked.has(el) || !events.some((e) => CLICKS.has(e))) return false;
    marked.add(el);
    touch(el);
    return true;
  },

  // walk resolves to JSON text: what a reader that knows the walk opts.since of
  // this document needs, or need, the number of refs that opts.refs must bring.
  // opts.slice is for how many milliseconds at once the page is held up.
  // Of a long text it is the first piece; piece has the others.
  // A walk that takes long answers that it is working; result asks again. No
  // answer at all means that the page is busy with something else.
  // With opts.calm it answers that the page is restless, and walks nothing, when
  // the DOM changed within so many milliseconds.
  walk: (opts) => opts.calm > 0 && !calm(opts.calm) ? RESTLESS : started(answer(opts), opts.slice || SLICE),
  result: (key) => { const p = pending.get(key); return p ? outcome(key, p) : '{}'; },
  piece(key, at) {
    const text = texts.get(key) || '';
    let end = Math.min(text.length, at + PIECE);
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1])) end--; // a pair stays together
    if (end >= text.length) texts.delete(key);
    return { text: text.slice(at, end), size: end - at };
  },

  el(ref) {
    const e = byRef.get(ref);
    if (!e || e.dead) return null;
    let el = elementOf(e);
    if (!el || untold(e)) { refresh(); el = e.dead ? null : elementOf(e); }
    return el && !staleRow(e, el) ? el : null;
  },
  // actEl is the element that input goes to: the label of a hidden control.
  actEl(ref) {
    const el = publicAPI.el(ref);
    if (!el) return null;
    return handleOf(el, tagOf(el), styleOf1(el).display === 'none') || el;
  },
  status(ref) {
    const e = byRef.get(ref);
    if (!e) return { status: 'unknown' };
    const was = { ref, role: e.role, name: e.name };
    if (e.dead) return { status: e.dead, ...was, now: e.now };
    let el = elementOf(e), rebound = false, waiting = [];
    if (el && untold(e)) { refresh(); if (e.dead) return publicAPI.status(ref); el = elementOf(e); }
    if (!el) { waiting = refresh(); el = elementOf(e); rebound = !!el; }
    if (!el) {
      const r = successor(e, waiting);
      return r ? { status: 'replaced', ...was, now: r } : { status: 'removed', ...was };
    }
    if (e.dead || staleRow(e, el)) return { status: 'recycled', ...was, now: e.now || { role: e.role, name: current(el) } };
    return { status: 'ok', ...was, name: current(el), rebound };
  },
  info(ref) {
    const el = publicAPI.el(ref);
    if (!el) return null;
    const e = byRef.get(ref), tag = tagOf(el);
    const handle = publicAPI.actEl(ref);
    const r = rectOf(handle);
    return { ref, role: e.role, name: current(el), tag, input_type: tag === 'input' ? N.inputType(el) : undefined, key: e.key || undefined, box: box(r), actOn: handle === el ? undefined : { tag: tagOf(handle), text: contentOf(handle, tagOf(handle)) }, masked: isSecret(el, tag) || undefined };
  },
  // placed is where the element was last seen to lie, and for how many
  // milliseconds it has been seen nowhere else; null when that is not known.
  placed(ref) {
    const e = byRef.get(ref), el = e && elementOf(e), w = el && shownAs(el);
    if (!w || w.area || w.placed < 0) return null;
    const { left, top, width, height } = rectAt(w);
    return { left, top, width, height, age: performance.now() - w.since };
  },
  refOf(el) { const e = el && byEl.get(el); return e && !e.dead ? e.ref : null; },
  quiet,
  change,
};

// Handing over a long text holds the page up as well: it goes in pieces. The
// first says under which key the others are, and how long all of it is.
const PIECE = 1 << 20, TEXTS_MAX = 4;
const texts = new Map();
let lastText = 0;
function first(text) {
  if (texts.size >= TEXTS_MAX) texts.delete(texts.keys().next().value); // its reader is gone
  texts.set(++lastText, text);
  return JSON.stringify({ pieces: lastText, size: text.length });
}

// answer makes the text of a walk. What changed while it rested is walked again,
// but not for ever: a page that always changes is a moment behind.
const PASSES = 3, HELD = 2000; // milliseconds
let held = null; // a walk whose refs had to be brought first
function* answer(opts) {
  const t0 = performance.now();
  let t = null, idle = true, quiet = true;
  // As it was when refs were asked for; the first part of a page that is still
  // coming does not wait until no more comes.
  if (held && held.walk === walks && (held.tree.of ? performance.now() - held.tree.at < HELD : held.lie === lie())) {
    t = held.tree;
    idle = quiet = false;
  }
  held = null;
  for (let pass = 0, before = -1; !t || pass < PASSES && pass > 0 && yields !== before && !t.of; pass++) {
    before = yields;
    t = yield* walkTree(pass ? { ...opts, fresh: false } : opts);
    quiet = quiet && Boolean(t.quiet);
    idle = idle && Boolean(t.quiet || t.idle);
  }
  // What is as it was has its refs, unless the last answer was that it needs some.
  const same = idle && !owing;
  const { waiting, rebound, recycled } = same ? NOTHING : yield* settleRefs(t.stay);
  owing = waiting.length;
  owed.rebound.push(...rebound);
  owed.recycled.push(...recycled);
  const refs = opts.refs || { n: 0 };
  if (waiting.length > refs.n) held = { tree: t, lie: lie(), walk: walks };
  if (waiting.length > refs.n) return JSON.stringify({ doc: docID, need: waiting.length, millis: 0 });
  if (late()) yield;
  yield* giveRefs(waiting, refs.prefix, refs.start);
  owing = 0;
  if (!quiet || !same) yield* link(t);
  const since = opts.doc === docID ? opts.since : 0;
  const out = {
    doc: docID, url: location.href, title: line(N.docTitle(document)), viewport: t.viewport, since, walk: walks,
    ...(yield* patch(t.root, since)), used: refs.start > 0 ? waiting.length : 0, ...owed, notes: t.notes, elements: t.count, of: t.of, walked: t.walked, additions,
    millis: Math.round((performance.now() - t0) * 10) / 10,
  };
  owed.rebound = [];
  owed.recycled = [];
  styles = new Map();
  return yield* written(out);
}

const styleOf1 = (el) => { styles.delete(el); return styleOf(el); };
function current(el) {
  styles = new Map();
  return nameOf(el).name || (byEl.get(el) || {}).name || '';
}
// refresh walks without handing out refs, so that equivalents are re-bound; it
// returns what waits for a ref.
function refresh() {
  const { waiting, rebound, recycled } = atOnce(settleRefs(atOnce(walkTree({})).stay));
  owed.rebound.push(...rebound);
  owed.recycled.push(...recycled);
  owing = waiting.length;
  styles = new Map();
  return waiting;
}
// untold says that what told it from its likes may have changed since.
function untold(e) {
  if (!e.tell && !e.own) return false;
  keepRecords(observer.takeRecords());
  return queue.length > 0 || lostRecords;
}
function staleRow(e, el) {
  if (e.row === undefined) return false;
  styles = new Map();
  const r = e.rowEl && e.rowEl.deref();
  if (!r || !N.connected(r) || !inFlat(el, r)) return false;
  return recycledBy(e, { row: rowKey(r), rowEl: r, name: e.name, role: e.role });
}
// successor describes what came into the place of something that is gone.
function successor(e, waiting) {
  for (const w of waiting) if (w.parentSig === e.parentSig && w.role === e.role) return { role: w.role, name: w.name };
  for (const o of byRef.values()) if (o.born > e.walk && !o.dead && o.parentSig === e.parentSig && o.role === e.role && elementOf(o)) return { ref: o.ref, role: o.role, name: o.name };
  return undefined;
}
Object.defineProperty(globalThis, '__quartet', { value: Object.freeze(publicAPI), enumerable: false, configurable: false, writable: false });
