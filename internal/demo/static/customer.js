'use strict';
// Seats: a spin control, a confirmation, a toast.
(() => {
  const $ = (id) => document.getElementById(id);
  const billing = $('billing'), spin = $('spin'), modal = $('modal');
  let count = 1;

  function set(n) {
    count = Math.min(500, Math.max(1, n));
    spin.setAttribute('aria-valuenow', count);
    spin.value = count;
  }
  function meter() {
    $('meter').style.width = `${Math.min(100, (100 * Number($('inuse').textContent)) / Number($('seats').textContent))}%`;
  }
  function close() {
    modal.hidden = true;
    $('add').focus();
  }

  billing.addEventListener('click', (e) => {
    if (e.target.dataset.step) set(count + Number(e.target.dataset.step));
  });
  spin.addEventListener('keydown', (e) => {
    const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
    if (!steps[e.key]) return;
    set(count + steps[e.key]);
    e.preventDefault();
  });
  // While one types the text is left alone; it counts once it is a number.
  spin.addEventListener('input', () => {
    if (!/^\d{1,3}$/.test(spin.value)) return;
    count = Math.min(500, Math.max(1, Number(spin.value)));
    spin.setAttribute('aria-valuenow', count);
  });
  spin.addEventListener('blur', () => set(count));
  $('add').addEventListener('click', () => {
    $('modaltext').textContent = `Add ${count} ${count === 1 ? 'seat' : 'seats'} to ${billing.dataset.name}? The next invoice will show the change.`;
    modal.hidden = false;
    $('confirm').disabled = false;
    $('confirm').focus();
  });
  $('cancel').addEventListener('click', close);
  modal.addEventListener('keydown', (e) => { if (e.key === 'Escape') close(); });
  $('confirm').addEventListener('click', async () => {
    $('confirm').disabled = true;
    const added = count;
    try {
      const c = await larkspur.post(`/api/customers/${billing.dataset.id}/seats`, { count: added });
      $('seats').textContent = c.seats;
      $('revenue').textContent = `£${c.revenue.toLocaleString('en-GB')}`;
      meter();
      set(1);
      larkspur.toast(`${added} ${added === 1 ? 'seat' : 'seats'} added`);
    } catch (err) {
      larkspur.toast(err.message);
    }
    close();
  });
  meter();
})();
