'use strict';
document.getElementById('access').addEventListener('click', async () => {
  await larkspur.post('/api/access');
  larkspur.toast('Your administrator will hear from us.');
});
