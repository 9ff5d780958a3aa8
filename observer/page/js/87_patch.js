// What a reader is told. Every node has a number for the life of the document,
// and remembers the walk that made it and the walk that moved it last: a reader
// that knows an earlier walk gets the nodes made since, numbers in place of the
// rest, and new boxes of what was moved. Any number of readers can be served.
const ID = Symbol('id'), MADE = Symbol('made'), MOVED = Symbol('moved'), TRIED = Symbol('tried'), UP = Symbol('up');
// Of a node with all that is in it: its newest walk, its newest place, its texts with boxes.
const NEWEST = Symbol('newest'), SHIFTED = Symbol('shifted'), TEXTS = Symbol('texts');
// Of a node's children, which runs its last holder had in the same order.
const RUNS = Symbol('runs'), RUNS_MIN = 16;
let lastID = 0, lastSeal = 0; // the latter: walk of the last answer, walks without one lie between
const sealed = (n) => n[ID] && n[NEWEST] <= lastSeal && n[SHIFTED] <= lastSeal;

// What was walked again since refs were last settled, and since marks were last
// written: all of it, or these.
let unsettled = [], unsettledAll = true, unlinked = [], unlinkedAll = true;
let tied = new Set(); // wants whose marks name other nodes

// link writes onto the nodes what only the whole walk knows: refs, and marks
// that name other nodes.
function* link(t) {
  const list = unlinkedAll ? t.stay : new Set([...unlinked, ...inView, ...tied]);
  if (unlinkedAll) tied = new Set();
  const set = (n, key, v) => {
    if (n[key] === v) return;
    if (v === undefined) delete n[key]; else n[key] = v;
    remade(n);
  };
  for (const w of list) {
    if (nodded()) yield;
    if (!stays(w)) continue;
    const n = w.node, c = w.ctx;
    if (w.controls || w.blocker) tied.add(w); else tied.delete(w);
    if (w.linked === w.ref && !w.controls && !w.blocker && n.covered_by === undefined) continue;
    w.linked = w.ref;
    set(n, 'ref', w.ref);
    set(n, 'rebinds', w.entry && w.entry.rebinds || undefined);
    const x = w.controls && shownAs(w.controls);
    set(n, 'controls', x ? x.ref : undefined);
    let cover;
    if (w.blocker) {
      let b = w.blocker, by = null;
      for (let i = 0; b && i < 500 && !by && !inFlat(w.el, b); b = flatParent(b), i++) by = shownAs(b);
      cover = by ? by.ref : describe(w.blocker);
    }
    set(n, 'covered_by', cover);
    // Marks that hold for a whole subtree are repeated on what can be operated.
    set(n, 'inert', c && c.inert ? true : undefined);
    set(n, 'transparent', c && c.clear && !w.actOn || n[FAINT] ? true : undefined);
  }
  unlinked = [];
  unlinkedAll = false;
}

// remade says that a node was changed in this walk, relocated that only its
// place was: what holds it knows the newest of both.
function remade(n) { n[MADE] = walks; for (let p = n; p && p[NEWEST] !== walks; p = p[UP]) p[NEWEST] = walks; }
function relocated(n) { n[MOVED] = movedAt = walks; for (let p = n; p && p[SHIFTED] !== walks; p = p[UP]) p[SHIFTED] = walks; }

