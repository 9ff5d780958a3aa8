// The page set: tables, big pages and a few business-like ones made here, and
// the HTML files of the folders that OBSERVE_PAGES and APG_DIR name.
import fs from 'fs';
import http from 'http';
import path from 'path';

const range = n => Array.from({ length: n }, (_, i) => i);
const pick = (list, i) => list[i % list.length];
const people = ['Mara Lind', 'Jon Ekdal', 'Aiko Mori', 'Piet Brouwer', 'Rosa Conti', 'Tom Reyes', 'Ute Kranz'];
const firms = ['Fjordline AS', 'Brück & Sohn', 'Aster Medical', 'Blue Harbor Ltd', 'Quinta Verde'];

// A document with what every application has around its content. The script is
// how a bench changes a page that it can only look at.
const page = (title, main, ctl) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font:14px sans-serif;margin:0}nav,header{padding:8px}main{padding:8px 16px}td,th{padding:3px 8px;text-align:left}.item{cursor:pointer;padding:4px}</style>
${ctl ? `<script>new EventSource('/control/${ctl}').onmessage=async e=>{const m=JSON.parse(e.data);let ok=true;try{await (0,eval)(m.js)}catch{ok=false}fetch('/done/'+m.id+'?ok='+ok,{method:'POST'})}</script>` : ''}
</head><body><header><a href="/">Larkspur</a> <input type="search" aria-label="Search" placeholder="Orders, people, files">
<button aria-label="Notifications">3</button> <button aria-haspopup="menu" aria-expanded="false">${people[0]}</button></header>
<nav aria-label="Main"><ul>${['Orders', 'People', 'Mail', 'Reports', 'Files', 'Settings'].map(s => `<li><a href="/${s.toLowerCase()}">${s}</a></li>`).join('')}</ul></nav>
<main><h1>${title}</h1>${main}</main><footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer></body></html>`;

const row = i => `<tr><td><input type="checkbox" aria-label="Pick ${i}"></td><td><a href="/parcels/${i}">P-${30000 + i}</a></td><td>Receiver ${i}</td><td>${pick(['Paid', 'Open', 'Late'], i)}</td><td><button>Edit ${i}</button> <button>Drop ${i}</button></td></tr>`;
const table = n => `<label>Find <input id="find"></label> <button>Search</button><table><thead><tr><th>Pick</th><th>Number</th><th>Receiver</th><th>State</th><th>Actions</th></tr></thead><tbody id="rows">${range(n).map(row).join('')}</tbody></table>`;

// big has about n elements: five for each card.
export const cards = n => range(Math.round(n / 5)).map(i => `<section><h3>Card ${i}</h3><p>Text of card ${i}</p><button>Open ${i}</button><a href="/c/${i}">More ${i}</a></section>`).join('');

const business = {
  orders: () => page('Orders', `<form aria-label="Filter"><label>From <input type="date" value="2026-01-01"></label> <label>State <select><option>All<option>Open<option>Paid<option>Late</select></label> <label><input type="checkbox"> Only mine</label> <button>Apply</button></form>
<p role="status">50 of 1,204 orders</p><table><thead><tr><th><input type="checkbox" aria-label="Select all"></th><th aria-sort="descending"><button>Number</button></th><th>Customer</th><th>Date</th><th>Amount</th><th>State</th><th>Actions</th></tr></thead><tbody>${range(50).map(i => `<tr><td><input type="checkbox" aria-label="Select SO-${7100 - i}"></td><td><a href="/orders/${7100 - i}">SO-${7100 - i}</a></td><td>${pick(firms, i * 3)}</td><td>2026-0${1 + i % 9}-1${i % 10}</td><td>${(i * 7919 % 90000 / 10).toFixed(2)} EUR</td><td>${pick(['Open', 'Paid', 'Late'], i)}</td><td><button aria-label="Menu of SO-${7100 - i}" aria-haspopup="menu">…</button></td></tr>`).join('')}</tbody></table>
<nav aria-label="Pages">${range(8).map(i => `<a href="?p=${i + 1}"${i ? '' : ' aria-current="page"'}>${i + 1}</a> `).join('')}</nav>`),
  mail: () => page('Inbox', `<div role="toolbar" aria-label="Mail">${['Archive', 'Delete', 'Mark read', 'Move'].map(s => `<button>${s}</button>`).join(' ')}</div><ul>${range(40).map(i => `<li class="item" onclick="this.dataset.open=1"><input type="checkbox" aria-label="Select"> <button aria-pressed="${i % 5 === 0}">Star</button> <b>${pick(people, i)}</b> <span>${pick(['Offer', 'Report', 'Question'], i)} ${i}: the figures of the quarter are attached, please have a look before Friday</span> <time>2026-03-${10 + i % 20}</time></li>`).join('')}</ul>
