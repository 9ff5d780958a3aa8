'use strict';
// Two date pickers of the invoice wizard: a good one, an ARIA grid in a dialog,
// and a bad one, divs without any role.
const calendar = (() => {
  const iso = (d) => `${d.getFullYear()}-${String(d.getMonth() + 1).padStart(2, '0')}-${String(d.getDate()).padStart(2, '0')}`;
  const parse = (s) => new Date(Number(s.slice(0, 4)), Number(s.slice(5, 7)) - 1, Number(s.slice(8, 10)), 12);
  const long = (s) => parse(s).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });
  const monthName = (d) => d.toLocaleDateString('en-GB', { month: 'long', year: 'numeric' });

  // Six weeks from the Monday on or before the first of the month.
  function weeks(month) {
    const first = new Date(month.getFullYear(), month.getMonth(), 1, 12);
    const start = 1 - ((first.getDay() + 6) % 7);
    return Array.from({ length: 42 }, (_, i) => new Date(month.getFullYear(), month.getMonth(), start + i, 12));
  }
  const turn = (month, by) => new Date(month.getFullYear(), month.getMonth() + by, 1, 12);

  function grid({ dialog, title, table, previous, next, openers, today, chosen }) {
    let month = parse(today), value = '', focus = today;
    function draw(withFocus) {
      title.textContent = monthName(month);
      const days = weeks(month), rows = [];
      for (let w = 0; w < 6; w++) {
        const tr = document.createElement('tr');
        for (const d of days.slice(w * 7, w * 7 + 7)) {
          const td = document.createElement('td');
          td.setAttribute('role', 'gridcell');
          if (d.getMonth() === month.getMonth()) {
            td.textContent = d.getDate();
            td.dataset.date = iso(d);
            td.setAttribute('aria-label', long(iso(d)));
            td.tabIndex = iso(d) === focus ? 0 : -1;
            if (iso(d) === value) td.setAttribute('aria-selected', 'true');
          }
          tr.append(td);
        }
        rows.push(tr);
      }
      table.tBodies[0].replaceChildren(...rows);
      if (withFocus) table.querySelector('[tabindex="0"]')?.focus();
    }
    function choose(d) {
      value = d;
      dialog.hidden = true;
      openers[0].focus();
      chosen(d);
    }
    function close() {
      dialog.hidden = true;
      openers[0].focus();
    }
    for (const o of openers) {
      o.addEventListener('click', () => {
        month = parse(value || today);
        focus = value || today;
        dialog.hidden = false;
        draw(true);
      });
    }
    previous.addEventListener('click', () => { month = turn(month, -1); draw(); });
    next.addEventListener('click', () => { month = turn(month, 1); draw(); });
    table.addEventListener('click', (e) => { if (e.target.dataset.date) choose(e.target.dataset.date); });
    dialog.addEventListener('keydown', (e) => {
      if (e.key === 'Escape') return close();
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[e.key];
      const on = e.target.dataset.date;
      if (!on) return;
      if (e.key === 'Enter' || e.key === ' ') choose(on);
      else if (step) {
        const d = parse(on);
        d.setDate(d.getDate() + step);
        focus = iso(d);
        month = turn(d, 0);
        draw(true);
      } else return;
      e.preventDefault();
    });
  }

  function bare({ box, today, chosen }) {
    const shown = box.children[0], pop = box.children[1];
    let month = parse(today), value = '';
    const div = (cls, text) => {
      const d = document.createElement('div');
      d.className = cls;
      d.textContent = text;
      return d;
    };
    function draw() {
      const head = div('bdhead', '');
      head.append(div('bdnav', '‹'), div('', monthName(month)), div('bdnav', '›'));
      head.children[0].onclick = () => { month = turn(month, -1); draw(); };
      head.children[2].onclick = () => { month = turn(month, 1); draw(); };
      const days = div('bddays', '');
      for (const w of ['M', 'T', 'W', 'T', 'F', 'S', 'S']) days.append(div('w', w));
      for (const d of weeks(month)) {
        const out = d.getMonth() !== month.getMonth();
        const el = div(`d${out ? ' out' : ''}${iso(d) === value ? ' on' : ''}`, d.getDate());
        el.onclick = () => {
          value = iso(d);
          shown.textContent = d.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
          shown.classList.add('set');
          pop.hidden = true;
          chosen(value);
        };
        days.append(el);
      }
      pop.replaceChildren(head, days);
    }
    shown.onclick = () => {
      pop.hidden = !pop.hidden;
      if (!pop.hidden) draw();
    };
  }

  return { grid, bare, long };
})();
