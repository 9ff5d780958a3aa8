// Where things are, carried over from walk to walk: what did not move is not
// measured, and what moved as a whole is moved.

// members yields what a unit wants, in page order, without recursion: pages
// nest deeper than call stacks. A unit with many parts keeps the list, and so does a small one that was reused:
// what is longer, or lies in another list, is put together anew.
const WIDE = 12, SMALL = 64;
function members(unit) {
  if (unit.all) return unit.all;
  const out = [];
  const todo = [unit.seq], at = [0];
  while (todo.length) {
    const t = todo.length - 1;
    if (at[t] >= todo[t].length) { todo.pop(); at.pop(); continue; }
    const x = todo[t][at[t]++];
    if (!x.seq) { out.push(x); continue; }
    if (!x.seq.length) continue;
    if (x.all || x.seq.length >= WIDE || (x.walk !== walks && x.count <= SMALL)) { for (const w of members(x)) out.push(w); } else { todo.push(x.seq); at.push(0); }
  }
  if (unit.seq.length >= WIDE || unit.count <= SMALL) unit.all = out;
  return out;
}

// areaRect is where an area of an image map lies, the image being at r.
function areaRect(a, r) {
  const v = (N.attr(a, 'coords') || '').split(/[,\s]+/).map(Number).filter((x) => !Number.isNaN(x));
  const shape = (N.attr(a, 'shape') || 'rect').toLowerCase();
  let l, t, x, y;
  if (shape === 'default' || v.length < 3) [l, t, x, y] = [0, 0, r.width, r.height];
  else if (shape.startsWith('circ')) [l, t, x, y] = [v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2]];
  else {
    const xs = v.filter((_, i) => i % 2 === 0), ys = v.filter((_, i) => i % 2 === 1);
    [l, t, x, y] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }
  return new DOMRect(r.left + l, r.top + t, x - l, y - t);
}

// measure finds where one node is, and notes when that has changed.
function measure(w, vp) {
  const n = w.node, el = w.el;
  let r = w.area ? areaRect(el, N.rect(w.area)) : rectOf(w.actOn || el);
  const operable = WIDGETS.has(w.role) || Boolean(n.clickable);
  if (w.operable !== operable) { w.operable = operable; placedOtherwise = walks; }
  w.noSize = false;
  const hover = w.operable && (w.ctx.hover || w.ctx.shy);
  if (hover && !n.on_hover) { n.on_hover = true; remade(n); }
  if (w.operable && !w.ctx.hover && !w.area && (r.width <= 0 || r.height <= 0)) {
    // Without size, unless what it holds flows over.
    const p = !styleOf(el).over && paints(el);
    if (p) r = p; else w.noSize = w.role !== 'option';
  }
  w.placed = walks;
  w.at = { left: r.left, top: r.top };
  w.noEvents = w.operable && styleOf(w.actOn || el).events === 'none';
  put(w, box(r), r, vp);
  if (w.role === 'iframe') {
    const cs = getComputedStyle(el);
    const at = { x: round(r.left + N.clientLeft(el) + (parseFloat(cs.paddingLeft) || 0)), y: round(r.top + N.clientTop(el) + (parseFloat(cs.paddingTop) || 0)) };
    const src = N.attr(el, 'src');
    if (src && src !== 'about:blank' && (N.attr(el, 'loading') || '').toLowerCase() === 'lazy') at.lazy = true;
    if (!n.frame || n.frame.x !== at.x || n.frame.y !== at.y) remade(n);
    n.frame = at;
  }
}
const rectAt = (w) => { const b = w.node.box, { left, top } = w.at; return { left, top, right: left + b.w, bottom: top + b.h, width: b.w, height: b.h }; };
function put(w, b, r, vp) {
  const n = w.node, was = n.box;
  const before = placeBits(n);
  delete n.offscreen; delete n.unreachable; delete n.clipped; delete n.pointer_none;
  if (w.noSize) n.unreachable = true;
  if (!n.unreachable && !n.on_hover) place(n, r, clipNow(w.clip), w.fixed, vp);
  if (w.noEvents) n.pointer_none = true;
  if (n[CUT]) n.clipped = true;
  n.box = b;
  const bits = placeBits(n);
  if (w.bits !== bits) { w.bits = bits; placedOtherwise = walks; }
  if (!was || was.x !== b.x || was.y !== b.y || was.w !== b.w || was.h !== b.h || before !== bits) {
    relocated(n);
    w.moved = walks;
    w.since = performance.now();
  }
}
let movedAt = 0; // the last walk in which anything moved
let placedOtherwise = 0; // the last one in which something came into view, or went out of it
let loose = []; // wants that lost their place in this walk
const loosen = (w) => { w.placed = -1; loose.push(w); };
const placeBits = (n) => (n.offscreen ? 1 : 0) + (n.unreachable ? 2 : 0) + (n.clipped ? 4 : 0) + (n.pointer_none ? 8 : 0);

