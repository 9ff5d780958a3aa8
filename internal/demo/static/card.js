'use strict';
// The processor's form. It tells the page around it how the payment ended.
(() => {
  const form = document.getElementById('card'), alert = document.getElementById('alert'), pay = form.querySelector('button');
  const { parent: origin, payment } = document.body.dataset;

  function fail(text, status) {
    alert.textContent = text;
    alert.hidden = false;
    pay.disabled = false;
    pay.textContent = 'Pay';
    if (status) window.parent.postMessage({ type: 'tollgate', status, error: text }, origin);
  }

  form.addEventListener('submit', async (e) => {
    e.preventDefault();
    const d = Object.fromEntries(new FormData(form));
    if (!/^[\d -]{12,23}$/.test(d.number)) return fail('Your card number is not complete.');
    if (!/^\d\d ?\/ ?\d\d(\d\d)?$/.test(d.expiry)) return fail('The expiry date must look like 04 / 29.');
    if (!/^\d{3,4}$/.test(d.cvc)) return fail('The CVC has three or four digits.');
    if (!d.name.trim()) return fail('Please enter the name on the card.');
    alert.hidden = true;
    pay.disabled = true;
    pay.textContent = 'Processing…';
    let res, body;
    try {
      res = await fetch('/charge', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ payment, ...d }) });
      body = await res.json();
    } catch {
      return fail('The payment could not be completed.', 'error');
    }
    if (res.ok) window.parent.postMessage({ type: 'tollgate', status: 'accepted' }, origin);
    else fail(body.error, body.status || 'error');
  });
})();
