// Tells when a document has stopped changing. Idempotent; it observes only
// while somebody waits.
(() => {
  if (globalThis.__quartetQuiet) return;
  // Resolves true after ms without a mutation in the document (and in the open
  // shadow roots that exist when it is called), false after max.
  globalThis.__quartetQuiet = (ms, max) => new Promise((resolve) => {
    let timer = 0;
    const end = (ok) => {
      observer.disconnect();
      clearTimeout(timer);
      clearTimeout(limit);
      resolve(ok);
    };
    const rearm = () => {
      clearTimeout(timer);
      timer = setTimeout(end, ms, true);
    };
    const observer = new MutationObserver(rearm);
    const limit = setTimeout(end, max, false);
    const what = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document, what);
    const all = document.querySelectorAll('*');
    for (let i = 0; i < all.length && i < 20000; i++) {
      if (all[i].shadowRoot) observer.observe(all[i].shadowRoot, what);
    }
    rearm();
  });
})();
