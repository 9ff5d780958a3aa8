// Captured natives. Named form controls and document.* names shadow built-ins
// in isolated worlds too ("DOM clobbering"), so nothing below reads a property
// of an element or of the document directly: always through these.
const uncurry = (f) => Function.prototype.call.bind(f);
const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name).get);
const own = uncurry(Object.prototype.hasOwnProperty);

const N = {
  attr: uncurry(Element.prototype.getAttribute),
  has: uncurry(Element.prototype.hasAttribute),
  hasAny: uncurry(Element.prototype.hasAttributes),
  attrNames: uncurry(Element.prototype.getAttributeNames),
  matches: uncurry(Element.prototype.matches),
  closest: uncurry(Element.prototype.closest),
  rect: uncurry(Element.prototype.getBoundingClientRect),
  rects: uncurry(Element.prototype.getClientRects),
  shadow: getter(Element.prototype, 'shadowRoot'),
  local: getter(Element.prototype, 'localName'),
  ns: getter(Element.prototype, 'namespaceURI'),
  checkVisibility: uncurry(Element.prototype.checkVisibility),
  clientLeft: getter(Element.prototype, 'clientLeft'),
  clientTop: getter(Element.prototype, 'clientTop'),
  labelledBy: getter(Element.prototype, 'ariaLabelledByElements'),
  describedBy: getter(Element.prototype, 'ariaDescribedByElements'),
  controls: getter(Element.prototype, 'ariaControlsElements'),
  elQueryAll: uncurry(Element.prototype.querySelectorAll),
  docQueryAll: uncurry(Document.prototype.querySelectorAll),
  fragQueryAll: uncurry(DocumentFragment.prototype.querySelectorAll),
  docById: uncurry(Document.prototype.getElementById),
  fragById: uncurry(DocumentFragment.prototype.getElementById),
  type: getter(Node.prototype, 'nodeType'),
  parent: getter(Node.prototype, 'parentNode'),
  first: getter(Node.prototype, 'firstChild'),
  next: getter(Node.prototype, 'nextSibling'),
  connected: getter(Node.prototype, 'isConnected'),
  root: uncurry(Node.prototype.getRootNode),
  text: getter(Node.prototype, 'textContent'),
  data: getter(CharacterData.prototype, 'data'),
  host: getter(ShadowRoot.prototype, 'host'),
  rootFromPoint: uncurry(ShadowRoot.prototype.elementFromPoint),
  rootActive: getter(ShadowRoot.prototype, 'activeElement'),
  rootSheets: getter(ShadowRoot.prototype, 'styleSheets'),
  rootAdopted: getter(ShadowRoot.prototype, 'adoptedStyleSheets'),
  assigned: uncurry(HTMLSlotElement.prototype.assignedNodes),
  slot: getter(Element.prototype, 'assignedSlot'),
  docElement: getter(Document.prototype, 'documentElement'),
  docBody: getter(Document.prototype, 'body'),
  docActive: getter(Document.prototype, 'activeElement'),
  docTitle: getter(Document.prototype, 'title'),
  docReady: getter(Document.prototype, 'readyState'),
  docFromPoint: uncurry(Document.prototype.elementFromPoint),
  docSheets: getter(Document.prototype, 'styleSheets'),
  docAdopted: getter(Document.prototype, 'adoptedStyleSheets'),
  inert: getter(HTMLElement.prototype, 'inert'),
  tabIndex: getter(HTMLElement.prototype, 'tabIndex'),
  editable: getter(HTMLElement.prototype, 'isContentEditable'),
  inputType: getter(HTMLInputElement.prototype, 'type'),
  inputChecked: getter(HTMLInputElement.prototype, 'checked'),
  inputMixed: getter(HTMLInputElement.prototype, 'indeterminate'),
  inputList: getter(HTMLInputElement.prototype, 'list'),
  inputFiles: getter(HTMLInputElement.prototype, 'files'),
  selectOptions: getter(HTMLSelectElement.prototype, 'options'),
  selectSize: getter(HTMLSelectElement.prototype, 'size'),
  selectMultiple: getter(HTMLSelectElement.prototype, 'multiple'),
  optionSelected: getter(HTMLOptionElement.prototype, 'selected'),
  optionLabel: getter(HTMLOptionElement.prototype, 'label'),
  labelControl: getter(HTMLLabelElement.prototype, 'control'),
};

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

