'use strict';
// Shared by all pages: toasts, the cookie banner, requests.
const larkspur = (() => {
  const toastMs = 3000;

  function toast(text) {
    const el = document.createElement('div');
    el.className = 'toast';
    el.setAttribute('role', 'status');
    el.textContent = text;
    document.getElementById('toasts').append(el);
    setTimeout(() => el.remove(), toastMs);
  }

  // A toast for the page that comes next.
  function flash(text) { sessionStorage.setItem('flash', text); }

  async function post(url, data) {
    let res;
    try {
      res = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data ?? {}) });
    } catch {
      throw new Error('The server did not answer.');
    }
    const body = await res.json().catch(() => ({}));
    if (!res.ok) throw new Error(body.error || 'Something went wrong.');
    return body;
  }

  const later = sessionStorage.getItem('flash');
  if (later) {
    sessionStorage.removeItem('flash');
    toast(later);
  }

  const cookies = document.getElementById('cookies');
  if (cookies && !document.cookie.includes('larkspur_consent=')) {
    cookies.hidden = false;
    cookies.addEventListener('click', (e) => {
      const choice = e.target.dataset.consent;
      if (!choice) return;
      document.cookie = `larkspur_consent=${choice}; path=/; max-age=31536000; samesite=lax`;
      cookies.hidden = true;
    });
  }

  return { toast, flash, post };
})();
