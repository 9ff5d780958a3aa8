// Input that the page gets from a script of the isolated world, for places where
// the browser's own input is not wanted. The events are not trusted: a page can
// tell, and what only trusted events do (opening a native list, say) is left out.
(() => {
  'use strict';
  const act = globalThis.__quartetAct;
  if (!act || act.pointer) return;
  const { up, closestBy, rootsAround, hitAt, editableOf, active, isInput, inputType, matches, attr, localName, docQueryAll, shown, isElement } = act.kit;
  const ours = new WeakSet();
  act.isOurs = (e) => ours.has(e);
  // What is sent is on its way in one call, so that nothing comes in between.
  const send = (el, e) => {
    ours.add(e);
    return el.dispatchEvent(e);
  };
  const MODS = (m) => ({ altKey: Boolean(m & 1), ctrlKey: Boolean(m & 2), metaKey: Boolean(m & 4), shiftKey: Boolean(m & 8) });
  const BUTTONS = { left: 0, middle: 1, right: 2, none: 0 };

  // The pointer: what it is over, and what it was pressed on.
  let over = null;
  let down = null;
  const at = (x, y) => hitAt(x, y, over ? rootsAround(over) : new Map()) || document.documentElement;
  const mouse = (el, type, o, more) => {
    const init = { bubbles: true, cancelable: true, composed: true, view: window, clientX: o.x, clientY: o.y, screenX: o.x, screenY: o.y, button: o.button, buttons: o.buttons, detail: o.count, ...MODS(o.mods), ...more };
    return send(el, /^pointer/.test(type) ? new PointerEvent(type, { ...init, pointerId: 1, isPrimary: true, pointerType: 'mouse', pressure: o.buttons ? 0.5 : 0 }) : new MouseEvent(type, init));
  };
  const drags = (el, type, o) => {
    const e = new DragEvent(type, { bubbles: true, cancelable: true, composed: true, clientX: o.x, clientY: o.y, dataTransfer: down.data });
    return send(el, e);
  };
  const move = (o) => {
    const el = at(o.x, o.y);
    if (el !== over) {
      if (over) for (const t of ['pointerout', 'mouseout']) mouse(over, t, o, { relatedTarget: el });
      const left = [];
      for (let n = over; n && !(n.contains && n.contains(el)); n = up(n)) left.push(n);
      for (const n of left) if (isElement(n)) for (const t of ['pointerleave', 'mouseleave']) mouse(n, t, o, { bubbles: false, relatedTarget: el });
      for (const t of ['pointerover', 'mouseover']) mouse(el, t, o, { relatedTarget: over });
      const came = [];
      for (let n = el; n && !(over && n.contains && n.contains(over)); n = up(n)) came.unshift(n);
      for (const n of came) if (isElement(n)) for (const t of ['pointerenter', 'mouseenter']) mouse(n, t, o, { bubbles: false, relatedTarget: over });
      over = el;
    }
    if (down && down.data) {
      if (down.at !== el) {
        drags(el, 'dragenter', o);
        if (down.at) drags(down.at, 'dragleave', o);
        down.at = el;
      }
      down.takes = !drags(el, 'dragover', o);
      return;
    }
    for (const t of ['pointermove', 'mousemove']) mouse(el, t, o);
    const source = down && o.buttons === 1 && closestBy(down.el, (n) => attr(n, 'draggable') === 'true' || n.draggable === true);
    if (source) {
      down.data = new DataTransfer();
      down.source = source;
      if (!drags(source, 'dragstart', o)) down.data = null;
    }
  };
  const press = (o) => {
    const el = at(o.x, o.y);
    down = { el, data: null };
    if (!mouse(el, 'pointerdown', o)) down.quiet = true; // then no mouse events follow
    if (down.quiet || mouse(el, 'mousedown', o)) {
      const f = closestBy(el, (n) => n.tabIndex >= 0 || editableOf(n) !== '');
      if (f && f !== active()) f.focus({ preventScroll: true });
      else if (!f && active() && active().blur) active().blur();
    }
    if (o.button === 2) mouse(el, 'contextmenu', o);
  };
  const release = (o) => {
    const el = at(o.x, o.y);
    const was = down;
    down = null;
    if (was && was.data) {
      down = was;
      if (was.takes) drags(el, 'drop', o);
      drags(was.source, 'dragend', o);
      down = null;
      return;
    }
    mouse(el, 'pointerup', o);
    if (!was || !was.quiet) mouse(el, 'mouseup', o);
    if (!was) return;
    // A click is for what both ends have in common.
    const target = closestBy(el, (n) => n === was.el || n.contains(was.el));
    if (!target) return;
    if (o.button !== 0) {
      if (o.button === 1) mouse(target, 'auxclick', o);
      return;
    }
    mouse(target, 'click', o);
    if (o.count === 2) mouse(target, 'dblclick', o);
  };
  act.pointer = (o) => {
    const e = { ...o, button: BUTTONS[o.button] ?? 0 };
    ({ mouseMoved: move, mousePressed: press, mouseReleased: release })[o.type](e);
  };

  // The keyboard.
  const tabStops = () => [...docQueryAll(document, 'a[href],button,input,select,textarea,[tabindex],[contenteditable=true],summary')].filter((n) => n.tabIndex >= 0 && !matches(n, ':disabled') && shown(n));
  const TEXT = /^(text|search|url|tel|password|email|number)$/;
  const submit = (field) => {
    const form = field.form;
    if (!form) return;
    const button = [...form.elements].find((n) => (localName(n) === 'button' && n.type === 'submit') || (isInput(n) && /^(submit|image)$/.test(inputType(n))));
    if (button) {
      if (!button.disabled) button.click();
    } else if ([...form.elements].filter((n) => isInput(n) && TEXT.test(inputType(n))).length === 1) form.requestSubmit();
  };
  // An arrow goes down a list, and up in numbers.
  const step = (el, key) => {
    if (el instanceof HTMLSelectElement) {
      const i = Math.max(0, Math.min(el.options.length - 1, el.selectedIndex + (/Down|Right/.test(key) ? 1 : -1)));
      if (i === el.selectedIndex) return;
      el.selectedIndex = i;
    } else if (/Up|Right/.test(key)) el.stepUp();
    else el.stepDown();
    for (const t of ['input', 'change']) send(el, new Event(t, { bubbles: true }));
  };
  const radio = (el, by) => {
    const all = [...docQueryAll(document, 'input[type=radio]')].filter((n) => n.name === el.name && n.form === el.form && !n.disabled);
    const next = all[(all.indexOf(el) + by + all.length) % all.length];
    if (next && next !== el) { next.focus(); next.click(); }
  };
  const edits = (el, key, k) => {
    const sel = getSelection();
    const word = k.modifiers & 2 ? 'word' : 'character';
    const alter = k.modifiers & 8 ? 'extend' : 'move';
    switch (key) {
      case 'Backspace': return document.execCommand('delete');
      case 'Delete': return document.execCommand('forwardDelete');
      case 'ArrowLeft': return sel.modify(alter, 'left', word);
      case 'ArrowRight': return sel.modify(alter, 'right', word);
      case 'ArrowUp': return sel.modify(alter, 'backward', 'line');
      case 'ArrowDown': return sel.modify(alter, 'forward', 'line');
      case 'Home': return sel.modify(alter, 'backward', 'lineboundary');
      case 'End': return sel.modify(alter, 'forward', 'lineboundary');
    }
    return undefined;
  };
  // What a key does where the page does not prevent it.
  const defaults = (el, k) => {
    const key = k.key;
    const shortcut = k.modifiers & 6;
    if (shortcut) {
      if (key.toLowerCase() === 'a') { if (isInput(el) || el instanceof HTMLTextAreaElement) el.select(); else document.execCommand('selectAll'); }
      return;
    }
    const kind = editableOf(el);
    if (key === 'Tab') {
      const stops = tabStops();
      const next = stops[(stops.indexOf(el) + (k.modifiers & 8 ? -1 : 1) + stops.length) % stops.length];
      if (next) { next.focus(); if (isInput(next) && TEXT.test(inputType(next))) next.select(); }
      return;
    }
    if (key === 'Escape') {
      const modal = [...docQueryAll(document, 'dialog')].filter((d) => matches(d, ':modal')).pop();
      if (modal) { if (send(modal, new Event('cancel', { cancelable: true }))) modal.close(); return; }
      const pop = [...docQueryAll(document, '[popover]')].filter((d) => matches(d, ':popover-open')).pop();
      if (pop) pop.hidePopover();
      return;
    }
    if (key === 'Enter') {
      if (kind === 'textarea') document.execCommand('insertText', false, '\n');
      else if (kind === 'rich') document.execCommand('insertParagraph');
      else if (isInput(el) && !/^(button|submit|reset|file|image)$/.test(inputType(el))) submit(el);
      else if (el.click && matches(el, 'button,a[href],summary,input')) el.click();
      return;
    }
    if (isInput(el) && inputType(el) === 'radio' && /^Arrow/.test(key)) { radio(el, /Left|Up/.test(key) ? -1 : 1); return; }
    if (/^Arrow(Up|Down|Left|Right)$/.test(key) && (el instanceof HTMLSelectElement || (isInput(el) && /^(range|number)$/.test(inputType(el))))) {
      step(el, key);
      return;
    }
    if (kind) { if (k.text && !/[\r\n]/.test(k.text)) document.execCommand('insertText', false, k.text); else edits(el, key, k); return; }
    const page = { PageDown: innerHeight * 0.9, PageUp: -innerHeight * 0.9, ArrowDown: 40, ArrowUp: -40, Home: -1e7, End: 1e7, ' ': innerHeight * 0.9 }[key];
    if (page && !matches(el, 'button,summary,input')) scrollBy({ top: page, behavior: 'instant' });
  };
  const keyInit = (k) => ({ key: k.key, code: k.code, keyCode: k.keyCode, which: k.keyCode, bubbles: true, cancelable: true, composed: true, view: window, ...MODS(k.modifiers) });
  act.keys = (list) => {
    for (const k of list) {
      const el = active() || document.body;
      if (k.type === 'keyUp') {
        const go = send(el, new KeyboardEvent('keyup', keyInit(k)));
        if (go && k.key === ' ' && matches(el, 'button,summary,input[type=checkbox],input[type=radio],input[type=submit],input[type=button]')) el.click();
        continue;
      }
      if (!send(el, new KeyboardEvent('keydown', keyInit(k)))) continue;
      const writes = k.type === 'keyDown' && k.text;
      if (writes && !send(el, new KeyboardEvent('keypress', { ...keyInit(k), charCode: k.text.codePointAt(0), keyCode: k.text.codePointAt(0) }))) continue;
      if (k.key !== 'Process') defaults(active() || el, k);
    }
  };
  act.insert = (text) => document.execCommand('insertText', false, text);
})();
