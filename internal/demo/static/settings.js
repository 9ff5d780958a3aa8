'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const save = (section, data, said) => larkspur.post(`/api/settings/${section}`, data).then(() => larkspur.toast(said), (e) => larkspur.toast(e.message));

  $('profileform').addEventListener('submit', (e) => {
    e.preventDefault();
    save('profile', Object.fromEntries(new FormData(e.target)), 'Profile saved');
  });

  // Contacts: one handler for the whole list.
  $('people').addEventListener('click', async (e) => {
    const what = e.target.dataset.do, li = e.target.closest('li');
    if (!what) return;
    if (what === 'delete' && !confirm(`Delete ${li.dataset.name}? This can't be undone.`)) return;
    try {
      await larkspur.post(`/api/contacts/${li.dataset.id}/${what}`);
    } catch (err) {
      return larkspur.toast(err.message);
    }
    if (what !== 'invite') li.remove();
    larkspur.toast({ delete: 'Contact deleted', archive: 'Contact archived', invite: `Invite sent to ${li.dataset.name}` }[what]);
  });
  $('export').addEventListener('click', async () => {
    const ids = [...document.querySelectorAll('#people input:checked')].map((i) => i.closest('li').dataset.id);
    const { count } = await larkspur.post('/api/contacts/export', { ids });
    larkspur.toast(count === 1 ? '1 contact exported' : `${count} contacts exported`);
  });

  // Reordering with the pointer.
  const list = $('widgets');
  let held = null, before = '';
  const order = () => [...list.children].map((li) => li.dataset.name);
  list.addEventListener('pointerdown', (e) => {
    held = e.target.closest('li');
    if (!held || e.button !== 0) return void (held = null);
    before = order().join();
    held.classList.add('held');
    list.setPointerCapture(e.pointerId);
    e.preventDefault();
  });
  list.addEventListener('pointermove', (e) => {
    if (!held) return;
    for (const li of list.children) {
      const r = li.getBoundingClientRect();
      if (li === held || e.clientY < r.top || e.clientY > r.bottom) continue;
      const down = held.compareDocumentPosition(li) & Node.DOCUMENT_POSITION_FOLLOWING;
      list.insertBefore(held, down ? li.nextSibling : li);
      break;
    }
  });
  function drop() {
    if (!held) return;
    held.classList.remove('held');
    held = null;
    if (order().join() !== before) save('widgets', { widgets: order() }, 'Order saved');
  }
  list.addEventListener('pointerup', drop);
  list.addEventListener('pointercancel', drop);

  // The note asks before one leaves it unsaved.
  const note = $('note');
  let dirty = false;
  function mark(d) {
    dirty = d;
    $('dirty').hidden = !d;
  }
  note.addEventListener('input', () => mark(true));
  $('savenote').addEventListener('click', async () => {
    await save('note', { note: note.innerText }, 'Note saved');
    mark(false);
  });
  window.addEventListener('beforeunload', (e) => { if (dirty) e.preventDefault(); });

  // Mail preferences come from another team, as a closed component.
  const sheet = `
    :host{display:block;font:inherit}
    .row{display:flex;justify-content:space-between;align-items:center;padding:.3rem 0 1rem}
    label{display:block;font-weight:600;font-size:.88rem;margin-bottom:.3rem}
    input{font:inherit;width:100%;box-sizing:border-box;padding:.52rem .7rem;border:1px solid #cfd0e0;border-radius:8px}
    button.save{font:inherit;font-weight:600;margin-top:1.1rem;border:0;border-radius:8px;padding:.5rem .95rem;background:#4f46b8;color:#fff;cursor:pointer}
    button.switch{width:44px;height:25px;border-radius:99px;border:0;background:#c4c6d8;position:relative;cursor:pointer;padding:0}
    button.switch::after{content:"";position:absolute;left:3px;top:3px;width:19px;height:19px;border-radius:50%;background:#fff;transition:left .15s}
    button.switch[aria-checked=true]{background:#13795b}
    button.switch[aria-checked=true]::after{left:22px}
    :focus-visible{outline:3px solid #9d95f5;outline-offset:2px}`;
  customElements.define('larkspur-mail', class extends HTMLElement {
    connectedCallback() {
      const root = this.attachShadow({ mode: 'closed' });
      root.innerHTML = `<style>${sheet}</style>
        <div class="row"><span id="n">Notifications</span><button type="button" class="switch" role="switch" aria-labelledby="n"></button></div>
        <label for="s">Signature</label><input id="s" type="text"><button type="button" class="save">Save signature</button>`;
      const knob = root.querySelector('.switch'), field = root.querySelector('input');
      knob.setAttribute('aria-checked', this.dataset.notify);
      field.value = this.dataset.signature;
      knob.addEventListener('click', () => {
        const on = knob.getAttribute('aria-checked') !== 'true';
        knob.setAttribute('aria-checked', on);
        save('notifications', { notifications: on }, on ? 'Notifications on' : 'Notifications off');
      });
      root.querySelector('.save').addEventListener('click', () => save('signature', { signature: field.value }, 'Signature saved'));
    }
  });
})();
