// What a reader is told. Every node has a number for the life of the document,
// and remembers the walk that made it and the walk that moved it last: a reader
// that knows an earlier walk gets the nodes made since, numbers in place of the
// rest, and new boxes of what was moved. Any number of readers can be served.
const ID = Symbol('id'), MADE = Symbol('made'), MOVED = Symbol('moved'), NEWEST = Symbol('newest'), TRIED = Symbol('tried');
let lastID = 0;

// link writes onto the nodes what only the whole walk knows: refs, and marks
// that name other nodes.
function link(t) {
  const set = (n, key, v) => {
    if (n[key] === v) return;
    if (v === undefined) delete n[key]; else n[key] = v;
    n[MADE] = walks;
  };
  for (const w of t.stay) set(w.node, 'ref', w.ref);
  for (const w of t.stay) {
    const n = w.node, c = w.ctx;
    let x = w.controls && t.nodeOf.get(w.controls);
    set(n, 'controls', x ? x.ref : undefined);
    let cover;
    if (w.blocker) {
      x = null;
      for (let b = w.blocker, i = 0; b && i < 500; b = flatParent(b), i++) {
        if (inFlat(w.el, b)) break;
        if (t.nodeOf.has(b)) { x = t.nodeOf.get(b); break; }
      }
      cover = x ? x.ref : describe(w.blocker);
    }
    set(n, 'covered_by', cover);
    // Marks that hold for a whole subtree are repeated on what can be operated.
    set(n, 'inert', c && c.inert ? true : undefined);
    set(n, 'transparent', c && c.clear && !w.actOn ? true : undefined);
  }
}

// patch lists the tree in page order, each node with its depth d and number i.
// A run of siblings that the reader has, with all that is in them, is {k: [i…]}.
function patch(root, since) {
  const order = [];
  const todo = [root];
  while (todo.length) {
    const n = todo.pop();
    order.push(n);
    if (n.children) for (let i = n.children.length - 1; i >= 0; i--) todo.push(n.children[i]);
  }
  let labels = 0;
  for (const n of order) {
    if (!n[ID]) { n[ID] = ++lastID; n[MADE] = walks; }
    if (n.role !== 'text' || labels >= TEXT_BOXES) continue;
    if (!n[TRIED]) { n[TRIED] = true; textBox(n); }
    if (n.box) labels++;
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const n = order[i];
    let newest = n[MADE];
    if (n.children) for (const k of n.children) if (k[NEWEST] > newest) newest = k[NEWEST];
    n[NEWEST] = newest;
  }
  const nodes = [], boxes = [];
  const out = [[root, 0, false]];
  while (out.length) {
    const [n, depth, kept] = out.pop();
    const known = kept || since > 0 && n[NEWEST] <= since;
    if (known) {
      if (n[MOVED] > since) { const b = n.box; boxes.push(n[ID], b ? b.x : 0, b ? b.y : 0, b ? b.w : -1, b ? b.h : 0, placeBits(n)); }
      if (!kept) {
        const last = nodes[nodes.length - 1];
        if (last && last.k && last.d === depth) last.k.push(n[ID]); else nodes.push({ k: [n[ID]], d: depth });
      }
    } else {
      const { children, w, ...own } = n;
      own.d = depth;
      own.i = n[ID];
      nodes.push(own);
    }
    if (n.children) for (let i = n.children.length - 1; i >= 0; i--) out.push([n.children[i], Math.min(depth + 1, DEPTH_MAX), known]);
  }
  return { nodes, boxes };
}
