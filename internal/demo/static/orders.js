'use strict';
// A careless live list: every row is made anew several times a second, so an
// element that was found a moment ago is gone.
(async () => {
  const body = document.getElementById('orders');
  const since = Date.now();
  let orders = await (await fetch('/api/orders')).json();

  function draw() {
    body.replaceChildren(...orders.map((o, i) => {
      const tr = document.createElement('tr');
      for (const v of [o.id, o.customer, o.item, `£${o.amount.toLocaleString('en-GB')}`, `${i * 17 + Math.floor((Date.now() - since) / 1000)} s`]) {
        const td = document.createElement('td');
        td.textContent = v;
        tr.append(td);
      }
      tr.children[3].className = 'num';
      const last = document.createElement('td');
      if (o.approved) {
        last.innerHTML = '<span class="badge good">Approved</span>';
      } else {
        const b = document.createElement('button');
        b.className = 'plainbtn';
        b.textContent = 'Approve';
        b.dataset.id = o.id;
        last.append(b);
      }
      tr.append(last);
      return tr;
    }));
  }

  body.addEventListener('click', async (e) => {
    const id = e.target.dataset.id;
    if (!id) return;
    await larkspur.post(`/api/orders/${id}/approve`);
    orders = await (await fetch('/api/orders')).json();
    draw();
    larkspur.toast(`${id} approved`);
  });
  draw();
  setInterval(draw, 300);
})();
