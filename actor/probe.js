// The probe: what really received an event. Its listeners stand on the window
// from document start, in the capture phase, so that they see every trusted
// event before the page can stop it; they report at once through a binding, so
// that a navigation caused by the event cannot take the report away.
(() => {
  'use strict';
  const act = globalThis.__quartetAct;
  if (!act || act.arm) return;
  const { inside, closestBy, labelled, elOf, describe, listen, isElement, rootsAround } = act.kit;
  const KINDS = ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick', 'keydown', 'beforeinput', 'input', 'change', 'mouseover', 'dragstart', 'dragover', 'drop', 'wheel'];
  let armed = null;

  const on = (e) => {
    const a = armed;
    if (!a) return;
    if (!a.kinds.includes(e.type)) return;
    const path = e.composedPath();
    const node = path.find(isElement);
    // The window comes first and sees only the host of a closed root; the
    // listener on the root itself then says which element inside it was meant.
    // One event is reported by the window and by each closed root on its way;
    // the last report is the most exact one.
    const outer = e.currentTarget !== window ? 'root' : node && a.hosts.has(node) ? 'host' : '';
    report(a, e.type, node, e.isTrusted, outer);
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
    armed = { token, ref, el, kinds, left: 60, hosts: new Set() };
    for (const k of KINDS) listen(window, k, on, { capture: true, passive: true });
    for (const [host, root] of known) {
      if (root.mode === 'closed') armed.hosts.add(host);
      for (const k of KINDS) listen(root, k, on, { capture: true, passive: true });
    }
    return Boolean(el) || !ref;
  };
  act.disarm = (token) => {
    if (armed && armed.token === token) armed = null;
  };
  for (const k of KINDS) listen(window, k, on, { capture: true, passive: true });
})();
