// Units: what the walk found in one element, and what that rests on.

// A clip of an element is the same object as long as it rests on the same, so
// that a change of it is seen; where it lies is found anew in every walk.
const clips = new WeakMap();
let clipRound = 0; // where clips lie is found once in each
function clipOf(el, up, over) {
  const old = clips.get(el);
  if (old && old.up === up && old.over === over) return old;
  const c = { el, up, over, round: -1, rect: null, scroll: false, cut: false };
  clips.set(el, c);
  return c;
}
// worded are the clips with words right under them, which are marked where the
// clip leaves nothing to be seen: it may begin or end to do so wherever it lies.
const worded = new Set();
function cuts(c) {
  c.cut = cutOff(clipNow(c).rect);
  worded.add(c);
  return c.cut;
}
function clipNow(c) {
  if (!c || c.round === clipRound) return c;
  c.round = clipRound;
  const up = clipNow(c.up);
  const w = within(up, N.rect(c.el), c.over);
  c.rect = w.rect;
  c.scroll = w.scroll;
  return c;
}

// What a unit rests on besides its element: what it inherits (pc), and what it
// passes on (passes).
const INHERITED = ['hidden', 'inert', 'clear', 'disabled', 'clip', 'absClip', 'fixed', 'pointer', 'control', 'sig', 'row', 'rowEl', 'listening', 'editable', 'hover', 'shy', 'form', 'code'];
function sameContext(a, b) {
  if (a === b) return true;
  for (const k of INHERITED) if (a[k] !== b[k]) return false;
  return true;
}
// A form is the same object for its life, so that what is in it can be reused.
const forms = new WeakMap();
function formOf(el) {
  let f = forms.get(el);
  if (!f) forms.set(el, f = { el, sig: '' });
  f.sig = '';
  return f;
}
const newUnit = (el, pc) => ({ el, pc, passes: null, seq: [], kids: [], interactive: false, clicks: false, count: 1, forgot: [], odd: false, geo: null, walk: walks, deep: false, node: null, all: null, group: null });

// wantOf is what was last wanted of an element; shownAs is it while it is shown.
const wantOf = new WeakMap();
function shownAs(el) {
  const w = wantOf.get(el);
  return w && stays(w) && w.ref && N.connected(el) ? w : null;
}
