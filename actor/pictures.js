// What canvases show, as prints: a hash of their pixels, which stay in the page.
// A canvas that the page may not read itself has none.
(() => {
  'use strict';
  const act = globalThis.__quartetAct;
  if (!act || act.prints) return;
  const { getter, rectOf, shown, frame, docQueryAll } = act.kit;
  const width = getter(HTMLCanvasElement, 'width');
  const height = getter(HTMLCanvasElement, 'height');
  const MOST = 4; // canvases
  const SIDE = 384; // pixels: larger ones are reduced

  let pen = null;
  const print = (c) => {
    const k = Math.min(1, SIDE / Math.max(width(c), height(c), 1));
    const w = Math.max(1, Math.round(width(c) * k));
    const h = Math.max(1, Math.round(height(c) * k));
    try {
      pen ??= new OffscreenCanvas(SIDE, SIDE).getContext('2d', { willReadFrequently: true });
      pen.imageSmoothingQuality = 'high';
      pen.clearRect(0, 0, SIDE, SIDE);
      pen.drawImage(c, 0, 0, w, h);
      let hash = 2166136261;
      for (const v of new Uint32Array(pen.getImageData(0, 0, w, h).data.buffer)) hash = Math.imul(hash ^ v, 16777619);
      return hash;
    } catch {
      return null;
    }
  };
  const inView = () => {
    const all = [];
    for (const c of docQueryAll(document, 'canvas')) {
      if (!(c instanceof HTMLCanvasElement) || !shown(c)) continue;
      const r = rectOf(c);
      if (r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth) all.push([r.width * r.height, c]);
    }
    return all.sort((a, b) => b[0] - a[0]).slice(0, MOST).map((x) => x[1]);
  };

  // The prints of before an input, by canvas, taken twice: a canvas that looks
  // otherwise a frame later moves by itself, and tells nothing.
  let before = new Map();
  act.prints = async () => {
    before = new Map(inView().map((c) => [c, print(c)]));
    if (before.size) await frame();
    for (const [c, p] of before) if (print(c) !== p) before.set(c, null);
    return before.size;
  };
  // Which canvases look otherwise than before the input, and go on looking so
  // for ms: their prints, in order, "" where none does.
  const others = () => {
    const out = [];
    let other = false;
    for (const [c, p] of before) {
      const now = p === null ? null : print(c);
      other ||= now !== null && now !== p;
      out.push(now === null ? '-' : now);
    }
    return other ? out.join() : '';
  };
  act.redrawn = async (ms) => {
    const now = others();
    if (!now || !ms) return now;
    await new Promise((done) => setTimeout(done, ms));
    return others() === now ? now : '';
  };
})();
