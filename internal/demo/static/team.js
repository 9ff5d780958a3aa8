'use strict';
document.getElementById('invite').addEventListener('submit', async (e) => {
  e.preventDefault();
  const form = e.target, d = new FormData(form);
  const note = document.getElementById('invited');
  try {
    await larkspur.post('/api/invitations', { name: d.get('name'), email: d.get('email'), role: d.get('role'), areas: d.getAll('area'), message: d.get('message') });
    note.className = 'alert ok';
    note.textContent = `Invitation sent to ${d.get('email')}.`;
    form.reset();
  } catch (err) {
    note.className = 'alert bad';
    note.textContent = err.message;
  }
  note.hidden = false;
});
