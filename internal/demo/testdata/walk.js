// Walks the demo's pages by plain DOM scripting, one step a call. It waits for
// what a step needs, because the pages render late.
async (step, ...args) => {
  const until = async (what, f) => {
    for (const end = Date.now() + 15000; Date.now() < end;) {
      const v = f();
      if (v) return v;
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error(`waited for ${what} in ${location.href}: ${document.body.innerText.slice(0, 600)}`);
  };
  const shown = (el) => el && el.getClientRects().length > 0;
  const named = (sel, text) => [...document.querySelectorAll(sel)].find((e) => shown(e) && (e.textContent.trim() === text || e.getAttribute('aria-label') === text));
  const set = (el, value) => {
    el.focus();
    el.value = value;
    el.dispatchEvent(new Event('input', { bubbles: true }));
    el.dispatchEvent(new Event('change', { bubbles: true }));
  };
  switch (step) {
    case 'click':
      (await until(args[1], () => named(args[0], args[1]))).click();
      return null;
    case 'fill':
      set(await until(args[0], () => document.querySelector(args[0])), args[1]);
      return null;
    case 'focus':
      (await until(args[0], () => document.querySelector(args[0]))).focus();
      return null;
    case 'see':
      await until(args[0], () => document.body.innerText.includes(args[0]));
      return null;
    case 'gone':
      await until(`no ${args[0]}`, () => !document.body.innerText.includes(args[0]));
      return null;
    case 'at':
      await until(args[0], () => location.pathname === args[0] && document.readyState === 'complete');
      return null;
    case 'count':
      return document.querySelectorAll(args[0]).length;
    case 'text':
      return document.querySelector(args[0])?.textContent ?? '';
    case 'box': {
      const r = document.querySelector(args[0]).getBoundingClientRect();
      return [r.left, r.top, r.width, r.height];
    }
    case 'over': {
      const el = await until(args[1], () => named(args[0], args[1])), r = el.getBoundingClientRect();
      return document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2)?.closest('[id]')?.id ?? '';
    }
    default:
      throw new Error(`no step ${step}`);
  }
}
