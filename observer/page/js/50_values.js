// Live values and states of controls. What is secret is masked here, at the
// source: it never leaves the page's process.
const SECRET_HINTS = /(^|\s)(cc-number|cc-csc|cc-exp|cc-exp-month|cc-exp-year|one-time-code|current-password|new-password)(\s|$)/;
// The words that pages use where they leave autocomplete out.
const SECRET_WORDS = /\b(?:(?:credit|debit|bank|payment) ?card(?: ?(?:no|nr|num|number))?|card ?(?:no|nr|num|number)|cc ?(?:no|nr|num|number)|cvv2?|cvc2?|csc|card (?:security|verification) (?:code|number|value)|security code|verification code|confirmation pin|one ?time ?(?:code|password|passcode|pin)|otp(?: code)?|totp|passcode|password|passwd|passphrase|(?:recovery|backup) code|2fa(?: code)?|two ?factor code|auth(?:entication|enticator) code|sms code|(?:card |your |enter |new |current |account )?pin)$/i;
const TEXTUAL = new Set(['text', 'tel', 'number', 'password', 'search', '']);
const asWords = (s) => line(s.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ').replace(/ (?:optional|required)$/i, ''));
function calledSecret(el, tag) {
  if (tag === 'input' ? !TEXTUAL.has(N.inputType(el)) : tag !== 'textarea') return false;
  for (const a of ['name', 'id', 'aria-label', 'placeholder']) { const v = N.attr(el, a); if (v && v.length < 80 && SECRET_WORDS.test(asWords(v))) return true; }
  for (const l of labelsOf(el, tag)) { const t = N.text(l); if (t.length < 200 && SECRET_WORDS.test(asWords(t))) return true; }
  const by = N.has(el, 'aria-labelledby') && N.labelledBy(el);
  if (by && by.some((b) => N.text(b).length < 200 && SECRET_WORDS.test(asWords(N.text(b))))) return true;
  // A code typed one digit to a field.
  return tag === 'input' && N.attr(el, 'maxlength') === '1' && (N.attr(el, 'inputmode') === 'numeric' || N.inputType(el) === 'tel' || N.inputType(el) === 'number');
}
// A payment card's number: 13 to 19 digits of a known range whose check digit
// is right.
function cardNumber(v) {
  if (v.length < 13 || v.length > 30 || !/^[\d \u00a0.-]+$/.test(v)) return false;
  const d = v.replace(/\D/g, '');
  if (d.length < 13 || d.length > 19 || !/^(?:[3-6]|2[2-7])/.test(d)) return false;
  let sum = 0;
  for (let i = d.length - 1, twice = false; i >= 0; i--, twice = !twice) {
    let x = d.charCodeAt(i) - 48;
    if (twice && (x *= 2) > 9) x -= 9;
    sum += x;
  }
  return sum % 10 === 0;
}
const secrets = new WeakSet(); // once a password, always a password ("show password")
// The actor's word for it, whose script is in the same world: what a run's
// secret was typed into looks like any other field, and no other process can
// tell it by its value.
const wasGivenSecret = (el) => Boolean(globalThis.__quartetAct && globalThis.__quartetAct.holdsSecret(el));
function isSecret(el, tag) {
  if (secrets.has(el)) return true;
  if (tag !== 'input' && tag !== 'textarea') return false;
  if (cardNumber(VALUES.get(tag)(el))) return true; // as long as it stands there
  const secret = (tag === 'input' && N.inputType(el) === 'password')
    || SECRET_HINTS.test((N.attr(el, 'autocomplete') || '').toLowerCase())
    || (getComputedStyle(el).webkitTextSecurity || 'none') !== 'none' || calledSecret(el, tag) || wasGivenSecret(el);
  if (secret) secrets.add(el);
  return secret;
}
const mask = (v) => '•'.repeat(Math.min(8, v.length));

// valueOf returns {value, masked, now, min, max, text}, each only where it applies.
function valueOf(el, tag, role) {
  const out = {};
  if (tag === 'select') {
    const labels = [];
    for (const o of N.selectOptions(el)) if (N.optionSelected(o)) labels.push(line(N.optionLabel(o)));
    out.value = clip(labels.join(', '), VALUE_MAX);
    return out;
  }
  if (tag === 'input' || tag === 'textarea') {
    const type = tag === 'input' ? N.inputType(el) : '';
    if (type === 'checkbox' || type === 'radio' || type === 'hidden' || type === 'button' || type === 'submit' || type === 'reset' || type === 'image') return out;
    if (type === 'file') {
      const names = [];
      for (const f of N.inputFiles(el) || []) names.push(line(f.name));
      out.value = clip(names.join(', '), VALUE_MAX);
      return out;
    }
    const v = String(VALUES.get(tag)(el));
    if (isSecret(el, tag)) { out.value = mask(v); out.masked = true; return out; }
    out.value = clip(line(v), VALUE_MAX);
    if (type === 'range' || type === 'number') {
      out.now = out.value;
      out.min = N.attr(el, 'min') ?? (type === 'range' ? '0' : undefined);
      out.max = N.attr(el, 'max') ?? (type === 'range' ? '100' : undefined);
    }
  } else if (tag === 'meter' || tag === 'progress') {
    if (tag === 'meter' || N.has(el, 'value')) {
      out.now = String(NUMBERS.get(tag)(el));
      out.min = tag === 'meter' ? N.attr(el, 'min') ?? '0' : '0';
      out.max = N.attr(el, 'max') ?? '1';
    }
  } else if (role === 'textbox' || role === 'searchbox') {
    out.value = clip(contentOf(el, tag), VALUE_MAX);
  } else if (role === 'combobox') {
    const inner = N.elQueryAll(el, 'input,textarea');
    if (inner.length) { const t = tagOf(inner[0]); return valueOf(inner[0], t, 'textbox'); }
    out.value = clip(contentOf(el, tag), VALUE_MAX);
  } else if (role === 'listbox') {
    const sel = [];
    for (const o of N.elQueryAll(el, '[role=option][aria-selected=true]')) sel.push(contentOf(o, tagOf(o)));
    if (sel.length) out.value = clip(sel.join(', '), VALUE_MAX);
  }
  if (RANGES.has(role)) {
    out.now = N.attr(el, 'aria-valuenow') ?? out.now;
    out.min = N.attr(el, 'aria-valuemin') ?? out.min;
    out.max = N.attr(el, 'aria-valuemax') ?? out.max;
    const vt = line(N.attr(el, 'aria-valuetext') || '');
    if (vt) out.text = vt;
    if (out.value === undefined || vt) { const v = vt || out.now; if (v !== undefined) out.value = line(v); }
  }
  for (const k of ['now', 'min', 'max']) if (out[k] !== undefined) out[k] = clip(line(out[k]), 100);
  return out;
}
const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar', 'separator']);

const tri = (a) => { a = (a || '').toLowerCase(); return a === 'true' || a === 'false' || a === 'mixed' ? a : ''; };
const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const SELECTABLE = new Set(['option', 'tab', 'gridcell', 'row', 'treeitem', 'columnheader', 'rowheader']);
const EXPANDABLE_NATIVELY = new Set(['summary']);
const REQUIRABLE = new Set(['textbox', 'searchbox', 'combobox', 'listbox', 'spinbutton', 'checkbox', 'radiogroup', 'radio', 'switch', 'tree', 'gridcell', 'button', 'slider']);

// readStates writes the states of el into node n.
function readStates(n, el, tag, role, inheritedDisabled) {
  if (CHECKABLE.has(role)) {
    if (tag === 'input') n.checked = N.inputMixed(el) && N.inputType(el) === 'checkbox' ? 'mixed' : N.inputChecked(el) ? 'true' : 'false';
    else n.checked = tri(N.attr(el, 'aria-checked')) || 'false';
  } else if (role === 'option' || role === 'treeitem') {
    const c = tri(N.attr(el, 'aria-checked'));
    if (c) n.checked = c;
  }
  if (role === 'button') { const p = tri(N.attr(el, 'aria-pressed')); if (p) n.pressed = p; }
  if (tag === 'option') n.selected = N.optionSelected(el) ? 'true' : 'false';
  else if (SELECTABLE.has(role)) {
    const s = tri(N.attr(el, 'aria-selected'));
    if (s) n.selected = s;
    else if (role === 'tab') n.selected = 'false';
  }
  if (EXPANDABLE_NATIVELY.has(tag)) {
    const d = N.parent(el);
    n.expanded = d && N.type(d) === 1 && N.has(d, 'open') ? 'true' : 'false';
  } else {
    const e = tri(N.attr(el, 'aria-expanded'));
    if (e) n.expanded = e;
  }
  const native = (VALIDITY.has(tag) || tag === 'fieldset' || tag === 'option' || tag === 'optgroup') && N.matches(el, ':disabled');
  if (native) n.disabled = true;
  else if (inheritedDisabled && (WIDGETS.has(role) || role === '' || role === 'group' || role === 'toolbar')) n.disabled = true;
  if (role === 'heading' && /^h[1-6]$/.test(tag)) n.level = +tag[1];
  if (!N.hasAny(el)) { readInvalid(n, el, tag); return; }
  if (REQUIRABLE.has(role) && (N.has(el, 'required') || N.attr(el, 'aria-required') === 'true')) n.required = true;
  if (N.attr(el, 'aria-readonly') === 'true' || (READONLY.has(tag) && N.has(el, 'readonly') && via(READONLY, el, tag))) n.readonly = true;
  if (N.attr(el, 'aria-busy') === 'true') n.busy = true;
  const cur = (N.attr(el, 'aria-current') || '').toLowerCase();
  if (cur && cur !== 'false') n.current = clip(line(cur), 40);
  const pop = (N.attr(el, 'aria-haspopup') || '').toLowerCase();
  if (pop && pop !== 'false') n.haspopup = pop === 'true' ? 'menu' : clip(line(pop), 40);
  const sort = (N.attr(el, 'aria-sort') || '').toLowerCase();
  if (sort && sort !== 'none') n.sort = clip(line(sort), 40);
  const live = (N.attr(el, 'aria-live') || '').toLowerCase();
  if (live && live !== 'off') n.live = clip(line(live), 40);
  readInvalid(n, el, tag);
  for (const [attr, key] of [['aria-rowcount', 'row_count'], ['aria-colcount', 'col_count'], ['aria-posinset', 'pos_in_set'], ['aria-setsize', 'set_size']]) {
    if (!N.has(el, attr)) continue;
    const v = parseInt(N.attr(el, attr), 10);
    if (v > 0 && v < 1e9) n[key] = v;
  }
  if ((role === 'row') && N.has(el, 'aria-rowindex') && !n.pos_in_set) {
    const v = parseInt(N.attr(el, 'aria-rowindex'), 10);
    if (v > 0 && v < 1e9) n.pos_in_set = v;
  }
  if (role === 'cell' || role === 'gridcell' || role === 'columnheader' || role === 'rowheader') {
    for (const [key, native, aria] of [['row_span', 'rowspan', 'aria-rowspan'], ['col_span', 'colspan', 'aria-colspan']]) {
      const v = parseInt((tag === 'td' || tag === 'th') && N.attr(el, native) || N.attr(el, aria), 10);
      if (v > 1 && v <= 1000) n[key] = v;
    }
  }
  if (role === 'heading') {
    const l = parseInt(N.attr(el, 'aria-level') || (/^h[1-6]$/.test(tag) ? tag[1] : '2'), 10);
    n.level = l > 0 && l < 100 ? l : 2;
  } else if (N.has(el, 'aria-level')) {
    const l = parseInt(N.attr(el, 'aria-level'), 10);
    if (l > 0 && l < 100) n.level = l;
  }
}

// A pristine required field is empty, not wrong; a value that the browser
// refuses, or a message set by the page, is.
function readInvalid(n, el, tag) {
  const a = (N.attr(el, 'aria-invalid') || '').toLowerCase();
  let inv = a === '' || a === 'false' ? '' : a === 'grammar' || a === 'spelling' ? a : 'true';
  if (VALIDITY.has(tag) && tag !== 'button' && via(VALIDATES, el, tag)) {
    const v = via(VALIDITY, el, tag);
    if (!v.valid && (v.customError || !v.valueMissing || N.matches(el, ':user-invalid'))) {
      inv ||= 'true';
      const m = line(via(MESSAGES, el, tag));
      if (m && !isSecretMessage(el, tag, m)) n.invalid_message = clip(m, 300);
    }
  }
  if (inv) {
    n.invalid = inv;
    const id = N.attr(el, 'aria-errormessage');
    if (id) {
      const e = byId(N.root(el), tokens(id)[0] || '');
      if (e && N.checkVisibility(e, { visibilityProperty: true })) n.invalid_message = clip(contentOf(e, tagOf(e)), 300) || n.invalid_message;
    }
  }
}
// A native message may quote what was typed ("abc" is not …).
const isSecretMessage = (el, tag, m) => isSecret(el, tag) && VALUES.has(tag) && VALUES.get(tag)(el) !== '' && m.includes(VALUES.get(tag)(el));
