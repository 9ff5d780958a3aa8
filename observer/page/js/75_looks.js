// Looks: what only the paint says. An element is asked about its colours only
// where a class or an inline style of its own sets it apart from its parent,
// and once for each such combination.
const LOOKS_MAX = 800; // combinations computed in a walk
const STYLED = /color|background|decoration|weight|opacity|font|filter/;
const STATE = /(?:^|[a-z\d][-_]+|[-_]|^is|^has)(selected|active|current|disabled)(?:$|__|--)/i;
const STATE_WHOLE = /^(?:is-|is_)?(open|opened|expanded|checked|greyed|grayed|unread)$/i;

const rgb = (s) => { const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(s); return m ? [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]] : null; };
// hueOf names a colour that stands out, '' for greys and what is nearly so.
function hueOf(c, ground) {
  if (!c || c[3] < 0.1) return '';
  const max = Math.max(c[0], c[1], c[2]), min = Math.min(c[0], c[1], c[2]), d = max - min;
  // A ground is tinted lightly; letters in nearly black or grey say nothing.
  if (d < (ground ? 18 : 70)) return '';
  let h = max === c[0] ? ((c[1] - c[2]) / d + 6) % 6 : max === c[1] ? (c[2] - c[0]) / d + 2 : (c[0] - c[1]) / d + 4;
  h *= 60;
  return h < 16 || h >= 340 ? 'red' : h < 42 ? 'orange' : h < 68 ? 'yellow' : h < 165 ? 'green' : h < 260 ? 'blue' : 'purple';
}

const PLAIN_LOOK = { text: '', ground: '', struck: false, bold: false, opacity: 1 };

// A look's id stands for the tags and classes of the path to an element; it
// means the same as long as the document lives.
let lookIds = new Map();
let lookCount = 0;
function lookID(key) {
  let i = lookIds.get(key);
  if (i === undefined) {
    if (lookIds.size > 50000) lookIds = new Map();
    lookIds.set(key, i = ++lookCount);
  }
  return i;
}

// TINT is the hint that a node would get if it stood alone; whether its likes
// have the same is decided over the whole tree (settleLooks). Being a symbol,
// it stays inside.
const TINT = Symbol('tint');
let tints = 0; // ever given in this document; without any there is nothing to settle
const tint = (node, hint) => { node[TINT] = hint; tints++; };

// newLooks keeps the looks of one walk.
function newLooks() {
  const looks = new Map(), hints = new Map();
  let computed = 0;
  function read(el, tag) {
    let cs = getComputedStyle(el), ground = rgb(cs.backgroundColor), color = rgb(cs.color), line = cs.textDecorationLine, weight = +cs.fontWeight;
    const faint = (color && color[3] < 0.02) || parseFloat(cs.fontSize) === 0;
    if (tag === 'tr') {
      // A row is often painted by its cells.
      for (let c = N.first(el); c; c = N.next(c)) if (isElement(c)) {
        cs = getComputedStyle(c);
        const g = rgb(cs.backgroundColor);
        if (g && g[3] > 0) ground = g;
        color = rgb(cs.color);
        line = cs.textDecorationLine === 'none' ? line : cs.textDecorationLine;
        weight = +cs.fontWeight;
        break;
      }
    }
    return { text: hueOf(color, false), ground: hueOf(ground, true), struck: line.includes('line-through'), bold: weight >= 600, faint: Boolean(faint), opacity: +cs.opacity };
  }
  return {
    // place gives c the id of the element's look.
    place(c, pc, el, tag, any) {
      let own = '';
      c.code = pc.code || tag === 'pre' || tag === 'code' || tag === 'samp' || tag === 'kbd';
      if (any) {
        own = N.attr(el, 'class') || '';
        const st = N.attr(el, 'style');
        if (st && STYLED.test(st)) own += '|' + st;
      }
      c.own = own !== '';
      c.look = lookID(pc.look + '>' + tag + '.' + own);
    },
    of(c, el, tag) {
      let l = looks.get(c.look);
      if (l === undefined) looks.set(c.look, l = ++computed > LOOKS_MAX ? null : read(el, tag));
      return l;
    },
    // hint says how the element differs from its parent P.
    hint(F, P, rowlike, widget) {
      const c = F.c;
      if (!c.own) return '';
      let h = hints.get(c.look);
      if (h !== undefined) return h;
      h = '';
      const a = this.of(c, F.el, F.tag), b = P.c && this.of(P.c, P.el, P.tag) || PLAIN_LOOK;
      if (a) {
        const out = [];
        if (!widget) {
          // The colours of words in code are its grammar.
          if (!c.code && a.text && a.text !== b.text && a.text !== 'blue') out.push(a.text + ' text');
          if (a.ground && a.ground !== b.ground) out.push(a.ground + ' background');
          if (rowlike && a.bold && !b.bold) out.push('bold');
        }
        if (a.struck && !b.struck && F.role !== 'deletion') out.push('struck through');
        if ((widget || rowlike) && a.opacity > 0.01 && a.opacity <= 0.65) out.push('greyed');
        h = out.join(', ');
      }
      hints.set(c.look, h);
      return h;
    },
  };
}

