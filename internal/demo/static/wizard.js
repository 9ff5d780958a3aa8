'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const panes = [...document.querySelectorAll('#wizard > [data-step]')];
  const draft = { customer_id: '', customer: '', lines: [], issue_date: '', due_date: '', service_date: '' };
  const money = (pence) => `£${(pence / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 })}`;
  let step = 0;

  function show(n) {
    step = n;
    panes.forEach((p, i) => { p.hidden = i !== n; });
    [...$('steps').children].forEach((li, i) => {
      li.classList.toggle('done', i < n);
      if (i === n) li.setAttribute('aria-current', 'step');
      else li.removeAttribute('aria-current');
    });
    $('problem').hidden = true;
    $('back').hidden = n === 0 || n === 4;
    $('continue').hidden = n > 2;
    $('create').hidden = n !== 3;
    if (n === 3) review();
  }
  function problem(text) {
    $('problem').textContent = text;
    $('problem').hidden = false;
  }

  // Customer: the options come late and are put at the end of the body.
  const who = $('who');
  let list = null, timer = 0, asked = 0;
  function shut() {
    list?.remove();
    list = null;
    asked++;
    who.setAttribute('aria-expanded', 'false');
    who.removeAttribute('aria-activedescendant');
  }
  async function open() {
    const mine = ++asked;
    const rows = await (await fetch(`/api/customer-names?q=${encodeURIComponent(draft.customer_id ? '' : who.value)}`)).json();
    if (mine !== asked) return;
    list?.remove();
    list = document.createElement('div');
    list.id = 'who-options';
    list.className = 'options';
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', 'Customers');
    (rows ?? []).forEach((c, i) => {
      const o = document.createElement('div');
      o.id = `who-${i}`;
      o.setAttribute('role', 'option');
      o.setAttribute('aria-selected', 'false');
      o.textContent = c.name;
      o.dataset.id = c.id;
      o.addEventListener('mousedown', (e) => e.preventDefault());
      o.addEventListener('click', () => choose(o));
      list.append(o);
    });
    if (!list.children.length) list.textContent = 'No customer of this name';
    const r = who.getBoundingClientRect();
    list.style.cssText = `left:${r.left + scrollX}px;top:${r.bottom + scrollY + 4}px;width:${r.width}px`;
    document.body.append(list);
    who.setAttribute('aria-expanded', 'true');
  }
  function choose(o) {
    draft.customer_id = o.dataset.id;
    draft.customer = who.value = o.textContent;
    shut();
  }
  function soon() {
    clearTimeout(timer);
    timer = setTimeout(open, 250);
  }
  who.addEventListener('click', () => { if (!list) soon(); });
  who.addEventListener('input', () => {
    draft.customer_id = '';
    soon();
  });
  who.addEventListener('blur', () => {
    clearTimeout(timer);
    shut();
    // A name typed out counts only when it was picked.
    who.value = draft.customer_id ? draft.customer : who.value;
  });
  who.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') return shut();
    if (e.key === 'ArrowDown' && !list) return soon();
    if (!list || !list.children.length) return;
    const all = [...list.children], at = all.findIndex((o) => o.getAttribute('aria-selected') === 'true');
    if (e.key === 'Enter' && at >= 0) choose(all[at]);
    else if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const to = (at + (e.key === 'ArrowDown' ? 1 : -1) + all.length) % all.length;
      all.forEach((o, i) => o.setAttribute('aria-selected', String(i === to)));
      who.setAttribute('aria-activedescendant', all[to].id);
    } else return;
    e.preventDefault();
  });

  // Line items.
  function addLine() {
    const div = document.createElement('div'), n = $('lines').children.length + 1;
    div.className = 'lineitem';
    div.setAttribute('role', 'group');
    div.setAttribute('aria-label', `Line ${n}`);
    div.innerHTML = `<div><label for="d${n}">Description</label><input id="d${n}" data-f="description"></div>
      <div><label for="q${n}">Quantity</label><input id="q${n}" data-f="quantity" type="number" min="1" value="1"></div>
      <div><label for="u${n}">Unit price</label><input id="u${n}" data-f="unit_price" inputmode="decimal" placeholder="0.00"></div>`;
    $('lines').append(div);
  }
  function readLines() {
    draft.lines = [...$('lines').children].map((div) => {
      const v = (f) => div.querySelector(`[data-f=${f}]`).value.trim();
      return { description: v('description'), quantity: parseInt(v('quantity'), 10) || 0, unit_price: Math.round(parseFloat(v('unit_price').replace(/[£,]/g, '')) * 100) || 0 };
    });
    return draft.lines.reduce((sum, l) => sum + l.quantity * l.unit_price, 0);
  }
  $('lines').addEventListener('input', () => { $('total').textContent = money(readLines()); });
  $('addline').addEventListener('click', addLine);
  addLine();

  // Dates.
  const today = document.body.dataset.today;
  $('issue').addEventListener('change', (e) => { draft.issue_date = e.target.value; });
  calendar.grid({
    dialog: $('duedialog'), title: $('calmonth'), table: $('duedialog').querySelector('table'), previous: $('pm'), next: $('nm'),
    openers: [$('duebtn'), $('due')], today,
    chosen: (d) => {
      draft.due_date = d;
      $('due').value = calendar.long(d);
    },
  });
  calendar.bare({ box: $('service'), today, chosen: (d) => { draft.service_date = d; } });

  function review() {
    const facts = { Customer: draft.customer, 'Line items': draft.lines.length, 'Issue date': calendar.long(draft.issue_date), 'Due date': calendar.long(draft.due_date), 'Service date': calendar.long(draft.service_date), Total: money(readLines()) };
    $('review').replaceChildren(...Object.entries(facts).map(([k, v]) => {
      const div = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = k;
      dd.textContent = v;
      div.append(dt, dd);
      return div;
    }));
  }

  function wrong() {
    if (step === 0 && !draft.customer_id) return 'Please choose a customer from the list.';
    if (step === 1) {
      readLines();
      if (draft.lines.some((l) => !l.description || l.quantity < 1 || l.unit_price < 1)) return 'Every line needs a description, a quantity and a price.';
    }
    if (step === 2) {
      draft.issue_date = $('issue').value;
      if (!draft.issue_date || !draft.due_date || !draft.service_date) return 'Please set all three dates.';
      if (draft.due_date < draft.issue_date) return 'The due date is before the issue date.';
    }
    return '';
  }
  $('continue').addEventListener('click', () => {
    const w = wrong();
    if (w) problem(w);
    else show(step + 1);
  });
  $('back').addEventListener('click', () => show(step - 1));

  // Payment.
  const payOrigin = document.body.dataset.pay;
  let made = null;
  $('create').addEventListener('click', async () => {
    $('create').disabled = true;
    try {
      made = await larkspur.post('/api/invoices', draft);
    } catch (err) {
      $('create').disabled = false;
      return problem(err.message);
    }
    const frame = document.createElement('iframe');
    frame.title = 'Card payment';
    frame.src = made.card;
    $('cardframe').replaceChildren(frame);
    larkspur.toast(`Invoice ${made.id} created`);
    show(4);
  });
  window.addEventListener('message', (e) => {
    if (e.origin !== payOrigin || e.data?.type !== 'tollgate' || !made) return;
    if (e.data.status === 'accepted') {
      larkspur.flash('Payment accepted');
      location.href = `/invoices/${made.id}`;
      return;
    }
    $('payresult').textContent = `${e.data.status === 'rejected' ? 'Payment rejected' : 'Payment failed'}: ${e.data.error}`;
    $('payresult').hidden = false;
  });
  show(0);
})();
