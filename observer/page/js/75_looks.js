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

// newLooks keeps the looks of the walks until everything is walked again.
function newLooks() {
  const ids = new Map(), groups = new Map(), looks = [], hints = [];
  let computed = 0;
  const intern = (map, key) => { let i = map.get(key); if (i === undefined) map.set(key, i = map.size + 1); return i; };
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
    // place gives c the ids of the element's look and of its likes: same path
    // of tags, in a table the same column.
    place(c, pc, el, tag, any) {
      let column = '';
      if (tag === 'td' || tag === 'th') column = pc.cells = (pc.cells || 0) + 1;
      c.group = intern(groups, pc.group + '/' + tag + column);
      let own = '';
      if (any) {
        own = N.attr(el, 'class') || '';
        const st = N.attr(el, 'style');
        if (st && STYLED.test(st)) own += '|' + st;
      }
      c.own = own !== '';
      c.look = intern(ids, pc.look + '>' + tag + '.' + own);
    },
    of(c, el, tag) {
      let l = looks[c.look];
      if (l === undefined) l = looks[c.look] = ++computed > LOOKS_MAX ? null : read(el, tag);
      return l;
    },
    // hint says how the element differs from its parent P.
    hint(F, P, rowlike, widget) {
      const c = F.c;
      if (!c.own) return '';
      let h = hints[c.look];
      if (h !== undefined) return h;
      h = '';
      const a = this.of(c, F.el, F.tag), b = P.c && this.of(P.c, P.el, P.tag) || PLAIN_LOOK;
      if (a) {
        const out = [];
        if (!widget) {
          if (a.text && a.text !== b.text && a.text !== 'blue') out.push(a.text + ' text');
          if (a.ground && a.ground !== b.ground) out.push(a.ground + ' background');
          if (rowlike && a.bold && !b.bold) out.push('bold');
        }
        if (a.struck && !b.struck) out.push('struck through');
        if ((widget || rowlike) && a.opacity > 0.01 && a.opacity <= 0.65) out.push('greyed');
        h = out.join(', ');
      }
      return hints[c.look] = h;
    },
    // restyle forgets what was computed: the same class may look otherwise now.
    restyle() { looks.length = hints.length = computed = 0; },
    // note puts a hint on a node, for now: settle may take it back.
    note(node, group, hint, unit) {
      const box = { s: '', hint, group, text: node.role === 'text' };
      node.looks = box;
      unit.found.push(box);
    },
    // settle takes back what most of the likes look like, too, and grounds
    // without anything to compare them with.
    settle(unit, root) {
      const found = [], totals = [], counts = new Map();
      const units = [unit];
      while (units.length) {
        const u = units.pop();
        if (u.likes) totals[u.likes] = (totals[u.likes] || 0) + 1;
        for (const f of u.found) { found.push(f); const k = f.group + '|' + f.hint; counts.set(k, (counts.get(k) || 0) + 1); }
        for (const x of u.seq) if (x.seq) units.push(x);
      }
      const changed = new Set();
      for (const f of found) {
        const total = totals[f.group], n = counts.get(f.group + '|' + f.hint);
        let s = f.hint;
        if (total >= 3 ? n * 2 > total : n > 1) s = '';
        else if (total < 3 && !f.text) s = f.hint.split(', ').filter((x) => !/background|bold/.test(x)).join(', ');
        if (s !== f.s) { f.s = s; changed.add(f); }
      }
      if (!changed.size) return;
      const todo = [root];
      while (todo.length) {
        const n = todo.pop();
        if (n[ID] && changed.has(n.looks)) remade(n);
        if (n.children) for (const k of n.children) todo.push(k);
      }
    },
  };
}

// stateByClass: a class says that this one is the selected, open or greyed one,
// and a sibling of its kind lacks it.
function stateOfClass(cls) {
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
  const mine = tokens(cls);
  for (const step of [N.prevElement, N.nextElement]) {
    for (let s = step(el), i = 0; s && i < 3; s = step(s), i++) {
      if (tagOf(s) !== tag) continue;
      const c = N.attr(s, 'class') || '';
      if (stateOfClass(c) === word) continue;
      if (mine.length === 1 || tokens(c).some((t) => mine.includes(t))) return word;
    }
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
function hoverTargets(root, into) {
  const doc = N.type(root) === 9;
  for (const s of [...(doc ? N.docSheets(root) : N.rootSheets(root)), ...(doc ? N.docAdopted(root) : N.rootAdopted(root))]) {
    if (s.disabled) continue;
    for (const sel of hoverSelectors(s)) {
      let got;
      try { got = queryAll(root, sel); } catch { continue; }
      for (const el of got) { if (into.size > 5000) return; into.add(el); }
    }
  }
}
