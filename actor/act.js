// The actor's part of the isolated world: what is ready for input, which point
// of it receives an event, and what a control holds afterwards. It reads the
// page and moves nothing but scroll positions, focus and selection; the events
// themselves come from the browser. Built-ins are those of the isolated world;
// DOM getters are taken from the prototypes, since a page's named elements can
// shadow properties of forms and of the document here too.
(() => {
  'use strict';
  const VERSION = 2;
  const old = Object.getOwnPropertyDescriptor(globalThis, '__quartetAct');
  if (old && old.value && old.value.version === VERSION) return;

  const getter = (C, k) => {
    const g = Object.getOwnPropertyDescriptor(C.prototype, k).get;
    return (o) => Reflect.apply(g, o, []);
  };
  const method = (C, k) => {
    const f = C.prototype[k];
    return (o, ...a) => Reflect.apply(f, o, a);
  };
  const parentNode = getter(Node, 'parentNode');
  const textContent = getter(Node, 'textContent');
  const isConnected = getter(Node, 'isConnected');
  const getRootNode = method(Node, 'getRootNode');
  const localName = getter(Element, 'localName');
  const attr = method(Element, 'getAttribute');
  const hasAttr = method(Element, 'hasAttribute');
  const matches = method(Element, 'matches');
  const queryAll = method(Element, 'querySelectorAll');
  const docQueryAll = method(Document, 'querySelectorAll');
  const rectOf = method(Element, 'getBoundingClientRect');
  const rectsOf = method(Element, 'getClientRects');
  const checkVisibility = method(Element, 'checkVisibility');
  const scrollIntoView = method(Element, 'scrollIntoView');
  const animationsOf = method(Element, 'getAnimations');
  const openRoot = getter(Element, 'shadowRoot');
  const assignedSlot = getter(Element, 'assignedSlot');
  const innerText = getter(HTMLElement, 'innerText');
  const inputValue = getter(HTMLInputElement, 'value');
  const inputType = getter(HTMLInputElement, 'type');
  const areaValue = getter(HTMLTextAreaElement, 'value');
  const listen = method(EventTarget, 'addEventListener');
  const unlisten = method(EventTarget, 'removeEventListener');
  const dispatch = method(EventTarget, 'dispatchEvent');
  const setValue = (C) => {
    const s = Object.getOwnPropertyDescriptor(C.prototype, 'value').set;
    return (o, v) => Reflect.apply(s, o, [v]);
  };
  const setInputValue = setValue(HTMLInputElement);
  const docAt = method(Document, 'elementFromPoint');
  const rootAt = method(ShadowRoot, 'elementFromPoint');
  const root = () => getter(Document, 'documentElement')(document);
  const registry = () => globalThis.__quartet;
  const now = () => performance.now();
  const squash = (s) => String(s ?? '').replace(/[\s\u00a0\u200b]+/g, ' ').trim();
  const isElement = (n) => n instanceof Element;
  const isInput = (n) => n instanceof HTMLInputElement;

  // Handles of the actor's own ("h1"): parts of a widget that carry no ref.
  const held = new Map();
  let holds = 0;
  const hold = (el) => {
    const id = `h${++holds}`;
    held.set(id, new WeakRef(el));
    return id;
  };
  const release = () => held.clear();
  const elOf = (ref) => {
    if (ref instanceof Node) return ref;
    if (held.has(ref)) {
      const el = held.get(ref).deref();
      return el && isConnected(el) ? el : null;
    }
    const q = registry();
    return q ? q.el(ref) : null;
  };

  // Fields that were given a secret; what they hold is masked from then on.
  const secrets = new WeakSet();

  const up = (n) => {
    const p = parentNode(n);
    if (p) return p instanceof ShadowRoot ? p.host : p;
    return n instanceof ShadowRoot ? n.host : null;
  };
  const closestBy = (el, test) => {
    for (let n = el; n; n = up(n)) if (isElement(n) && test(n)) return n;
    return null;
  };
  const inside = (target, node) => {
    for (let n = node; n; n = up(n)) {
      if (n === target) return true;
      if (isElement(n)) {
        for (let s = assignedSlot(n); s; s = up(s)) if (s === target) return true;
      }
    }
    // A closed root hides its slots from the slotted nodes, not from its own.
    for (const slot of queryAll(target, 'slot')) {
      for (const a of slot.assignedNodes({ flatten: true })) {
        for (let n = node; n; n = up(n)) if (n === a) return true;
      }
    }
    return false;
  };

  // The closed roots around a target, found from within: host → root.
  const rootsAround = (el) => {
    const known = new Map();
    for (let r = getRootNode(el); r instanceof ShadowRoot; r = getRootNode(r.host)) known.set(r.host, r);
    return known;
  };
  const hitAt = (x, y, known) => {
    let el = docAt(document, x, y);
    while (el) {
      const r = openRoot(el) || known.get(el);
      if (!r) return el;
      const inner = rootAt(r, x, y);
      if (!inner || inner === el || getRootNode(inner) !== r) return el;
      el = inner;
    }
    return el;
  };

  const labelsOf = (el) => {
    const out = [];
    const ls = el.labels;
    if (ls && typeof ls === 'object') for (const l of ls) out.push(l);
    return out;
  };
  const labelled = (label) => (label instanceof HTMLLabelElement ? getter(HTMLLabelElement, 'control')(label) : null);

  const shown = (el) => {
    if (localName(el) === 'area') return true;
    const r = rectOf(el);
    if (!checkVisibility(el, { visibilityProperty: true, contentVisibilityAuto: true })) {
      return getComputedStyle(el).display === 'contents' && shapes(el).length > 0;
    }
    return (r.width > 0 && r.height > 0) || shapes(el).length > 0 || generated(el).length > 0;
  };

  const viewport = () => {
    const d = root();
    return { w: Math.min(d.clientWidth || innerWidth, innerWidth), h: Math.min(d.clientHeight || innerHeight, innerHeight) };
  };

  // The rectangles that the element paints, largest first.
  const shapes = (el) => {
    if (localName(el) === 'area') return areaShapes(el);
    let rects = [...rectsOf(el)].filter((r) => r.width > 0 && r.height > 0);
    if (!rects.length) {
      // display: contents, or an inline wrapper of blocks: its content's boxes.
      const range = document.createRange();
      range.selectNodeContents(el);
      rects = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    }
    return rects.sort((a, b) => b.width * b.height - a.width * a.height).slice(0, 6);
  };
  const areaShapes = (area) => {
    const map = closestBy(area, (n) => localName(n) === 'map');
    if (!map) return [];
    const name = attr(map, 'name') || '';
    for (const img of document.querySelectorAll('img[usemap]')) {
      if ((attr(img, 'usemap') || '').replace(/^#/, '') !== name) continue;
      const r = rectOf(img);
      const c = (attr(area, 'coords') || '').split(/[\s,]+/).map(Number);
      const shape = (attr(area, 'shape') || 'rect').toLowerCase();
      if (shape.startsWith('circ')) return [new DOMRect(r.left + c[0] - c[2] * 0.6, r.top + c[1] - c[2] * 0.6, c[2] * 1.2, c[2] * 1.2)];
      if (shape.startsWith('poly')) {
        let x = 0;
        let y = 0;
        const n = c.length >> 1;
        for (let i = 0; i < n; i++) {
          x += c[2 * i] / n;
          y += c[2 * i + 1] / n;
        }
        return [new DOMRect(r.left + x - 1, r.top + y - 1, 2, 2)];
      }
      if (shape === 'default') return [r];
      return [new DOMRect(r.left + Math.min(c[0], c[2]), r.top + Math.min(c[1], c[3]), Math.abs(c[2] - c[0]), Math.abs(c[3] - c[1]))];
    }
    return [];
  };

  // The rectangles of its generated content, which belongs to the element also
  // where it lies outside of it. They are worked out from the styles, and so may
  // be wrong; whoever takes a point of one asks what is there.
  const generated = (el) => {
    const out = [];
    for (const which of ['::before', '::after']) {
      const s = getComputedStyle(el, which);
      const px = (k) => parseFloat(s[k]) || 0;
      if (/^(none|normal)$/.test(s.content) || s.display === 'none') continue;
      const inner = s.boxSizing !== 'border-box';
      const w = px('width') + (inner ? px('paddingLeft') + px('paddingRight') : 0);
      const h = px('height') + (inner ? px('paddingTop') + px('paddingBottom') : 0);
      if (w <= 0 || h <= 0) continue;
      let x = px('marginLeft');
      let y = px('marginTop');
      if (s.position !== 'static') {
        x += px('left');
        y += px('top');
      }
      if (s.transform !== 'none') {
        const m = new DOMMatrixReadOnly(s.transform);
        x += m.m41;
        y += m.m42;
      }
      let base = el;
      if (s.position === 'absolute') base = closestBy(el, (n) => getComputedStyle(n).position !== 'static' || getComputedStyle(n).transform !== 'none');
      if (s.position !== 'fixed') {
        const r = rectOf(base || root());
        x += r.left + (base ? base.clientLeft : 0);
        y += r.top + (base ? base.clientTop : 0);
      }
      out.push(new DOMRect(x, y, w, h));
    }
    return out;
  };

  const OPERABLE = 'button,a[href],input,select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=switch],[role=menuitem],[role=tab],[role=option],[contenteditable=true],[onclick]';
  const painted = function* (el) {
    yield* shapes(el);
    yield* generated(el); // asked for only where nothing else will do
  };
  // A point of the shape at which the target itself would receive the event.
  // A point over another control inside the target is a second choice.
  const pointOf = (el, surface, offset) => {
    const known = rootsAround(surface);
    const v = viewport();
    let blocker = null;
    let second = null;
    const seen = [];
    let outside = true;
    for (const r of painted(surface)) {
      const spots = offset
        ? [[r.left + offset.x, r.top + offset.y]]
        : spotsIn(Math.max(r.left, 0), Math.max(r.top, 0), Math.min(r.right, v.w), Math.min(r.bottom, v.h));
      for (const [x, y] of spots) {
        if (x < 0 || y < 0 || x >= v.w || y >= v.h) continue;
        outside = false;
        const hit = hitAt(x, y, known);
        if (!hit) continue;
        if (receives(el, surface, hit)) {
          const other = closestBy(hit, (n) => n === surface || n === el || matches(n, OPERABLE));
          if (!other || other === surface || other === el || labelled(surface) === other) return { x, y };
          second ??= { x, y };
        } else {
          seen.push(hit);
          blocker ??= hit;
        }
      }
      if (offset) break;
    }
    if (second) return second;
    return { blocker, outside };
  };
  const spotsIn = (l, t, r, b) => {
    if (r - l <= 0 || b - t <= 0) return [];
    const w = r - l;
    const h = b - t;
    const at = (fx, fy) => [l + w * fx, t + h * fy];
    return [at(0.5, 0.5), at(0.25, 0.5), at(0.75, 0.5), at(0.5, 0.25), at(0.5, 0.75), at(0.1, 0.2), at(0.9, 0.2), at(0.1, 0.8), at(0.9, 0.8)];
  };
  const receives = (el, surface, hit) => {
    if (inside(surface, hit) || inside(el, hit)) return true;
    if (localName(surface) === 'area') {
      const map = closestBy(surface, (n) => localName(n) === 'map');
      return localName(hit) === 'img' && map && (attr(hit, 'usemap') || '').slice(1) === attr(map, 'name');
    }
    const label = closestBy(hit, (n) => n instanceof HTMLLabelElement);
    return Boolean(label && labelled(label) === el);
  };

  const frame = () =>
    new Promise((res) => {
      let done = false;
      const end = () => {
        if (!done) {
          done = true;
          res();
        }
      };
      requestAnimationFrame(end);
      setTimeout(end, 60); // a page in the background draws no frames
    });

  // Resolves at the next change of the page, or after ms.
  const change = (ms) =>
    new Promise((res) => {
      const kinds = ['scroll', 'transitionend', 'animationend', 'resize', 'load', 'focusin'];
      const end = () => {
        mo.disconnect();
        clearTimeout(timer);
        for (const k of kinds) unlisten(window, k, end, true);
        res(true);
      };
      const mo = new MutationObserver(end);
      mo.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      for (const k of kinds) listen(window, k, end, true);
      const timer = setTimeout(end, ms);
    });

  const editableOf = (el) => {
    if (isInput(el)) {
      const t = inputType(el);
      return /^(button|submit|reset|image|checkbox|radio|file|hidden)$/.test(t) ? '' : 'input';
    }
    if (el instanceof HTMLTextAreaElement) return 'textarea';
    if (el instanceof HTMLElement && getter(HTMLElement, 'isContentEditable')(el)) return 'rich';
    return '';
  };
  // The control that takes the keys for a target: itself, what its label
  // labels, or the one editable thing inside it.
  const fieldOf = (el) => {
    if (editableOf(el)) return el;
    const c = labelled(el);
    if (c && editableOf(c)) return c;
    const all = [...queryAll(el, 'input,textarea,[contenteditable]')];
    const sr = openRoot(el);
    if (sr) all.push(...sr.querySelectorAll('input,textarea,[contenteditable]'));
    const fields = all.filter((n) => editableOf(n));
    return fields.length === 1 ? fields[0] : null;
  };

  const disabled = (el) => matches(el, ':disabled') || Boolean(closestBy(el, (n) => attr(n, 'aria-disabled') === 'true'));
  const readonly = (el) => {
    if ((isInput(el) || el instanceof HTMLTextAreaElement) && el.readOnly === true) return true;
    return attr(el, 'aria-readonly') === 'true';
  };
  const moving = (el) => {
    for (let n = el, i = 0; n && i < 12; n = up(n), i++) {
      if (isElement(n) && animationsOf(n).some((a) => a.playState === 'running')) return true;
    }
    return false;
  };
  // Whether the surface lies where the observer saw it two frames ago or longer:
  // then it is stable, without waiting for two more.
  const TWO_FRAMES = 34;
  const restsAt = (ref, surface) => {
    const q = registry();
    const was = q && q.placed && !moving(surface) ? q.placed(ref) : null;
    return Boolean(was && was.age >= TWO_FRAMES && same(was, rectOf(surface)));
  };
  const same = (a, b) => Math.abs(a.left - b.left) < 0.5 && Math.abs(a.top - b.top) < 0.5 && Math.abs(a.width - b.width) < 0.5 && Math.abs(a.height - b.height) < 0.5;

  const describe = (el) => {
    if (!el) return null;
    const q = registry();
    let ref = '';
    let near = el;
    if (q && q.refOf) {
      for (let n = el; n && !ref; n = up(n)) {
        if (isElement(n)) ref = q.refOf(n) || '';
        if (ref) near = n;
      }
    }
    let role = attr(el, 'role') || '';
    let name = attr(el, 'aria-label') || '';
    const i = ref && q.info ? q.info(ref) : null;
    if (i) {
      role = i.role || role;
      name = i.name || name;
    }
    if (!name && !editableOf(el)) name = squash(near instanceof HTMLElement ? innerText(near) : textContent(near)).slice(0, 80);
    return { ref, role: role || localName(near), name, tag: localName(el), id: attr(el, 'id') || '' };
  };

  // One look: is the target ready for purpose now?
  const look = async (ref, o) => {
    const el = elOf(ref);
    if (!el) {
      const q = registry();
      const status = held.has(ref) || /^h\d/.test(ref) ? { status: 'removed' } : q ? q.status(ref) : { status: 'unknown' };
      return { ok: false, final: true, code: 'stale', status };
    }
    const no = (code, message, more) => ({ ok: false, code, message, ...more });
    let surface = el;
    if (!shown(el)) {
      surface = labelsOf(el).find(shown) || null;
      if (!surface) return no('hidden', 'the element is not visible');
    }
    if (o.purpose !== 'hover' && o.purpose !== 'scroll' && disabled(el)) return no('disabled', 'the control is disabled');
    const field = o.purpose === 'fill' ? fieldOf(el) : null;
    if (field && disabled(field)) return no('disabled', 'the field is disabled');
    if (field && readonly(field) && !o.readonly) return no('readonly', 'the field is read-only');

    let scrolled = 0;
    let p = pointOf(el, surface, o.offset);
    const y0 = rectOf(surface).top;
    if (p.x === undefined) {
      // A person scrolls the target into the middle; when something still
      // covers it there (a sticky bar), other rests of the scroller are tried.
      for (const block of p.outside ? ['center', 'end', 'start'] : ['nearest', 'center', 'end', 'start']) {
        scrollIntoView(surface, { block, inline: 'nearest', behavior: 'instant' });
        await frame();
        if (!isConnected(el)) return look(ref, o);
        p = pointOf(el, surface, o.offset);
        if (p.x !== undefined) break;
      }
      scrolled = Math.round(rectOf(surface).top - y0);
    }
    if (scrolled || !restsAt(ref, surface)) {
      const r1 = rectOf(surface);
      await frame();
      if (!isConnected(el)) return look(ref, o);
      const r2 = rectOf(surface);
      if (!same(r1, r2)) return no('unstable', 'the element does not stop moving', { scrolled });
      if (moving(surface)) {
        await frame();
        if (!same(r2, rectOf(surface))) return no('unstable', 'the element does not stop moving', { scrolled });
      }
      p = pointOf(el, surface, o.offset);
    }
    if (p.x === undefined) {
      if (p.outside) return no('hidden', 'no scrolling brings the element into view', { scrolled });
      if (o.purpose !== 'scroll') {
        return no('covered', 'another element would receive the event', { blocker: describe(p.blocker), scrolled });
      }
    }
    const box = rectOf(surface);
    const c = root();
    const known = registry();
    const info = known && known.info ? known.info(ref) : null;
    const is = info ? { role: info.role || '', name: info.name || '' } : null;
    const more = o.arm ? begin(ref, o, is) : null;
    return {
      ok: true,
      is,
      ...more,
      x: p.x ?? box.left + box.width / 2,
      y: p.y ?? box.top + box.height / 2,
      box: { x: box.left, y: box.top, w: box.width, h: box.height },
      scrolled,
      label: surface !== el,
      page: { x: c.clientWidth, y: c.clientHeight },
      canvas: docQueryAll(document, 'canvas').length > 0,
      ...facts(el),
    };
  };

  // What comes right before the input: the probe is armed, what the field holds is
  // read, and the field gets the focus, if the target is what it was called.
  const NATIVE = /^(date|time|month|week|datetime-local|color|range)$/;
  const begin = (ref, o, is) => {
    const out = { armed: Boolean(api.arm && api.arm(o.arm.token, ref, o.arm.kinds)) };
    if (o.secret) markSecret(ref);
    if (o.read || o.purpose === 'fill') out.held = read(ref);
    if (o.purpose !== 'fill') return out;
    const f = fieldOf(elOf(ref));
    // In a frame it is not known yet whether those around let the event through.
    if (o.focus && parent === window && f && !(isInput(f) && NATIVE.test(inputType(f))) && (!is || squash(is.name) === squash(o.name))) out.focus = focus(ref, o.focus);
    return out;
  };

  // Waits, at most o.wait milliseconds, until the target is ready.
  const ready = async (ref, o) => {
    const until = now() + (o.wait ?? 5000);
    let moved = 0;
    for (;;) {
      const r = await look(ref, o);
      moved += r.scrolled || 0;
      r.scrolled = moved;
      if (r.ok || r.final || now() >= until) return r;
      await change(Math.max(1, Math.min(100, until - now())));
    }
  };

  // Whether the target still is what an event at x, y would reach.
  const still = (ref, x, y) => {
    const el = elOf(ref);
    if (!el) return { gone: true };
    const hit = hitAt(x, y, rootsAround(el));
    if (!hit || !receives(el, el, hit)) return { ok: false, blocker: describe(hit) };
    const q = registry();
    const now = q && q.info ? q.info(ref) : null;
    return { ok: true, name: (now && now.name) || '' };
  };
  // Whether the frame's own element would pass on an event at x, y.
  const passes = (owner, x, y) => {
    const v = viewport();
    if (x < 0 || y < 0 || x >= v.w || y >= v.h) return { ok: false, outside: true };
    const hit = hitAt(x, y, rootsAround(owner));
    return hit === owner ? { ok: true } : { ok: false, blocker: describe(hit) };
  };
  const showFrame = async (owner) => {
    scrollIntoView(owner, { block: 'center', inline: 'nearest', behavior: 'instant' });
    await frame();
  };

  const tri = (v) => (v === 'true' || v === 'false' || v === 'mixed' ? v : '');
  const checkedOf = (el) => {
    const c = labelled(el) || el;
    if (isInput(c) && /^(checkbox|radio)$/.test(inputType(c))) return c.indeterminate ? 'mixed' : String(c.checked);
    const said = tri(attr(el, 'aria-checked')) || tri(attr(el, 'aria-pressed')) || tri(attr(el, 'aria-selected'));
    // Without a value these roles are off (ARIA 1.2, aria-checked).
    return said || (/^(checkbox|switch|radio|menuitemcheckbox|menuitemradio)$/.test((attr(el, 'role') || '').trim()) ? 'false' : '');
  };
  const facts = (el) => {
    const f = fieldOf(el);
    const c = labelled(el);
    const native = el instanceof HTMLSelectElement ? el : c instanceof HTMLSelectElement ? c : null;
    return {
      tag: localName(el),
      type: isInput(f || c || el) ? inputType(f || c || el) : '',
      role: attr(el, 'role') || '',
      editable: f ? editableOf(f) : '',
      readonly: f ? readonly(f) : false,
      select: Boolean(native),
      multiple: Boolean(native && native.multiple),
      checked: checkedOf(el),
      href: el instanceof HTMLAnchorElement ? String(el.href) : '',
      popup: attr(el, 'aria-haspopup') || '',
      expanded: attr(el, 'aria-expanded') || '',
      placeholder: (f && attr(f, 'placeholder')) || '',
    };
  };

  // What the control holds: for a field its value, else what it shows.
  const read = (ref) => {
    const el = elOf(ref);
    if (!el) return { gone: true };
    const f = fieldOf(el);
    const c = labelled(el);
    let value = null;
    let masked = false;
    if (f && isInput(f)) {
      value = inputValue(f);
      masked = inputType(f) === 'password';
    } else if (f instanceof HTMLTextAreaElement) value = areaValue(f);
    else if (f) value = innerText(f).replace(/\n$/, '');
    else {
      const s = el instanceof HTMLSelectElement ? el : c instanceof HTMLSelectElement ? c : null;
      if (s) value = [...s.selectedOptions].map((o) => squash(o.label || textContent(o))).join(', ');
      else if (isInput(el) && inputType(el) === 'file') value = [...el.files].map((x) => x.name).join(', ');
      else if (hasAttr(el, 'aria-valuetext')) value = attr(el, 'aria-valuetext');
      else if (hasAttr(el, 'aria-valuenow')) value = attr(el, 'aria-valuenow');
    }
    if (f && /(^|\s)(cc-number|cc-csc|one-time-code|current-password|new-password)(\s|$)/.test((attr(f, 'autocomplete') || '').toLowerCase())) masked = true;
    const style = f ? getComputedStyle(f).webkitTextSecurity : 'none';
    if (style && style !== 'none') masked = true;
    if (secrets.has(el) || (f && secrets.has(f))) masked = true;
    const text = squash(el instanceof HTMLElement ? innerText(el) : textContent(el));
    return { value, text, masked, checked: checkedOf(el) };
  };
  const markSecret = (ref) => {
    const el = elOf(ref);
    if (!el) return;
    secrets.add(el);
    const f = fieldOf(el);
    if (f) secrets.add(f);
  };

  const active = () => {
    let a = getter(Document, 'activeElement')(document);
    for (;;) {
      const r = a && openRoot(a);
      const inner = r && r.activeElement;
      if (!inner) return a;
      a = inner;
    }
  };
  const hasFocus = (el) => {
    const r = getRootNode(el);
    const a = r instanceof ShadowRoot ? r.activeElement : active();
    return Boolean(a && (a === el || inside(el, a)));
  };
  // Gives the field the focus and, with all, selects what it holds.
  const focus = (ref, all) => {
    const el = elOf(ref);
    if (!el) return { ok: false, gone: true };
    const f = fieldOf(el) || el;
    if (!hasFocus(f)) f.focus({ preventScroll: true });
    const ok = hasFocus(f);
    if (ok && all === 'all') {
      if (isInput(f) || f instanceof HTMLTextAreaElement) f.select();
      else if (editableOf(f) === 'rich') getSelection().selectAllChildren(f);
    } else if (ok && all === 'end') {
      if (f instanceof HTMLTextAreaElement || (isInput(f) && /^(text|search|url|tel|password)$/.test(inputType(f)))) {
        const n = f.value.length;
        f.setSelectionRange(n, n);
      } else if (editableOf(f) === 'rich') {
        getSelection().selectAllChildren(f);
        getSelection().collapseToEnd();
      }
    }
    return { ok, editable: editableOf(f) };
  };
  // Whether something is selected, in a field or on the page.
  const selected = () => {
    const a = active();
    if (a && (isInput(a) || a instanceof HTMLTextAreaElement)) return a.selectionStart !== a.selectionEnd;
    return !getSelection().isCollapsed;
  };
  // Whether the field has completed what was typed by itself: the rest of what
  // it holds is selected, so that the next key takes it away.
  const completed = (ref, typed) => {
    const el = elOf(ref);
    const f = el && fieldOf(el);
    return Boolean(f && isInput(f) && f.selectionStart === typed.length && f.selectionEnd === inputValue(f).length && f.selectionEnd > typed.length);
  };
  // Selects the first occurrence of words in rich text; false when there is none.
  const selectWords = (ref, words) => {
    const f = fieldOf(elOf(ref) || root());
    if (!f) return false;
    const w = document.createTreeWalker(f, NodeFilter.SHOW_TEXT);
    while (w.nextNode()) {
      const i = w.currentNode.data.indexOf(words);
      if (i < 0) continue;
      getSelection().setBaseAndExtent(w.currentNode, i, w.currentNode, i + words.length);
      return true;
    }
    return false;
  };

  const fire = (el, types) => {
    for (const t of types) dispatch(el, t === 'input' ? new InputEvent('input', { bubbles: true, composed: true }) : new Event(t, { bubbles: true }));
  };
  // Sets the value of an input that keys don't write into in a stable way
  // (date, time, range, colour), as its own picker does.
  const setNative = (ref, v) => {
    const el = elOf(ref);
    const f = el && fieldOf(el);
    if (!f || !isInput(f)) return { ok: false };
    if (!hasFocus(f)) f.focus({ preventScroll: true });
    setInputValue(f, v);
    fire(f, ['input', 'change']);
    return { ok: true, value: inputValue(f) };
  };

  const selectOf = (ref) => {
    const el = elOf(ref);
    if (!el) return null;
    if (el instanceof HTMLSelectElement) return el;
    const c = labelled(el);
    if (c instanceof HTMLSelectElement) return c;
    const inner = queryAll(el, 'select');
    return inner.length === 1 ? inner[0] : null;
  };
  const optionLabel = (o) => squash(attr(o, 'label') || textContent(o));
  // Chooses options of a native select by label, waiting for late ones.
  const choose = async (ref, labels, wait) => {
    const until = now() + wait;
    for (;;) {
      const s = selectOf(ref);
      if (!s) return { ok: false, gone: true };
      const opts = [...s.options];
      const picks = [];
      let miss = '';
      let twins = false;
      for (const l of labels) {
        const want = squash(l);
        let m = opts.filter((o) => optionLabel(o) === want);
        if (!m.length) m = opts.filter((o) => optionLabel(o).toLowerCase() === want.toLowerCase());
        if (!m.length) m = opts.filter((o) => o.value === l);
        if (m.length > 1) twins = true;
        if (!m.length) miss ||= l;
        else picks.push(m[0]);
      }
      if (miss) {
        if (now() < until) {
          await change(Math.max(1, Math.min(100, until - now())));
          continue;
        }
        return { ok: false, missing: miss, options: opts.slice(0, 40).map(optionLabel), total: opts.length };
      }
      const off = picks.find((o) => matches(o, ':disabled'));
      if (off) return { ok: false, disabled: optionLabel(off) };
      if (picks.length > 1 && !s.multiple) return { ok: false, single: true };
      if (!hasFocus(s)) s.focus({ preventScroll: true });
      for (const o of opts) o.selected = picks.includes(o);
      fire(s, ['input', 'change']);
      return { ok: true, twins };
    }
  };

  const fileInput = (ref) => {
    const el = elOf(ref);
    if (!el) return null;
    const is = (n) => isInput(n) && inputType(n) === 'file';
    if (is(el)) return el;
    const c = labelled(closestBy(el, (n) => n instanceof HTMLLabelElement) || el);
    if (c && is(c)) return c;
    const inner = [...queryAll(el, 'input')].filter(is);
    return inner.length === 1 ? inner[0] : null;
  };
  const transferOf = (files) => {
    const dt = new DataTransfer();
    for (const x of files) {
      const bytes = Uint8Array.from(atob(x.data), (ch) => ch.charCodeAt(0));
      dt.items.add(new File([bytes], x.name, { type: x.type || '' }));
    }
    return dt;
  };
  const setFiles = (ref, files) => {
    const f = fileInput(ref);
    if (!f) return { ok: false };
    f.files = transferOf(files).files;
    fire(f, ['input', 'change']);
    return { ok: true };
  };
  const dropFiles = (ref, files, x, y) => {
    const el = elOf(ref);
    if (!el) return false;
    const at = hitAt(x, y, rootsAround(el)) || el;
    const dataTransfer = transferOf(files);
    for (const t of ['dragenter', 'dragover', 'drop']) {
      dispatch(at, new DragEvent(t, { bubbles: true, cancelable: true, composed: true, dataTransfer, clientX: x, clientY: y }));
    }
    return true;
  };
  const fileFacts = (ref) => {
    const f = fileInput(ref);
    return f ? { input: true, multiple: f.multiple, handle: hold(f) } : { input: false };
  };

  // Waits until the control's tri-state is want, at most ms.
  const untilChecked = async (ref, want, ms) => {
    const until = now() + ms;
    for (;;) {
      const el = elOf(ref);
      const got = el ? checkedOf(el) : '';
      if (!el || got === want || now() >= until) return got;
      await change(Math.max(1, Math.min(50, until - now())));
    }
  };

  // What the control holds right after the input, and whether the page has more
  // to do.
  const after = (ref, token) => ({ ...read(ref), timers: Boolean(api.timersSet && api.timersSet(token)) });

  // Waits, at most ms, until the control holds something else; false when it
  // held out. Scripts set values and states without an event, so that they are
  // compared now and then.
  const falls = async (ref, ms) => {
    const holds = () => {
      const v = read(ref);
      return JSON.stringify([v.gone, v.value, v.checked, v.text]);
    };
    const until = now() + ms;
    const was = holds();
    while (now() < until) {
      await change(Math.max(1, Math.min(50, until - now())));
      if (holds() !== was) return true;
    }
    return false;
  };

  const scroller = (el) => {
    for (let n = el; n; n = up(n)) {
      if (!isElement(n)) continue;
      const s = getComputedStyle(n);
      if (/(auto|scroll|overlay)/.test(s.overflowY) && n.scrollHeight > n.clientHeight + 1) return n;
    }
    return document.scrollingElement || root();
  };
  // Scrolls the target's nearest scroller: by pages, or to an end.
  const scroll = async (ref, how) => {
    const el = (ref && elOf(ref)) || document.scrollingElement || root();
    const s = ref ? scroller(el) : document.scrollingElement || root();
    const before = s.scrollTop;
    const page = Math.max(40, s.clientHeight * 0.8);
    const to = { up: before - page, down: before + page, top: 0, bottom: s.scrollHeight }[how];
    s.scrollTo({ top: to, behavior: 'instant' });
    await frame();
    return Math.round(s.scrollTop - before);
  };

  // Scrolls the list around an option by a page; 0 when it is at its end or when
  // it is the page itself that would scroll.
  const scrollList = async (ref) => {
    const el = elOf(ref);
    const s = el && scroller(el);
    if (!s || s === document.scrollingElement || s === root()) return 0;
    const before = s.scrollTop;
    s.scrollTo({ top: before + s.clientHeight * 0.8, behavior: 'instant' });
    await frame();
    await frame();
    return Math.round(s.scrollTop - before);
  };

  const api = {
    version: VERSION,
    ready, still, passes, showFrame, read, focus, selectWords, setNative, choose, fileFacts, setFiles, dropFiles,
    untilChecked, completed, falls, after, scroll, scrollList, change, hold, release, el: elOf, describe,
    boxOf: (ref) => {
      const el = elOf(ref);
      if (!el) return null;
      const r = rectOf(el);
      return { x: r.left, y: r.top, w: r.width, h: r.height };
    },
    facts: (ref) => {
      const el = elOf(ref);
      return el ? facts(el) : null;
    },
    focused: () => {
      const a = active();
      return a ? describe(a) : null;
    },
    holdFocused: () => {
      const a = active();
      return a ? hold(a) : '';
    },
    // For the observer: a field that was given a secret.
    holdsSecret: (el) => secrets.has(el),
    // For the actor's other scripts, which are joined to this one.
    kit: { getter, method, up, inside, closestBy, getRootNode, openRoot, attr, localName, matches, queryAll, rectOf, textContent, innerText, squash, shown, hold, elOf, labelled, describe, listen, unlisten, isElement, rootsAround, hitAt, editableOf, active, isInput, inputValue, inputType, selected, frame, docQueryAll },
  };
  Object.defineProperty(globalThis, '__quartetAct', { value: api, configurable: true, writable: true });
})();
