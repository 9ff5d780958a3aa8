// Looks: what only the paint says. It is asked of an element that something of
// its own may set apart, and of rows and items, and compared with its parent's.
const STYLED = /color|background|decoration|weight|opacity|font|filter/;
const STATE = /(?:^|[a-z\d][-_]+|[-_]|^is|^has)(selected|active|current|disabled)(?:$|__|--)/i;
const STATE_WHOLE = /^(?:is-|is_)?(open|opened|expanded|checked|greyed|grayed|unread)$/i;

// rgb reads a computed colour: of the newer forms, as the screen shows it.
let painter = null;
function rgb(s) {
  const m = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(s);
  if (m) return [+m[1], +m[2], +m[3], m[4] === undefined ? 1 : +m[4]];
  painter ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!painter) return null;
  painter.clearRect(0, 0, 1, 1);
  painter.fillStyle = '#000';
  painter.fillStyle = s;
  painter.fillRect(0, 0, 1, 1);
  const [r, g, b, alpha] = painter.getImageData(0, 0, 1, 1).data;
  return [r, g, b, alpha / 255];
}
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

// TINT is the hint that a node would get if it stood alone; whether its likes
// have the same is decided over the whole tree (settleLooks). Being a symbol,
// it stays inside.
const TINT = Symbol('tint');
let tints = 0; // ever given in this document; without any there is nothing to settle
const tint = (node, hint) => { node[TINT] = hint; tints++; };

const hues = new Map(); // by the words of the style
function hueIn(color, ground) {
  const key = ground ? color : '-' + color;
  let h = hues.get(key);
  if (h === undefined) {
    if (hues.size > 5000) hues.clear();
    hues.set(key, h = hueOf(rgb(color), ground));
  }
  return h;
}

// setsApart: a rule may mean just this element, by more than where it stands.
const ROWS = new Set(['tr', 'li', 'option', 'font', 'strike', 'small']);
const PLAIN_ATTRIBUTES = new Set(['href', 'type', 'name', 'value', 'for', 'src', 'alt', 'placeholder', 'title', 'role', 'tabindex', 'target', 'rel', 'colspan', 'rowspan', 'scope', 'width', 'height', 'style']);
function setsApart(el, tag, any) {
  if (ROWS.has(tag)) return true;
  if (!any) return false;
  if (N.attr(el, 'class')) return true;
  const st = N.attr(el, 'style');
  return Boolean(st) && STYLED.test(st) || N.attrNames(el).some((n) => !PLAIN_ATTRIBUTES.has(n));
}
const CODE = new Set(['pre', 'code', 'samp', 'kbd']);

// paintOf is how an element is painted, read once in a walk.
let looked = new Map();
function paintOf(el, tag) {
  let p = looked.get(el);
  if (p) return p;
  const cs = getComputedStyle(el);
  const ground = cs.backgroundColor;
  p = { text: hueIn(cs.color, false), ground: hueIn(ground, true), bare: ground === 'rgba(0, 0, 0, 0)', struck: cs.textDecorationLine.includes('line-through'), bold: +cs.fontWeight >= 600, opacity: +cs.opacity };
  if (tag === 'tr') paintRow(el, p);
  looked.set(el, p);
  return p;
}
// A row is often painted by its cells: what all of them have is the row's.
function paintRow(el, p) {
  let all = null;
  for (let c = N.first(el); c; c = N.next(c)) {
    if (!isElement(c) || styleOf(c).display === 'none') continue;
    const q = paintOf(c, tagOf(c));
    const here = { text: q.text, ground: q.bare ? p.ground : q.ground, struck: q.struck || p.struck, bold: q.bold && tagOf(c) !== 'th' };
    if (!all) all = here;
    for (const k in all) if (all[k] !== here[k] || all[k] === p[k]) delete all[k];
    if (Object.keys(all).length === 0) return;
  }
  Object.assign(p, all);
}
// faint: words that are there for no eye.
function faint(el) {
  const cs = getComputedStyle(el), color = rgb(cs.color);
  return (color && color[3] < 0.02) || parseFloat(cs.fontSize) === 0;
}

