// The form, served over HTTP: 12 fields, 6 checkboxes, a select and a button,
// with 100 links beside it. What is sent is what counts.
import http from 'http';

export const fields = ['First name', 'Last name', 'Email', 'Phone', 'Company', 'Department', 'Street', 'City', 'Postal code', 'Order number', 'Contact person', 'Remarks'];
export const boxes = ['Newsletter', 'Invoices by mail', 'Phone support', 'Beta features', 'Weekly report', 'Single sign-on'];
export const plans = ['Free', 'Team', 'Business', 'Enterprise'];
const id = label => label.toLowerCase().replace(/[^a-z]+/g, '-');
export const values = { 'First name': 'Ada', 'Last name': 'Lovelace', Email: 'ada@example.org', Phone: '030 1234567', Company: 'Analytical Engines', Department: 'Research', Street: '12 St James Square', City: 'London', 'Postal code': 'SW1Y 4JH', 'Order number': '1815-1210', 'Contact person': 'Charles Babbage', Remarks: 'Deliver to the back door' };
export const plan = 'Business';

const html = `<!doctype html><html lang=en><title>New customer</title>
<style>body{display:flex;gap:2em;font:14px sans-serif}nav{columns:2;width:30em}label{display:block;margin:4px 0}main{width:40em}</style>
<nav aria-label="All customers">${Array.from({ length: 100 }, (_, i) => `<a href="/customers/${i}">Customer ${1000 + i}</a><br>`).join('')}</nav>
<main><h1>New customer</h1><form id=f>
${fields.map(l => `<label>${l} <input name="${id(l)}"></label>`).join('\n')}
<label>Plan <select name=plan>${plans.map(p => `<option>${p}</option>`).join('')}</select></label>
${boxes.map(l => `<label><input type=checkbox name="${id(l)}"> ${l}</label>`).join('\n')}
<button>Create customer</button></form><p role=status id=done></p></main>
<script>
f.onsubmit = async e => {
  e.preventDefault();
  const r = await fetch('/created', { method: 'POST', body: JSON.stringify(Object.fromEntries(new FormData(f))) });
  done.textContent = 'Customer ' + await r.text() + ' created';
};
</script></html>`;

// serve returns the origin, the bodies that were posted, and close.
export async function serve() {
  const posted = [];
  const server = http.createServer((req, res) => {
    if (req.url === '/created' && req.method === 'POST') {
      let body = '';
      req.on('data', d => { body += d; }).on('end', () => { posted.push(JSON.parse(body)); res.end(String(posted.length)); });
      return;
    }
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    res.end(html);
  });
  await new Promise(r => server.listen(0, '127.0.0.1', r));
  return { origin: `http://127.0.0.1:${server.address().port}`, posted, close: () => server.close() };
}

// complete says whether a posted body is all that was meant.
export function complete(body) {
  return Boolean(body) && fields.every(l => body[id(l)] === values[l]) && boxes.every(l => body[id(l)] === 'on') && body.plan === plan;
}
