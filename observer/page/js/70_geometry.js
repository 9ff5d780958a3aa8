// Where a node is, and what stands in its way.
const round = (v) => Math.round(v * 10) / 10;
const box = (r) => ({ x: round(r.x ?? r.left), y: round(r.y ?? r.top), w: round(r.width), h: round(r.height) });

// rectOf is where the element paints: display:contents has no box of its own.
function rectOf(el) {
  const r = N.rect(el);
  if (r.width > 0 || r.height > 0 || styleOf(el).display !== 'contents') return r;
  const range = N.newRange(document);
  N.rangeOver(range, el);
  return N.rangeRect(range);
}
N.newRange = uncurry(Document.prototype.createRange);
N.rangeOver = uncurry(Range.prototype.selectNodeContents);
N.rangeRect = uncurry(Range.prototype.getBoundingClientRect);

const intersect = (a, b) => {
  if (!a) return b;
  const l = Math.max(a.left, b.left), t = Math.max(a.top, b.top), r = Math.min(a.right, b.right), d = Math.min(a.bottom, b.bottom);
  return { left: l, top: t, right: Math.max(l, r), bottom: Math.max(t, d) };
};
// A clip: the part of the plane where content paints, and whether scrolling
// (by a person) can bring more of it in.
const within = (clip0, rect, over) => ({ rect: intersect(clip0 && clip0.rect, rect), scroll: (clip0 && clip0.scroll) || /auto|scroll/.test(over) });
const touches = (r, c) => r.right > c.left && r.left < c.right && r.bottom > c.top && r.top < c.bottom;

function viewportOf() {
  // A document may have no element at all: after document.open(), say.
  const s = N.scrolling(document) || N.docElement(document);
  return { w: innerWidth, h: innerHeight, scroll_x: round(scrollX), scroll_y: round(scrollY), page_w: s ? SCROLL.w(s) : innerWidth, page_h: s ? SCROLL.h(s) : innerHeight, dpr: devicePixelRatio };
}
N.scrolling = getter(Document.prototype, 'scrollingElement');
const SCROLL = { w: getter(Element.prototype, 'scrollWidth'), h: getter(Element.prototype, 'scrollHeight') };

// Text in less than two pixels cannot be read.
const cutOff = (r) => r.right - r.left < 2 || r.bottom - r.top < 2;

// place writes offscreen, unreachable and clipped.
function place(n, r, clip0, fixed, vp) {
  if (clip0 && (r.width > 0 || r.height > 0) && !touches(r, clip0.rect)) {
    if (clip0.scroll) n.offscreen = true; else n.clipped = true;
    return;
  }
  if (clip0 && r.width > 3 && r.height > 3 && cutOff(intersect(clip0.rect, r))) {
    if (clip0.scroll) n.offscreen = true; else n.clipped = true;
    return;
  }
  if (r.right > 0 && r.bottom > 0 && r.left < vp.w && r.top < vp.h) return;
  if (fixed) { n.unreachable = true; return; }
  const x = r.left + vp.scroll_x, y = r.top + vp.scroll_y;
  if ((x + r.width <= 0 && !vp.rtl) || y + r.height <= 0 || (x >= vp.page_w && !vp.rtl) || y >= vp.page_h) n.unreachable = true;
  else n.offscreen = true;
}

function deepFromPoint(x, y) {
  let hit = N.docFromPoint(document, x, y);
  for (let i = 0; hit && i < 50; i++) {
    const root = shadowOf(hit);
    if (!root) break;
    const inner = N.rootFromPoint(root, x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
}

// blocker returns the element that would receive a click at el's centre
// instead of el, or null.
function blocker(el, r, clip0, vp) {
  let vis = intersect(clip0 && clip0.rect, r);
  vis = intersect(vis, { left: 0, top: 0, right: vp.w, bottom: vp.h });
  if (vis.right - vis.left < 1 || vis.bottom - vis.top < 1) return null;
  const test = (x, y) => {
    const hit = deepFromPoint(x, y);
    if (!hit || inFlat(hit, el)) return null;
    if (inFlat(el, hit)) return null; // an ancestor: el itself lets events through there
    for (let l = hit, i = 0; l && i < 20; l = flatParent(l), i++) if (tagOf(l) === 'label' && N.labelControl(l) === el) return null;
    return hit;
  };
  const first = test((vis.left + vis.right) / 2, (vis.top + vis.bottom) / 2);
  if (!first) return null;
  const parts = N.rects(el); // inline boxes that wrap: the centre lies between them
  if (parts.length > 1) {
    const p = parts[0];
    if (p.right > 0 && p.bottom > 0 && p.left < vp.w && p.top < vp.h) return test((p.left + p.right) / 2, (p.top + p.bottom) / 2);
  }
  return first;
}
function describe(el) {
  const tag = tagOf(el), id = N.attr(el, 'id'), c = tokens(classOf(el))[0];
  return clip(line(tag + (id ? '#' + id : c ? '.' + c : '')), 60);
}