// patch lists the tree in page order, each node with its depth d and number i.
// Siblings that the reader has, with all that is in them, are {k: [i…]}; after a
// number, -j stands for those up to j, as the reader has them.
function* patch(root, since) {
  yield* seal(root);
  const nodes = [], boxes = [];
  const todo = [root], depths = [0], known = [false];
  while (todo.length) {
    if (nodded()) yield;
    const n = todo.pop(), depth = depths.pop();
    let kept = known.pop();
    if (n.run) { keep(nodes, depth, n.first, -n.last); continue; }
    if (kept || since > 0 && n[NEWEST] <= since) {
      if (n[MOVED] > since) { const b = n.box; boxes.push(n[ID], b ? b.x : 0, b ? b.y : 0, b ? b.w : -1, b ? b.h : 0, placeBits(n)); }
      if (!kept) keep(nodes, depth, n[ID]);
      if (!(n[SHIFTED] > since)) continue;
      kept = true;
    } else {
      const { children, w, ...own } = n;
      own.d = depth;
      own.i = n[ID];
      nodes.push(own);
    }
    if (!n.children) continue;
    const below = Math.min(depth + 1, DEPTH_MAX);
    for (const part of parts(n, kept, since)) { todo.push(part); depths.push(below); known.push(kept); }
  }
  return { nodes, boxes };
}
function keep(nodes, depth, ...ids) {
  const last = nodes[nodes.length - 1];
  if (last && last.k && last.d === depth) last.k.push(...ids); else nodes.push({ k: ids, d: depth });
}
// parts are a node's children, last first; in place of those that the reader has
// one after the other, the run of them.
function parts(n, kept, since) {
  if (kept || !n[RUNS]) return n.children.toReversed();
  const out = [];
  for (const r of n[RUNS].toReversed()) {
    if (r.to > r.from && r.held <= since && r.newest <= since && r.shifted <= since) out.push(r);
    else for (let i = r.to; i >= r.from; i--) out.push(n.children[i]);
  }
  return out;
}
// runsOf are the runs of n's children that were held by one node in this order;
// held is when that was made.
function runsOf(n) {
  const runs = [];
  const places = new Map(); // by holder, where its children were
  let r = null, holder = null, at = 0;
  n.children.forEach((k, i) => {
    const p = k[UP];
    if (r && p && p === holder && p.children[at + 1] === k) at++;
    else {
      holder = p && p.children ? p : null;
      if (holder && !places.has(holder)) places.set(holder, new Map(holder.children.map((c, j) => [c, j])));
      at = holder ? places.get(holder).get(k) ?? -1 : -1;
      runs.push(r = { run: true, from: i, to: i, first: k[ID], last: 0, held: at >= 0 ? holder[MADE] : Infinity, newest: 0, shifted: 0 });
    }
    r.to = i;
    r.last = k[ID];
    if (k[NEWEST] > r.newest) r.newest = k[NEWEST];
    if (k[SHIFTED] > r.shifted) r.shifted = k[SHIFTED];
  });
  return runs;
}

// written is the answer as JSON, the nodes a few hundred at once.
function* written(answer) {
  const { nodes, ...rest } = answer, parts = [];
  for (let i = 0; i < nodes.length; i += 400) {
    parts.push(JSON.stringify(nodes.slice(i, i + 400)).slice(1, -1));
    if (late()) yield;
  }
  return '{"nodes":[' + parts.join(',') + '],' + JSON.stringify(rest).slice(1);
}

// seal numbers the nodes that are new, gives short texts their boxes, and notes
// what is the newest in every subtree. What did not change is not visited.
function* seal(root) {
  const order = [], todo = [root];
  while (todo.length) {
    if (nodded()) yield;
    const n = todo.pop();
    if (sealed(n)) { order.push(n); continue; }
    order.push(n);
    if (n.children) for (let i = n.children.length - 1; i >= 0; i--) todo.push(n.children[i]);
  }
  let labels = 0;
  for (const n of order) {
    if (nodded()) yield;
    if (sealed(n)) { labels += n[TEXTS]; continue; }
    if (!n[ID]) { n[ID] = ++lastID; n[MADE] = n[NEWEST] = walks; n[MOVED] = n[SHIFTED] = 0; }
    if (n.role === 'text' && !n[TRIED] && labels < TEXT_BOXES) { n[TRIED] = true; textBox(n); }
    if (n.role === 'text' && n.box) labels++;
  }
  for (let i = order.length - 1; i >= 0; i--) {
    if (nodded()) yield;
    const n = order[i];
    let newest = n[MADE], shifted = n[MOVED], count = n.role === 'text' && n.box ? 1 : 0;
    if (n[TEXTS] !== undefined && sealed(n)) continue;
    if (n.children && n.children.length >= RUNS_MIN) n[RUNS] = runsOf(n);
    if (n.children) for (const k of n.children) {
      k[UP] = n;
      if (k[NEWEST] > newest) newest = k[NEWEST];
      if (k[SHIFTED] > shifted) shifted = k[SHIFTED];
      count += k[TEXTS];
    }
    n[NEWEST] = newest;
    n[SHIFTED] = shifted;
    n[TEXTS] = count;
  }
  lastSeal = walks;
}