// Getters that several classes define, by local name.
const perTag = (name, classes) => {
  const m = new Map();
  for (const [tag, c] of classes) m.set(tag, getter(c.prototype, name));
  return m;
};
const FIELDS = [['input', HTMLInputElement], ['select', HTMLSelectElement], ['textarea', HTMLTextAreaElement], ['button', HTMLButtonElement], ['output', HTMLOutputElement]];
const LABELABLE = new Set(['input', 'select', 'textarea', 'button', 'output', 'meter', 'progress']);
const VALUES = perTag('value', [['input', HTMLInputElement], ['select', HTMLSelectElement], ['textarea', HTMLTextAreaElement], ['output', HTMLOutputElement]]);
const NUMBERS = perTag('value', [['meter', HTMLMeterElement], ['progress', HTMLProgressElement]]);
const VALIDITY = perTag('validity', FIELDS);
const VALIDATES = perTag('willValidate', FIELDS);
const MESSAGES = perTag('validationMessage', FIELDS);
const READONLY = perTag('readOnly', [['input', HTMLInputElement], ['textarea', HTMLTextAreaElement]]);

const isElement = (n) => N.type(n) === 1;
const isText = (n) => N.type(n) === 3 || N.type(n) === 4;
const isHTML = (el) => N.ns(el) === HTML;
const tagOf = (el) => { const ns = N.ns(el); return ns === HTML ? N.local(el) : ns === SVG ? 'svg:' + N.local(el) : ':' + N.local(el); };
const via = (map, el, tag) => { const g = map.get(tag); return g ? g(el) : undefined; };
const byId = (root, id) => N.type(root) === 9 ? N.docById(root, id) : N.type(root) === 11 ? N.fragById(root, id) : null;
const queryAll = (root, sel) => N.type(root) === 9 ? N.docQueryAll(root, sel) : N.type(root) === 11 ? N.fragQueryAll(root, sel) : N.elQueryAll(root, sel);
const tokens = (s) => s ? s.split(/[\t\n\f\r ]+/).filter(Boolean) : [];

// Closed shadow roots, handed in from outside (host -> root).
const adopted = new WeakMap();
const shadowOf = (el) => N.shadow(el) || adopted.get(el) || null;

// flatParent is the parent in the flat tree: slot, host or parent.
function flatParent(n) {
  const slot = isElement(n) && N.slot(n);
  if (slot) return slot;
  const p = N.parent(n);
  if (!p) return null;
  if (N.type(p) === 11) return p instanceof ShadowRoot ? N.host(p) : null;
  return N.type(p) === 1 ? p : null;
}

// flatChildren lists the children in the flat tree (nodes, not only elements).
function flatChildren(el, tag) {
  if (tag === 'slot') {
    const given = N.assigned(el);
    if (given.length) return given;
  }
  const out = [];
  const from = shadowOf(el) || el;
  if (from === el && tag === 'details' && !N.has(el, 'open')) {
    for (let c = N.first(el); c; c = N.next(c)) if (isElement(c) && tagOf(c) === 'summary') { out.push(c); break; }
    return out;
  }
  for (let c = N.first(from); c; c = N.next(c)) {
    const t = N.type(c);
    if (t === 1 || t === 3 || t === 4) out.push(c);
  }
  return out;
}

const inFlat = (el, ancestor) => {
  for (let n = el, i = 0; n && i < 5000; n = flatParent(n), i++) if (n === ancestor) return true;
  return false;
};