<section aria-label="Reading pane"><h2>Report 1</h2><p>From ${people[1]} to me</p>${range(5).map(i => `<p>Paragraph ${i + 1} names two open points of the quarter and asks for an answer until the end of the week.</p>`).join('')}<button>Reply</button> <button>Forward</button></section>`),
  settings: () => page('Account settings', ['Profile', 'Address', 'Notifications', 'Security'].map((s, k) => `<fieldset><legend>${s}</legend>${range(6).map(i => `<p><label>${s} field ${i + 1} <input ${i === 2 ? 'required' : ''} value="${i % 2 ? `value ${k}${i}` : ''}"></label></p>`).join('')}<label><input type="checkbox" ${k % 2 ? 'checked' : ''}> Tell me about ${s.toLowerCase()}</label> <label>Language <select>${range(30).map(i => `<option>Language ${i}`).join('')}</select></label></fieldset>`).join('') + '<button>Save</button> <button>Cancel</button>'),
  board: () => page('Board', ['New', 'Doing', 'Done'].map(c => `<section aria-label="${c}"><h2>${c}</h2>${range(14).map(i => `<article><h3>${c} task ${i}</h3><p>${pick(people, i)} checks the papers of ${pick(firms, i)} and files them in the right folder.</p><a href="/t/${i}">Open</a> <button>Move</button></article>`).join('')}</section>`).join('')),
  rights: () => page('People and rights', `<table><thead><tr><th>Name</th><th>Role</th>${range(30).map(i => `<th>Right ${i}</th>`).join('')}</tr></thead><tbody>${range(40).map(i => `<tr><td><a href="/people/${i}">${pick(people, i)} ${i}</a></td><td><select aria-label="Role of person ${i}"><option>Reader<option selected>Editor<option>Owner</select></td>${range(30).map(k => `<td>${(i + k) % 9 ? (k % 4 ? '' : 'yes') : `<input type="checkbox" aria-label="Right ${k} of person ${i}">`}</td>`).join('')}</tr>`).join('')}</tbody></table>`),
};

// corpus lists the page sets: { set, id, url }.
export function corpus() {
  const out = [20, 200, 1000].map(n => ({ set: 'tables', id: `table-${n}`, url: `/table/${n}` }));
  for (const id of Object.keys(business)) out.push({ set: 'business', id, url: `/business/${id}` });
  const files = process.env.OBSERVE_PAGES;
  if (files) for (const f of fs.readdirSync(files).filter(f => f.endsWith('.html')).sort()) out.push({ set: 'business', id: f, url: `/files/${f}` });
  const apg = process.env.APG_DIR;
  const walk = d => fs.existsSync(d) ? fs.readdirSync(d, { withFileTypes: true }).flatMap(e => e.isDirectory() ? walk(path.join(d, e.name)) : [path.join(d, e.name)]) : [];
  if (apg) for (const f of walk(path.join(apg, 'content/patterns')).sort()) if (f.endsWith('.html') && path.basename(path.dirname(f)) === 'examples') out.push({ set: 'apg', id: path.basename(f, '.html'), url: '/apg/' + path.relative(apg, f) });
  return out;
}

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg', '.json': 'application/json' };

// serve answers on a loopback port until close is called. control(id, js) runs
// js in the page that was opened with ?control=id.
export function serve() {
  const streams = new Map(), waiting = new Map();
  let n = 0;
  const server = http.createServer((q, r) => {
    const u = new URL(q.url, 'http://x'), [, kind, ...rest] = decodeURIComponent(u.pathname).split('/'), arg = rest.join('/');
    const send = (body, type = types['.html'], code = 200) => { r.writeHead(code, { 'content-type': type, 'cache-control': 'no-store' }); r.end(body); };
    const ctl = (u.searchParams.get('control') || '').replace(/\W/g, '');
    if (kind === 'control') { r.writeHead(200, { 'content-type': 'text/event-stream' }); r.write(':\n\n'); streams.set(arg, r); return; }
    if (kind === 'done') { waiting.get(+arg)?.(u.searchParams.get('ok') === 'true'); waiting.delete(+arg); return send('', 'text/plain'); }
    if (kind === 'table') return send(page(`Parcels ${arg}`, table(+arg), ctl));
    if (kind === 'cards') return send(page('Cards', `<div id="cards">${cards(+arg)}</div>`, ctl));
    if (kind === 'business' && business[arg]) return send(business[arg]());
    const root = kind === 'files' ? process.env.OBSERVE_PAGES : kind === 'apg' ? process.env.APG_DIR : '';
    const f = root && path.join(root, arg);
    if (!f || arg.includes('..') || !fs.existsSync(f) || fs.statSync(f).isDirectory()) return send('not found', 'text/plain', 404);
    send(fs.readFileSync(f), types[path.extname(f)] || 'application/octet-stream');
  });
  return new Promise(done => server.listen(0, '127.0.0.1', () => done({
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => { server.closeAllConnections(); server.close(); },
    control: (id, js) => new Promise((ok, no) => {
      const s = streams.get(id), key = ++n;
      if (!s) return no(new Error(`no page with control ${id}`));
      const late = setTimeout(() => no(new Error('the page did not answer in 60 s')), 60000);
      waiting.set(key, good => { clearTimeout(late); good ? ok() : no(new Error('the script failed in the page')); });
      s.write(`data: ${JSON.stringify({ id: key, js })}\n\n`);
    }),
  })));
}
