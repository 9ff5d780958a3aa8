// Reads a calendar on the page from its text and boxes: the month it shows, its
// days, and what turns it to another month. ARIA grids, tables and bare boxes
// are read alike: a calendar is a grid of at least 28 small numbers in order,
// in five to eight columns, beside words that name a month and a year.
(() => {
  'use strict';
  const act = globalThis.__quartetAct;
  if (!act || act.calendar) return;
  const { up, inside, closestBy, getRootNode, openRoot, attr, localName, matches, queryAll, rectOf, innerText, squash, shown, hold, elOf, isElement, textContent, isInput, inputValue } = act.kit;

  // Month names by number, English first; enough letters to tell them apart.
  const MONTHS = [
    ['jan', 'ene', 'gen', 'janv', 'jän'], ['feb', 'fév', 'fev'], ['mar', 'mär', 'maa', 'mrz'], ['apr', 'avr', 'abr'],
    ['may', 'mai', 'mei', 'mag'], ['jun', 'juin', 'giu'], ['jul', 'juil', 'lug'], ['aug', 'aoû', 'ago'],
    ['sep', 'set'], ['oct', 'okt', 'out', 'ott'], ['nov'], ['dec', 'dez', 'déc', 'dic'],
  ];
  const FULL = /^(january|february|march|april|may|june|july|august|september|october|november|december|januar|jänner|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|fevrier|mars|avril|juin|juillet|août|aout|septembre|octobre|novembre|décembre|decembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|januari|februari|maart|mei|augustus|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|okt|dez|mrz)$/;
  const monthOf = (word) => {
    const w = word.toLowerCase().replace(/\.$/, '');
    if (!FULL.test(w)) return 0;
    if (/^jui/.test(w)) return w.startsWith('juil') ? 7 : 6;
    for (let i = 0; i < 12; i++) if (MONTHS[i].some((p) => w.startsWith(p))) return i + 1;
    return 0;
  };
  const MAX = 14; // letters between the month's and the year's words
  // The month and year that a text names, or null.
  const monthYear = (text) => {
    const s = squash(text);
    let m = /(\d{4})\s*年\s*(\d{1,2})\s*月/.exec(s);
    if (m) return { y: +m[1], m: +m[2] };
    const years = [...s.matchAll(/(?<!\d)(19|20|21)\d{2}(?!\d)/g)];
    if (!years.length) return null;
    for (const w of s.matchAll(/\p{L}+\.?/gu)) {
      const n = monthOf(w[0]);
      if (!n) continue;
      const near = years.find((y) => y.index - (w.index + w[0].length) <= MAX && w.index - (y.index + 4) <= MAX);
      if (near) return { y: +near[0], m: n };
    }
    m = /(?<!\d)(\d{4})[-/.](\d{1,2})(?![-/.\d])/.exec(s) || null;
    if (m && +m[2] >= 1 && +m[2] <= 12) return { y: +m[1], m: +m[2] };
    m = /(?<![-/.\d])(\d{1,2})[-/.](\d{4})(?!\d)/.exec(s);
    if (m && +m[1] >= 1 && +m[1] <= 12) return { y: +m[2], m: +m[1] };
    return null;
  };

  // All the roots to look in: the document, open shadow roots, and the closed
  // ones around the field.
  const roots = (field) => {
    const out = [document];
    for (let i = 0; i < out.length && out.length < 200; i++) {
      for (const el of out[i].querySelectorAll('*')) {
        const r = localName(el).includes('-') || i > 0 ? openRoot(el) : openRoot(el);
        if (r) out.push(r);
      }
    }
    for (let r = field && getRootNode(field); r instanceof ShadowRoot; r = getRootNode(r.host)) if (!out.includes(r)) out.push(r);
    return out;
  };

  // The small numbers that are drawn: [{day, el, box}].
  const numbers = (field) => {
    const out = [];
    for (const r of roots(field)) {
      const w = document.createTreeWalker(r, NodeFilter.SHOW_TEXT);
      while (w.nextNode()) {
        const m = /^\s*(\d{1,2})\s*\.?\s*$/.exec(w.currentNode.data);
        if (!m || +m[1] < 1 || +m[1] > 31) continue;
        const el = up(w.currentNode);
        if (!el || matches(el, 'option,script,style,textarea') || !shown(el)) continue;
        const b = rectOf(el);
        out.push({ day: +m[1], el, box: b });
        if (out.length > 4000) return out;
      }
    }
    return out;
  };
  const distinct = (values, slack) => {
    const s = [...values].sort((a, b) => a - b);
    let n = 0;
    let last = -Infinity;
    for (const v of s) {
      if (v - last > slack) n++;
      last = v;
    }
    return n;
  };
  // The grids among them: smallest containers with the days 1 to 28.
  const grids = (nums) => {
    const found = [];
    for (const n of nums) {
      if (n.day !== 15) continue;
      for (let c = up(n.el), i = 0; c && i < 10; c = up(c), i++) {
        const cells = nums.filter((x) => inside(c, x.el));
        const days = new Set(cells.map((x) => x.day));
        let all = true;
        for (let d = 1; d <= 28; d++) all = all && days.has(d);
        if (!all) continue;
        if (cells.length > 60 || found.some((g) => g.el === c)) break;
        const cols = distinct(cells.map((x) => x.box.left + x.box.width / 2), 4);
        const rows = distinct(cells.map((x) => x.box.top + x.box.height / 2), 4);
        if (cols >= 5 && cols <= 8 && rows >= 4 && rows <= 8) found.push({ el: c, cells });
        break;
      }
    }
    return found;
  };

  // The text around a grid, without its cells; a select counts by what it shows.
  const around = (anc, grid) => {
    let s = '';
    const walk = (n, depth) => {
      if (n === grid || depth > 30 || s.length > 3000) return;
      if (n.nodeType === 3) {
        s += ` ${n.data}`;
        return;
      }
      if (isElement(n)) {
        if (!shown(n) && localName(n) !== 'caption') return;
        if (n instanceof HTMLSelectElement) {
          s += ` ${squash(n.selectedOptions[0] ? textContent(n.selectedOptions[0]) : '')}`;
          return;
        }
        if (isInput(n)) {
          if (matches(n, '[type=number],[aria-label*=year i]')) s += ` ${inputValue(n)}`;
          return;
        }
        const r = openRoot(n);
        if (r) walk(r, depth + 1);
      }
      for (const c of n.childNodes) walk(c, depth + 1);
    };
    walk(anc, 0);
    return s;
  };
  const named = (el) => {
    const ids = (attr(el, 'aria-labelledby') || '').split(/\s+/).filter(Boolean);
    const r = getRootNode(el);
    const by = ids.map((id) => r.getElementById && r.getElementById(id)).filter(Boolean).map((x) => textContent(x)).join(' ');
    const cap = queryAll(el, 'caption')[0];
    return [by, attr(el, 'aria-label') || '', cap ? textContent(cap) : '', textContent(queryAll(el, 'thead')[0] || document.createElement('i'))];
  };
  const monthOfGrid = (g) => {
    for (const t of named(g.el)) {
      const my = monthYear(t);
      if (my) return { ...my, anc: up(g.el) || g.el };
    }
    for (let a = g.el, i = 0; a && i < 7; a = up(a), i++) {
      if (i > 0) {
        for (const t of named(a)) {
          const my = monthYear(t);
          if (my) return { ...my, anc: a };
        }
      }
      const my = monthYear(around(a, g.el));
      if (my) return { ...my, anc: a };
    }
    return null;
  };

  const CLICKABLE = 'button,a,[role=button],[role=gridcell],[tabindex],td,[onclick],[aria-label]';
  const nameOf = (el) => squash([attr(el, 'aria-label'), attr(el, 'title'), innerTextOf(el), attr(el, 'data-action'), isInput(el) ? inputValue(el) : ''].filter(Boolean).join(' '));
  const innerTextOf = (el) => squash(el instanceof HTMLElement ? innerText(el) : textContent(el));
  const NEXT = /\b(next|following|forward|weiter|vor(wärts)?|nächste[rn]?|suivante?|siguiente|successivo|volgende)\b|^[›»→>▶❯⟩▸]+$|chevron[-_ ]?right|arrow[-_ ]?(right|forward)/i;
  const PREV = /\b(prev|previous|back|earlier|zurück|vorige[rn]?|vorherige[rn]?|précédente?|anterior|precedente|vorige)\b|^[‹«←<◀❮⟨◂]+$|chevron[-_ ]?left|arrow[-_ ]?(left|back)/i;
  const YEAR = /\b(year|jahr|année|año|anno|jaar|decade)\b|[«»]|^(<<|>>)$/i;

  const turners = (g, my) => {
    for (let a = my.anc, i = 0; a && i < 5 && isElement(a); a = up(a), i++) {
      const els = [...queryAll(a, '*')].filter((n) => !inside(g.el, n) && !inside(n, g.el) && shown(n));
      const ctl = els.filter((n) => matches(n, CLICKABLE) || localName(n) === 'svg' || getComputedStyle(n).cursor === 'pointer' || /^[‹›«»←→<>◀▶❮❯⟨⟩◂▸]+$/.test(innerTextOf(n)));
      const pick = (re) => {
        const hits = ctl.filter((n) => re.test(nameOf(n)) || re.test(attr(n, 'class') || '') && rectOf(n).width < 80);
        const small = hits.filter((n) => !hits.some((o) => o !== n && inside(n, o)));
        const byMonth = small.filter((n) => !YEAR.test(nameOf(n)));
        return { month: (byMonth[0] || small[0]) ?? null, year: small.find((n) => YEAR.test(nameOf(n))) ?? null };
      };
      const next = pick(NEXT);
      const prev = pick(PREV);
      if (next.month && prev.month) return { next: next.month, prev: prev.month, nextYear: next.year, prevYear: prev.year };
      // By place: what can be clicked left and right of the month's words.
      const words = els.filter((n) => monthYear(innerTextOf(n)) && innerTextOf(n).length < 30).pop();
      if (words) {
        const w = rectOf(words);
        const row = ctl.filter((n) => {
          const b = rectOf(n);
          return n !== words && !inside(n, words) && Math.abs(b.top + b.height / 2 - w.top - w.height / 2) < 24 && b.width < 90;
        });
        const left = row.filter((n) => rectOf(n).right <= w.left + 4).sort((p, q) => rectOf(q).right - rectOf(p).right)[0];
        const right = row.filter((n) => rectOf(n).left >= w.right - 4).sort((p, q) => rectOf(p).left - rectOf(q).left)[0];
        if (left && right) return { next: right, prev: left };
      }
    }
    return {};
  };

  const iso = (y, m, d) => `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
  // The whole date that a cell's words or data name, or ''.
  const dateOfCell = (cell) => {
    for (const k of ['data-date', 'datetime', 'data-day', 'data-value', 'aria-label', 'title', 'data-iso']) {
      const v = attr(cell, k);
      if (!v) continue;
      const m = /(\d{4})-(\d{1,2})-(\d{1,2})/.exec(v);
      if (m) return iso(+m[1], +m[2], +m[3]);
      const my = monthYear(v);
      const d = /(?<!\d)([0-3]?\d)(?:st|nd|rd|th|\.)?(?!\d)/.exec(v.replace(/\d{4}/, ''));
      if (my && d) return iso(my.y, my.m, +d[1]);
    }
    return '';
  };
  // The thing around a number that takes the click: the nearest that looks
  // like a day and holds no other number, else the number's own box.
  const cellOf = (n, grid) => {
    for (let c = n.el; c && c !== grid.el && isElement(c); c = up(c)) {
      if (grid.cells.some((o) => o !== n && inside(c, o.el))) break;
      if (matches(c, 'button,a,[role=gridcell],[role=button],[tabindex],td')) return c;
    }
    return n.el;
  };

  // The calendars shown, the likeliest for the field first.
  const read = (ref) => {
    const field = ref ? elOf(ref) : null;
    const out = [];
    for (const g of grids(numbers(field))) {
      const my = monthOfGrid(g);
      if (!my) continue;
      const cells = g.cells;
      const first = cells.findIndex((c) => c.day === 1);
      if (first < 0) continue;
      let last = cells.findIndex((c, i) => i > first && c.day === 1);
      if (last < 0) last = cells.length;
      const days = [];
      cells.forEach((c, i) => {
        const cell = cellOf(c, g);
        const own = dateOfCell(cell) || dateOfCell(c.el) || (up(cell) && isElement(up(cell)) && up(cell) !== g.el ? dateOfCell(up(cell)) : '');
        const date = own || (i >= first && i < last ? iso(my.y, my.m, c.day) : '');
        if (!date) return;
        const off = matches(cell, ':disabled') || Boolean(closestBy(cell, (n) => n !== g.el && inside(g.el, n) && attr(n, 'aria-disabled') === 'true'));
        days.push({ date, ref: hold(cell), disabled: off, name: nameOf(cell) });
      });
      const t = turners(g, my);
      const b = rectOf(g.el);
      const dialog = closestBy(g.el, (n) => matches(n, 'dialog,[role=dialog]'));
      const fb = field && shown(field) ? rectOf(field) : b;
      const aria = matches(g.el, 'table,[role=grid]') || Boolean(queryAll(g.el, '[role=gridcell],td').length) || Boolean(closestBy(g.el, (n) => matches(n, 'table,[role=grid]')));
      const done = dialog || up(my.anc) ? [...queryAll(dialog || my.anc, 'button,[role=button]')].find((n) => shown(n) && /^(ok|okay|apply|done|select|set|choose|confirm|übernehmen|fertig|aplicar|appliquer)( date)?$/i.test(nameOf(n))) : null;
      out.push({
        year: my.y, month: my.m, days, aria,
        next: t.next ? hold(t.next) : '', prev: t.prev ? hold(t.prev) : '',
        nextYear: t.nextYear ? hold(t.nextYear) : '', prevYear: t.prevYear ? hold(t.prevYear) : '',
        done: done ? hold(done) : '',
        box: { x: b.left, y: b.top, w: b.width, h: b.height },
        far: Math.hypot(b.left - fb.left, b.top - fb.bottom) - (dialog ? 1e4 : 0) - (field && (inside(field, g.el)) ? 1e5 : 0),
      });
    }
    return out.sort((a, b) => a.far - b.far);
  };
  // The calendars, waited for at most ms until one is there (other than was).
  act.calendar = async (ref, ms, was) => {
    const until = performance.now() + ms;
    for (;;) {
      const all = read(ref);
      if ((all.length && (!was || `${all[0].year}-${all[0].month}` !== was)) || performance.now() >= until) return all;
      await act.change(Math.max(1, Math.min(100, until - performance.now())));
    }
  };
  // The field that a date button belongs to: itself, or the one input beside it.
  // A bare box shows the date itself; an input beside it is another field.
  act.dateField = (ref) => {
    const el = elOf(ref);
    if (!el) return null;
    const f = act.facts(ref);
    if (f && f.editable) return { ref, own: true };
    if (localName(el) !== 'button' && !/^(button|combobox)$/.test(attr(el, 'role') || '') && textContent(el).trim() !== '') return { ref, own: true };
    const inputs = (n) => [...(matches(n, 'input') ? [n] : []), ...queryAll(n, 'input')].filter((x) => !/^(hidden|checkbox|radio|button|submit|file)$/.test(x.type) && shown(x));
    for (let a = el, i = 0; a && i < 4; a = up(a), i++) {
      if (!isElement(a)) break;
      // The input just before or after it, else the only one around both.
      for (const n of [a.previousElementSibling, a.nextElementSibling]) {
        const near = n ? inputs(n) : [];
        if (near.length === 1) return { ref: hold(near[0]), own: false };
      }
      const p = up(a);
      const all = isElement(p) ? inputs(p) : [];
      if (all.length === 1) return { ref: hold(all[0]), own: false };
      if (all.length > 1) break;
    }
    return { ref, own: true };
  };
  act.monthYear = monthYear;
})();
