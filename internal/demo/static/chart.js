'use strict';
// A bar chart without a library: one column a month, hit-tested by hand.
(async () => {
  const canvas = document.getElementById('chart');
  const bars = await (await fetch('/api/chart')).json();
  const height = 260, floor = 226, ceiling = 18;
  const top = Math.max(...bars.map((b) => b.value));
  let boxes = [];
  let hovered = -1;

  function draw() {
    const width = canvas.clientWidth, ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const c = canvas.getContext('2d');
    c.scale(ratio, ratio);
    c.clearRect(0, 0, width, height);
    c.strokeStyle = '#e9e9f3';
    for (let i = 0; i <= 4; i++) {
      const y = Math.round(floor - ((floor - ceiling) * i) / 4) + 0.5;
      c.beginPath();
      c.moveTo(0, y);
      c.lineTo(width, y);
      c.stroke();
    }
    const column = width / bars.length, thick = Math.min(column * 0.62, 54);
    // Full names where they fit, as people read them; short ones elsewhere.
    c.font = '13px "Helvetica Neue", "DejaVu Sans", Arial, sans-serif';
    const wide = bars.every((b) => c.measureText(b.label).width < column - 6);
    c.textAlign = 'center';
    boxes = bars.map((b, i) => {
      const h = ((floor - ceiling) * b.value) / top, x = column * i + (column - thick) / 2;
      c.fillStyle = i === hovered ? '#3d359c' : '#6f66d6';
      c.beginPath();
      c.roundRect(x, floor - h, thick, h, [5, 5, 0, 0]);
      c.fill();
      c.fillStyle = '#2b2d42';
      c.fillText(wide ? b.label : b.label.slice(0, 3), column * (i + 0.5), floor + 21);
      return { x, y: floor - h, w: thick, h };
    });
  }

  // A bar reaches from its top to the axis; its label belongs to it.
  function at(e) {
    const r = canvas.getBoundingClientRect();
    const x = (e.clientX - r.left) * (canvas.clientWidth / r.width), y = (e.clientY - r.top) * (height / r.height);
    return boxes.findIndex((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= floor + 28);
  }

  canvas.addEventListener('mousemove', (e) => {
    const i = at(e);
    canvas.style.cursor = i < 0 ? 'default' : 'pointer';
    if (i !== hovered) {
      hovered = i;
      draw();
    }
  });
  canvas.addEventListener('click', (e) => {
    const i = at(e);
    if (i >= 0) location.href = bars[i].href;
  });
  window.addEventListener('resize', draw);
  draw();
})();