// settleLooks gives the nodes their hints, but for those that most of their
// likes (same roles down to them, in a table the same column) have as well, and
// for grounds with nothing to compare them with.
function settleLooks(root) {
  if (!tints) return;
  const keys = new Map(), totals = [], counts = new Map(), tinted = [];
  const todo = [[root, 0]];
  while (todo.length) {
    const [n, parent] = todo.pop();
    const kids = n.children;
    if (!kids) continue;
    let column = 0;
    for (const k of kids) {
      const cell = CELLS.has(k.role);
      const key = parent + k.role + (cell ? column++ : '');
      let id = keys.get(key);
      if (id === undefined) { keys.set(key, id = keys.size + 1); totals[id] = 0; }
      totals[id]++;
      const hint = k[TINT];
      if (hint) {
        tinted.push([k, id]);
        const c = id + '|' + hint;
        counts.set(c, (counts.get(c) || 0) + 1);
      }
      if (k.children) todo.push([k, id]);
    }
  }
  for (const [n, id] of tinted) {
    const total = totals[id], same = counts.get(id + '|' + n[TINT]);
    let hint = n[TINT];
    if (total >= 3 ? same * 2 > total : same > 1) hint = '';
    else if (total < 3 && n.role !== 'text') hint = hint.split(', ').filter((x) => !/background|bold/.test(x)).join(', ');
    if ((n.looks || '') === hint) continue;
    n.looks = hint || undefined;
    if (n[ID]) remade(n);
  }
}
const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

// stateByClass: a class says that this one is the selected, open or greyed one,
// and a sibling of its kind lacks it.
const classStates = new Map();
function stateOfClass(cls) {
  let word = classStates.get(cls);
  if (word === undefined) {
    if (classStates.size > 5000) classStates.clear();
    classStates.set(cls, word = stateIn(cls));
  }
  return word;
}
function stateIn(cls) {
  for (const t of tokens(cls)) {
    if (t.includes(':')) continue; // a variant of utility classes
    const m = STATE_WHOLE.exec(t) || STATE.exec(t);
    if (m && !/^(in|inter|re|de)active$/i.test(t)) return m[1].toLowerCase().replace('opened', 'open').replace('expanded', 'open').replace('grayed', 'greyed');
  }
  return '';
}
function stateByClass(el, tag) {
  const cls = N.attr(el, 'class');
  if (!cls || cls.length > 400) return '';
  const word = stateOfClass(cls);
  if (!word) return '';
  const mine = tokens(cls).filter((t) => stateOfClass(t) === '');
  const lacks = (o) => {
    const c = N.attr(o, 'class') || '';
    if (stateOfClass(c) === word) return false;
    return mine.length ? tokens(c).some((t) => mine.includes(t)) : tagOf(o) === tag && !c;
  };
  // Siblings first; of a part of an item (the link of a tree's line), the same
  // part of the items beside it.
  for (let p = el, up = 0; p && isElement(p) && up < 3; p = N.parent(p), up++) {
    let kin = 0;
    for (const step of [N.prevElement, N.nextElement]) {
      for (let s = step(p), i = 0; s && i < 3; s = step(s), i++) {
        if (up > 0 && tagOf(s) !== tagOf(p)) continue;
        const parts = up === 0 ? [s] : Array.prototype.slice.call(N.elQueryAll(s, tag.replace('svg:', '')), 0, 3);
        for (const o of parts) { kin++; if (lacks(o)) return word; }
      }
    }
    if (kin && up === 0 && mine.length === 0) return '';
  }
  return '';
}

// What a rule shows only under the pointer: elements that some ":hover" of an
// ancestor or neighbour makes visible.
const hoverCache = new WeakMap();
function hoverSelectors(sheet) {
  let rules;
  try { rules = sheet.cssRules; } catch { return []; }
  const c = hoverCache.get(sheet);
  if (c && c.n === rules.length) return c.sel;
  const sel = [];
  const scan = (list, depth) => {
    for (const r of list) {
      const st = r.selectorText;
      if (st && st.includes(':hover') && r.style) {
        const d = r.style.display, v = r.style.visibility, o = r.style.opacity;
        if ((d && d !== 'none') || v === 'visible' || (o && parseFloat(o) > 0)) {
          for (const one of st.split(/,(?![^(]*\))/)) if (/:hover[^\s>+~]*[\s>+~]+\S/.test(one)) sel.push(one.replace(/(^|[\s>+~(]):hover/g, '$1*').replaceAll(':hover', ''));
        }
      }
      if (r.cssRules && depth < 6) scan(r.cssRules, depth + 1);
    }
  };
  scan(rules, 0);
  hoverCache.set(sheet, { n: rules.length, sel });
  return sel;
}
function* hoverTargets(root, into) {
  const doc = N.type(root) === 9;
  for (const s of [...(doc ? N.docSheets(root) : N.rootSheets(root)), ...(doc ? N.docAdopted(root) : N.rootAdopted(root))]) {
    if (s.disabled) continue;
    for (const sel of hoverSelectors(s)) {
      if (late()) yield;
      let got;
      try { got = queryAll(root, sel); } catch { continue; }
      for (const el of got) { if (into.size > 5000) return; into.add(el); }
    }
  }
}
