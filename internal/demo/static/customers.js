'use strict';
// The table is replaced when its answer comes; late answers of older questions
// are dropped.
(() => {
  const table = document.getElementById('table'), body = table.tBodies[0];
  const state = { q: '', sort: 'name', dir: 'asc', page: 1 };
  let asked = 0, timer = 0;

  function cell(text, cls) {
    const td = document.createElement('td');
    td.textContent = text;
    if (cls) td.className = cls;
    return td;
  }

  function row(c) {
    const tr = document.createElement('tr');
    const name = document.createElement('td'), a = document.createElement('a');
    a.href = `/customers/${c.id}`;
    a.textContent = c.name;
    name.append(a);
    const status = document.createElement('td'), badge = document.createElement('span');
    badge.className = `badge ${c.status === 'Active' ? 'good' : 'wait'}`;
    badge.textContent = c.status;
    status.append(badge);
    tr.append(name, cell(c.city), cell(c.plan), status, cell(c.seats, 'num'), cell(`£${c.revenue.toLocaleString('en-GB')}`, 'num'), cell(c.owner));
    return tr;
  }

  async function load() {
    const mine = ++asked;
    table.setAttribute('aria-busy', 'true');
    document.getElementById('busy').hidden = false;
    const got = await (await fetch(`/api/customers?${new URLSearchParams(state)}`)).json();
    if (mine !== asked) return;
    state.page = got.page;
    if (got.rows && got.rows.length) body.replaceChildren(...got.rows.map(row));
    else {
      const tr = document.createElement('tr'), td = cell('No customers match your search.');
      td.colSpan = 7;
      tr.append(td);
      body.replaceChildren(tr);
    }
    table.removeAttribute('aria-busy');
    document.getElementById('busy').hidden = true;
    document.getElementById('count').textContent = got.total === 1 ? '1 customer' : `${got.total} customers`;
    document.getElementById('page').textContent = `Page ${got.page} of ${got.pages}`;
    document.getElementById('prev').disabled = got.page <= 1;
    document.getElementById('next').disabled = got.page >= got.pages;
  }

  document.getElementById('search').addEventListener('input', (e) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.q = e.target.value;
      state.page = 1;
      load();
    }, 250);
  });
  table.tHead.addEventListener('click', (e) => {
    const by = e.target.dataset.sort;
    if (!by) return;
    state.dir = state.sort === by && state.dir === 'asc' ? 'desc' : 'asc';
    state.sort = by;
    state.page = 1;
    for (const th of table.tHead.rows[0].cells) th.removeAttribute('aria-sort');
    e.target.closest('th').setAttribute('aria-sort', state.dir === 'asc' ? 'ascending' : 'descending');
    load();
  });
  document.getElementById('prev').addEventListener('click', () => { state.page--; load(); });
  document.getElementById('next').addEventListener('click', () => { state.page++; load(); });
  load();
})();
