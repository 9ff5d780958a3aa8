package vision

// chartPage is a bar chart drawn on a canvas: twelve months, a title, grid
// lines, an axis, values. It keeps its own log of what was clicked.
const chartPage = `<!doctype html><meta name=viewport content="width=device-width">
<body style="margin:0"><div style="height:150px"></div><canvas style="margin:20px;width:640px;height:320px"></canvas>
<div style="height:2000px"></div>
<script>
const c = document.querySelector("canvas"), k = devicePixelRatio;
c.width = 640 * k; c.height = 320 * k;
const g = c.getContext("2d"); g.scale(k, k);
const names = ["January","February","March","April","May","June","July","August","Sept","October"];
const values = [12, 19, 7, 22, 15, 9, 17, 21, 5, 14];
g.fillStyle = "#fff"; g.fillRect(0, 0, 640, 320);
g.fillStyle = "#333"; g.font = "16px sans-serif"; g.textAlign = "center"; g.fillText("Revenue by month", 320, 24);
g.strokeStyle = "#ddd";
for (let v = 5; v <= 25; v += 5) { g.beginPath(); g.moveTo(40, 280 - v * 9); g.lineTo(620, 280 - v * 9); g.stroke(); }
g.strokeStyle = "#333"; g.beginPath(); g.moveTo(40, 280.5); g.lineTo(620, 280.5); g.stroke();
g.font = "11px sans-serif";
const bars = [];
names.forEach((n, i) => {
	const x = 48 + i * 58, h = values[i] * 9;
	g.fillStyle = "#3b6fd4"; g.fillRect(x, 280 - h, 36, h);
	g.fillStyle = "#333"; g.fillText(n, x + 18, 296);
	g.fillText(String(values[i]), x + 18, 275 - h);
	bars.push({n, x, y: 280 - h, w: 36, h});
});
const log = document.body.appendChild(document.createElement("output"));
c.addEventListener("click", e => {
	const r = c.getBoundingClientRect(), x = e.clientX - r.x, y = e.clientY - r.y;
	const b = bars.find(b => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + b.h);
	log.textContent = b ? b.n : "nothing";
});
</script>`

// dotsPage has small squares of known colours at known places, with decimals.
const dotsPage = `<!doctype html><meta name=viewport content="width=device-width">
<body style="margin:0;background:#fff;width:3000px;height:4000px;position:relative">
<script>
globalThis.put = (x, y) => {
	const d = document.createElement("div");
	d.style.cssText = "position:absolute;width:8px;height:8px;background:#f00;left:" + x + "px;top:" + y + "px";
	document.body.append(d);
};
</script>`