// moveBoxes brings the boxes of all units up to date, and returns the regions
// of the page in which something may lie otherwise than before; null is all.
// What it measures holds only together: when the page moved while it rested it
// begins again, so often at most; then the result is torn. stay is all that has a
// place; null where only those that lost theirs have to be measured.
function* moveBoxes(root, vp, stay, most) {
  for (let again = 0; ; again++) {
    const was = lie(), rested = yields;
    const regions = yield* moveOnce(root, vp, again > 0);
    for (const w of stay || loose) { if (w.placed < 0 && stays(w)) measure(w, vp); if (nodded()) yield; }
    const torn = yields > rested && lie() !== was;
    if (!torn || again === most) return { regions: again ? null : regions, torn };
    clipRound++;
    Object.assign(vp, viewportOf());
  }
}
// lie is what tells whether anything can lie otherwise than a while ago.
let scrolls = 0;
addEventListener('scroll', () => { scrolls++; }, { capture: true, passive: true });
function lie() {
  keepRecords(observer.takeRecords());
  return [scrolls, scrollX, scrollY, innerWidth, innerHeight, quietSince, later.length].join();
}
function* moveOnce(root, vp, all) {
  let regions = everything || !gone ? null : [...gone];
  const region = (r) => {
    if (!regions || !r || r.width <= 0 || r.height <= 0) return;
    if (regions.length >= 64) regions = null; else regions.push(r);
  };
  const todo = [root];
  while (todo.length) {
    if (tired()) yield;
    const u = todo.pop();
    const old = all ? null : u.geo, reused = u.walk !== walks;
    const r = u.el ? N.rect(u.el) : null;
    if (r) u.geo = { left: r.left, top: r.top, right: r.right, bottom: r.bottom, width: r.width, height: r.height };
    // What changed, or moved, may cover what stayed, or have covered it.
    if (u.el && (!reused && (u.deep || struck.has(u.el)) || old && !sameRect(r, old))) { region(old); region(u.geo); }
    if (reused && old && r && !u.odd && near(r.width, old.width) && near(r.height, old.height) && r.width > 0 && r.height > 0) {
      if (!near(r.left, old.left) || !near(r.top, old.top)) { u.geo = old; shift(u, r.left - old.left, r.top - old.top, vp); }
      continue;
    }
    if (reused && u.node && u.node.children) for (const k of u.node.children) if (k.role === 'text' && k[TRIED]) { delete k.box; delete k.unreachable; k[TRIED] = false; relocated(k); }
    const still = !reused && old && r && u.seq.length >= WIDE && sameRect(r, old) && stillAround(u);
    for (let i = u.seq.length - 1; i >= 0; i--) {
      const x = u.seq[i];
      if (!x.seq) { if (stays(x)) measure(x, vp); else loosen(x); } else if (!still || x.odd || x.walk === walks) todo.push(x);
    }
  }
  return regions;
}
const sameRect = (r, g) => near(r.width, g.width) && near(r.height, g.height) && near(r.left, g.left) && near(r.top, g.top);
// stillAround says that the parts of a wide unit lie where they were, by those
// that were walked again, their neighbours and both ends.
function stillAround(u) {
  if (u.deep || struck.has(u.el)) return false;
  const kids = u.seq.filter((x) => x.seq);
  const check = new Set([0, kids.length - 1]);
  kids.forEach((k, i) => { if (k.walk === walks) check.add(i).add(i - 1).add(i + 1); });
  for (const i of check) {
    const k = kids[i];
    if (k && (!k.geo || !sameRect(N.rect(k.el), k.geo))) return false;
  }
  return true;
}
const near = (a, b) => Math.abs(a - b) < 0.05;
const meets = (regions, b) => !regions || regions.some((r) => r.left < b.x + b.w && r.right > b.x && r.top < b.y + b.h && r.bottom > b.y);

// shift moves all that a unit has: its own box, its nodes' and its texts'.
function shift(unit, dx, dy, vp) {
  const todo = [unit];
  while (todo.length) {
    const u = todo.pop();
    const g = u.geo;
    if (g) u.geo = { left: g.left + dx, right: g.right + dx, top: g.top + dy, bottom: g.bottom + dy, width: g.width, height: g.height };
    for (const x of u.seq) {
      if (x.seq) { todo.push(x); continue; }
      const b = x.node.box;
      if (!b || !stays(x) || x.placed < 0) { loosen(x); continue; }
      x.at = { left: x.at.left + dx, top: x.at.top + dy }; // unrounded: sums of rounded ones drift
      const r = { left: x.at.left, top: x.at.top, right: x.at.left + b.w, bottom: x.at.top + b.h, width: b.w, height: b.h };
      x.placed = walks;
      if (x.role === 'iframe') { measure(x, vp); continue; }
      put(x, box(r), r, vp);
    }
    if (u.node && u.node.children) for (const k of u.node.children) if (k.role === 'text' && k[TRIED]) { delete k.box; delete k.unreachable; k[TRIED] = false; relocated(k); }
  }
}