// hintOf says how the paint of an element, among rows or alone, differs from
// that of the one that it is in.
function hintOf(F, P, rowlike, widget) {
  const a = paintOf(F.el, F.tag), b = paintOf(P.el, P.tag), out = [];
  if (!widget) {
    // The colours of words in code are its grammar.
    if (!F.c.code && a.text && a.text !== b.text && a.text !== 'blue') out.push(a.text + ' text');
    if (a.ground && a.ground !== b.ground) out.push(a.ground + ' background');
    if (rowlike && a.bold && !b.bold) out.push('bold');
  }
  if (a.struck && !b.struck && F.role !== 'deletion') out.push('struck through');
  if ((widget || rowlike) && a.opacity > 0.01 && a.opacity <= 0.65) out.push('greyed');
  return out.join(', ');
}

// settleLooks gives the nodes their hints, but for what most of their likes (same
// roles down to them, in a table of some rows its own column) have as well, and
// for grounds with nothing to compare them with.
function settleLooks(root) {
  if (!tints) return;
  const keys = new Map(), totals = [], groups = new Map(), tinted = [];
  const todo = [[root, 0]];
  while (todo.length) {
    const [n, parent] = todo.pop();
    const kids = n.children;
    if (!kids) continue;
    let column = 0;
    for (const k of kids) {
      const cell = CELLS.has(k.role);
      const key = parent + k.role + (cell ? column++ : manyRows(k) ? '#' + keys.size : '');
      let id = keys.get(key);
      if (id === undefined) { keys.set(key, id = keys.size + 1); totals[id] = 0; }
      const at = totals[id]++;
      const hint = k[TINT];
      if (hint) {
        tinted.push([k, id]);
        for (const part of hint.split(', ')) {
          const g = id + '|' + part;
          if (groups.has(g)) groups.get(g).push(at); else groups.set(g, [at]);
        }
      }
      if (k.children) todo.push([k, id]);
    }
  }
  for (const [n, id] of tinted) {
    const hint = n[TINT].split(', ').filter((part) => tells(part, groups.get(id + '|' + part), totals[id], n)).join(', ');
    if ((n.looks || '') === hint) continue;
    n.looks = hint || undefined;
    if (n[ID]) remade(n);
  }
}
// tells: does the part of a hint say something of those of the likes, of which
// there are so many, that have it?
const MEANT = new Set(['red text', 'struck through']); // seldom only a fashion
function tells(part, having, total, n) {
  if (n.role === 'text' && !/[\p{L}\p{N}]/u.test(n.text)) return false; // the star of a field that must be filled
  if (MEANT.has(part)) return total < 3 || having.length < total;
  if (/background|bold/.test(part) && (total < 3 && n.role !== 'text' || striped(having, total))) return false;
  return total >= 3 ? having.length * 2 <= total : having.length < 2;
}
// striped: every second or third of them, all the way.
function striped(at, total) {
  const step = at[1] - at[0];
  return at.length >= 3 && (step === 2 || step === 3) && at.length >= Math.floor(total / step) && at.every((x, i) => x === at[0] + i * step);
}
const TABLES = new Set(['table', 'grid', 'treegrid']);
function manyRows(n) {
  if (!TABLES.has(n.role) || !n.children) return false;
  let rows = 0;
  for (const k of n.children) rows += k.role === 'rowgroup' && k.children ? k.children.length : 1;
  return rows >= 3;
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
    if (m && !/^(in|inter|re|de)active$/i.test(t) && !/(?:^|[-_])(?:not|non|no|un|never)[-_]?(?:is[-_])?(?:selected|active|current|disabled|open|opened|expanded|checked)/i.test(t)) return m[1].toLowerCase().replace('opened', 'open').replace('expanded', 'open').replace('grayed', 'greyed');
  }
  return '';
}
// stated are the elements of which a class says so: what their hint rests on are
// also their kin.
const stated = new Set();
function kin(el) {
  const out = [];
  for (let p = el, up = 0; p && isElement(p) && up < 3; p = N.parent(p), up++) {
    for (const step of [N.prevElement, N.nextElement]) for (let s = step(p), i = 0; s && i < 3; s = step(s), i++) out.push(s);
  }
  return out;
}
function stateByClass(el, tag) {
  const cls = N.attr(el, 'class');
  if (!cls || cls.length > 400) return '';
  const word = stateOfClass(cls);
  if (!word) return '';
  if (stated.size < 5000) stated.add(el);
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
