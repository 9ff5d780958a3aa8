// The probe: what really received an event. Its listeners stand on the window
// from document start, in the capture phase, so that they see every trusted
// event before the page can stop it; they report at once through a binding, so
// that a navigation caused by the event cannot take the report away.
(() => {
  'use strict';
  const act = globalThis.__quartetAct;
  if (!act || act.arm) return;
  const { inside, closestBy, labelled, elOf, describe, listen, unlisten, isElement, rootsAround, selected, frame, attr } = act.kit;
  const KINDS = ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick', 'keydown', 'beforeinput', 'input', 'change', 'mouseover', 'dragstart', 'dragover', 'drop', 'wheel'];
  const attrNames = act.kit.method(Element, 'getAttributeNames');
  const isConnected = act.kit.getter(Node, 'isConnected');
  // What begins an input, and what of it the page's own code answers to.
  const BEGINS = ['pointerdown', 'mousedown', 'keydown'];
  const ANSWERED = ['click', 'keydown', 'beforeinput', 'input', 'change'];
  let armed = null;

  const on = (e) => {
    const a = armed;
    if (!a) return;
    const real = e.isTrusted || Boolean(act.isOurs && act.isOurs(e));
    if (real && BEGINS.includes(e.type) && !a.begun) a.begun = performance.now();
    if (e.type === 'click' && a.el && !a.marks) a.marks = marksOf(a.el);
    if (!a.timer && ANSWERED.includes(e.type)) a.timer = nextTimer();
    if (!a.kinds.includes(e.type)) return;
    const path = e.composedPath();
    const node = path.find(isElement);
    // The window comes first and sees only the host of a closed root; the
    // listener on the root itself then says which element inside it was meant.
    // One event is reported by the window and by each closed root on its way;
    // the last report is the most exact one.
    const outer = e.currentTarget !== window ? 'root' : node && a.hosts.has(node) ? 'host' : '';
    // Of many keys into one field, the first says it all.
    const last = e.type + outer;
    if (real && a.said.get(last) === node) return;
    a.said.set(last, real ? node : null);
    report(a, e.type, node, real, outer);
  };
  // What an input leaves behind that no observation shows: each is told once.
  const trace = (e) => {
    const at = e.composedPath()[0];
    const steady = e.type !== 'scroll' || rolls(at, e.timeStamp) < 3;
    const a = armed;
    if (!a) return;
    if (!a.begun) {
      a.adrift.add(at); // what moves by itself
      return;
    }
    if (!steady || a.adrift.has(at) || a.traced.has(e.type)) return;
    if (e.type === 'copy' || e.type === 'cut') {
      const took = e.defaultPrevented ? e.clipboardData && e.clipboardData.types.length : selected();
      if (!took) return;
    }
    a.traced.add(e.type);
    report(a, e.type, isElement(at) ? at : null, e.isTrusted, '');
  };
  // How often it has scrolled within the second before this time. What does so
  // all the time moves by itself; aiming at a target takes one or two.
  const rolled = new WeakMap();
  const rolls = (node, at) => {
    const times = (rolled.get(node) || []).filter((t) => at - t < 1000);
    rolled.set(node, [...times.slice(-3), at]);
    return times.length;
  };
  // The page's own marks on an element: data attributes, without those that say
  // where the pointer and the focus are, or that somebody counts.
  const PASSING = /focus|hover|press|active|ripple|touch|pointer|track|analytic|gtm|click/;
  const marksOf = (el) => {
    const names = attrNames(el).filter((n) => n.startsWith('data-') && !PASSING.test(n));
    return JSON.stringify(names.sort().map((n) => [n, attr(el, n)]));
  };
  // The number that the next timer of this window will have. Its timers are
  // counted in one row, whichever world sets them.
  const nextTimer = () => {
    const id = setTimeout(() => {}, 0);
    clearTimeout(id);
    return id + 1;
  };
  const report = (a, type, node, trusted, via) => {
    if (!a.left) return;
    a.left--;
    const t = a.ref ? a.el : null;
    let within = false;
    if (t && node) {
      within = inside(t, node);
      if (!within) {
        const l = closestBy(node, (n) => n instanceof HTMLLabelElement);
        within = Boolean(l && labelled(l) === t);
      }
      if (!within) within = labelled(t) === node;
    }
    const d = node ? describe(node) : null;
    const send = globalThis.__quartetProbe;
    if (typeof send === 'function') {
      send(JSON.stringify({ token: a.token, type, via, inside: within, trusted, ref: d ? d.ref : '', role: d ? d.role : '', name: d ? d.name : '', tag: d ? d.tag : '' }));
    }
  };

  // Arms the probe for one input; the target's enclosing closed roots get
  // listeners of their own. Window listeners are put again, since
  // document.open takes them away; doubles are ignored by the browser.
  act.arm = (token, ref, kinds) => {
    const el = ref ? elOf(ref) : null;
    const known = el ? rootsAround(el) : new Map();
    armed = { token, ref, el, kinds, left: 60, hosts: new Set(), said: new Map(), begun: 0, marks: '', timer: 0, adrift: new Set(), traced: new Set() };
    attend();
    for (const [host, root] of known) {
      if (root.mode === 'closed') armed.hosts.add(host);
      for (const k of KINDS) listen(root, k, on, { capture: true, passive: true });
    }
    return Boolean(el) || !ref;
  };
  act.disarm = (token) => {
    if (armed && armed.token === token) armed = null;
  };
  // Whether the page has set timers since the input reached it: what it does by
  // them is still to come.
  act.timersSet = (token) => Boolean(armed && armed.token === token && armed.timer && nextTimer() - 1 > armed.timer);
  // How many traces there are. They come with the next frame, which is waited for
  // only where nothing else on the page tells that the input did something.
  act.traced = async (token) => {
    const a = armed;
    if (!a || a.token !== token || !a.begun) return 0;
    if (a.marks && isConnected(a.el) && marksOf(a.el) !== a.marks && !a.traced.has('mark')) {
      a.traced.add('mark');
      report(a, 'mark', a.el, false, '');
    }
    const q = globalThis.__quartet;
    if (!q || !q.quiet || (await q.quiet(performance.now() - a.begun, 1))) {
      await frame();
      await frame();
    }
    return a.traced.size;
  };
  const attend = () => {
    // A popup's first, empty document hands its window on to the next one, with
    // listeners that are not called until another is added.
    const wake = () => {};
    listen(window, 'click', wake, true);
    unlisten(window, 'click', wake, true);
    for (const k of KINDS) listen(window, k, on, { capture: true, passive: true });
    for (const k of ['scroll', 'selectionchange']) listen(window, k, trace, { capture: true, passive: true });
    for (const k of ['copy', 'cut']) listen(window, k, trace, { passive: true }); // after the page's own
  };
  attend();
})();
