// node run.mjs [--quick] [--sample] [--only sizes|diffs|times] [--no-write]: prints the comparison and
// rewrites the marked section of docs/performance.md. --quick times less often,
// --sample takes every tenth APG page. QUARTET_BIN names the binary.
import fs from 'fs';
import os from 'os';
import path from 'path';
import { fileURLToPath } from 'url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Playwright, Quartet, rest, timed } from './engines.mjs';
import { cards, corpus, serve } from './pages.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const quick = process.argv.includes('--quick');
const bin = process.env.QUARTET_BIN || path.join(here, '../../bin/quartet');
const median = list => { const s = [...list].sort((a, b) => a - b), k = s.length; return k ? (s[(k - 1) >> 1] + s[k >> 1]) / 2 : NaN; };
const tokens = text => { let n = 0; for (let i = 0; i < text.length; i += 100000) n += countTokens(text.slice(i, i + 100000)); return n; };
const note = text => process.stderr.write(text + '\n');

const server = await serve();
const quartet = new Quartet(bin), playwright = new Playwright(false), old = new Playwright(true);
await Promise.all([quartet.start(), playwright.start(), old.start()]);
const rows = [];
const add = (what, theirs, ours, must) => { rows.push({ what, theirs, ours, must }); note(`${what} | ${theirs} | ${ours} | ${must}`); };
const round = (x, d = 2) => Number.isFinite(x) ? x.toLocaleString('en', { minimumFractionDigits: d, maximumFractionDigits: d }) : 'no pages';
const count = n => Number.isFinite(n) ? Math.round(n).toLocaleString('en') : 'no pages';

// What a person can read and operate, by a judge that is neither of the two.
const readable = `(() => {
  const seen = e => e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && e.getBoundingClientRect().width > 1;
  const controls = [...document.querySelectorAll('a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=link],[role=checkbox],[role=radio],[role=tab],[role=menuitem],[role=switch],[role=slider],[role=option]')].filter(seen);
  const placed = e => { const r = e.getBoundingClientRect(); return { x: r.x, y: r.y, w: r.width, h: r.height, what: e.outerHTML.slice(0, 80) }; };
  const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let n; (n = walk.nextNode());) {
    const e = n.parentElement; // a closed select shows one of its options
    if (!e.closest('select,script,style,noscript,template,textarea') && e.checkVisibility({ visibilityProperty: true })) texts.push(n.data);
  }
  return { words: texts.join(' '), controls: controls.map(placed) };
})()`;
const words = text => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];

// lost are the words of the page that the text does not hold; parts of words
// count, where markup splits one.
function lost(text, page) {
  const have = new Set(words(text)), run = words(text).join('');
  return words(page).filter(w => !have.has(w) && !run.includes(w));
}
const operable = new Set('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem slider spinbutton textbox searchbox combobox listbox summary'.split(' '));
// without are the controls of the page that no node stands for: none of its
// size where it is.
function without(controls, acts) {
  const near = (a, b) => Math.abs(a - b) <= 2;
  return controls.filter(c => !acts.some(n => n.box && near(n.box.x, c.x) && near(n.box.y, c.y) && near(n.box.w, c.w) && near(n.box.h, c.h)));
}
// has reports whether a line stands for the element; that a mark or a marker
// names it is not enough.
const has = (text, ref) => new RegExp(`\\b${ref}\\b`).test(text.replace(/\b(covered-by|popup|expand) (f\d+)?e\d+/g, ''));
function* nodes(n) { yield n; for (const k of n.children || []) yield* nodes(k); }

// steady looks until it sees the same twice in a row: pages go on loading after
// their load event, and texts of two states of one compare nothing.
async function steady(look, same) {
  for (let k = 0, last; k < 12; k++) {
    await rest(500);
    const got = await look();
    if (same(got) === last) return got;
    last = same(got);
  }
  throw new Error('it does not come to rest');
}

async function sizes() {
  const sets = {};
  let pages = corpus();
  if (process.argv.includes('--sample')) pages = pages.filter((p, i) => p.set !== 'apg' || i % 10 === 0);
  for (const p of pages) {
    try {
      await playwright.open(server.origin + p.url);
      const theirs = await steady(() => playwright.snapshot(), text => text), page = await playwright.run(readable);
      await quartet.open(server.origin + p.url);
      const { first, whole, tree } = await steady(async () => ({
        first: await quartet.snapshot({ mode: 'full', budget: 1500 }),
        whole: await quartet.snapshot({ mode: 'full' }),
        tree: JSON.parse((await quartet.snapshot({ mode: 'full', format: 'json' })).replace(/^note:.*\n/gm, '')),
      }), o => [o.first, o.whole].every(text => text.startsWith(`@${o.tree.version} `) && !stale.test(text)) ? o.tree.version : NaN);
      const acts = [...nodes(tree.root)].filter(n => n.ref && n !== tree.root && (operable.has(n.role) || n.clickable));
      const inView = acts.filter(n => n.box && !n.offscreen && !n.inert && !n.unreachable && n.box.y < 800 && n.box.y + n.box.h > 0 && n.box.x < 1280 && n.box.x + n.box.w > 0);
      // A page that was not seen must not count as one that was seen cheaply. Boxes
      // are of the same browser: two may break a line at another word.
      const boxes = (await quartet.run(`${readable}.controls.map(c => [c.x, c.y, c.w, c.h].map(Math.round).join()).join(' ')`)).split(' ').filter(Boolean).map(b => b.split(',').map(Number));
      const controls = boxes.map(([x, y, w, h], k) => ({ x, y, w, h, what: page.controls[k]?.what }));
      if (controls.length !== page.controls.length) throw new Error(`${controls.length} controls here, ${page.controls.length} there: ${whole.slice(0, 200).replaceAll('\n', ' ')}`);
      const r = { id: p.id, theirs: tokens(theirs), full: tokens(whole), first: tokens(first), lost: lost(whole, page.words), gone: acts.filter(n => !has(whole, n.ref)), fewer: without(controls, acts), unseen: inView.filter(n => !has(first, n.ref)) };
      (sets[p.set] ||= []).push(r);
      note(`${p.set} ${p.id}: ${r.theirs} | full ${r.full} (${round(r.full / r.theirs)}), first ${r.first}; words lost ${r.lost.length}${r.lost.length ? ' ' + r.lost.slice(0, 5) : ''}, refs lost ${r.gone.length}${r.gone.length ? ' ' + r.gone.slice(0, 5).map(n => n.ref) : ''}, controls without a node ${r.fewer.length}${r.fewer.length ? ' ' + r.fewer.slice(0, 5).map(c => c.what) : ''}, in view and folded ${r.unseen.length}${r.unseen.length ? ' ' + r.unseen.slice(0, 5).map(n => n.ref) : ''}`);
    } catch (e) { note(`${p.set} ${p.id}: ${e.message.split('\n')[0]}`); (sets.failed ||= []).push(p.id); }
  }
  for (const set of ['apg', 'business', 'tables']) {
    const s = sets[set] || [], sum = f => s.reduce((n, r) => n + f(r), 0);
    add(`full, tokens, median of ${s.length} pages: ${set}`, count(median(s.map(r => r.theirs))), `${count(median(s.map(r => r.full)))}; ratio ${round(median(s.map(r => r.full / r.theirs)))}; ${sum(r => r.lost.length)} words, ${sum(r => r.gone.length + r.fewer.length)} operable elements missing`, 'ratio at most 0.40, nothing missing');
    add(`first observation, tokens, median: ${set}`, count(median(s.map(r => r.theirs))), `${count(median(s.map(r => r.first)))}, most ${count(Math.max(...s.map(r => r.first)))}; ${sum(r => r.unseen.length)} operable elements in view missing`, { apg: 'at most 1,300, none missing', business: 'at most 1,500, none missing', tables: 'none missing' }[set]);
  }
  const all = ['apg', 'business', 'tables'].flatMap(s => sets[s] || []);
  add(`full, all ${all.length} pages, median ratio`, '1', round(median(all.map(r => r.full / r.theirs))), 'at most 0.40');
  if (sets.failed) add('pages that could not be measured', '', sets.failed.join(', '), 'none');
}

async function diffs() {
  const url = `${server.origin}/table/1000?control=`;
  const body = `const b = document.getElementById('rows')`;
  const changes = [
    ['one text changed', `{${body}; b.rows[500].cells[2].textContent = 'Somebody else'}`, 60],
    ['one row prepended', `{${body}; const r = b.rows[7].cloneNode(true); r.cells[1].firstChild.textContent = 'P-99999'; b.prepend(r)}`, 60],
    ['one row removed', `{${body}; b.rows[20].remove()}`, 60],
    ['two rows swapped', `{${body}; b.insertBefore(b.rows[41], b.rows[40])}`, 60],
    ['re-rendered, identical', `{${body}; b.innerHTML = b.innerHTML}`, 25],
    ['sorted', `{${body}; b.append(...[...b.rows].sort((x, y) => y.cells[1].textContent < x.cells[1].textContent ? -1 : 1))}`, 200],
  ];
  for (const [k, [what, js, most]] of changes.entries()) {
    await old.open(url + 'o' + k);
    await old.snapshot();
    await old.run(js);
    const theirs = tokens(await old.snapshot());
    await quartet.open(url + 'd' + k);
    await quartet.snapshot({ mode: 'full' });
    await server.control('d' + k, js);
    const text = await quartet.snapshot({ mode: 'diff' });
    add(`diff, tokens, 1,000 rows: ${what}`, `${count(theirs)} (1.61.1)`, `${count(tokens(text))}${/refs kept/.test(text) ? ', refs kept' : ''}`, `at most ${most}`);
  }
}

// seen is an answer that is of the page: one that says that the page did not
// answer came fast, and for nothing.
const stale = /^@\d+ .*\[stale|did not answer/m;
function seen(text) {
  if (stale.test(text)) throw new Error('not seen: ' + text.slice(0, 200).replaceAll('\n', ' '));
  return text;
}

async function times() {
  const pair = async (what, must, reps, theirs, ours, before = async () => {}) => {
    const a = [], b = [];
    for (let k = 0; k < reps; k++) {
      await before(k);
      await rest(500); // neither is to run beside what the other has left to tidy up
      a.push((await timed(theirs)).ms);
      await rest(500);
      b.push((await timed(async () => seen(await ours()))).ms);
    }
    add(what, `${count(median(a))} ms`, `${count(median(b))} ms; ratio ${round(median(a) / median(b), 1)}`, must);
  };
  await playwright.open(`${server.origin}/cards/11000`);
  await quartet.open(`${server.origin}/cards/11000?control=t1`);
  await pair(`full snapshot, 11,000 nodes, time, median of ${quick ? 5 : 15}`, 'at least 10 times faster', quick ? 5 : 15, () => playwright.snapshot(), () => quartet.snapshot({ mode: 'full' }));
  const change = k => `document.querySelectorAll('main p')[${k + 3}].textContent = 'Changed ${k}'`;
  await pair(`observation after one change, 11,000 nodes, time, median of ${quick ? 10 : 30}`, 'at least 50 times faster', quick ? 10 : 30, () => playwright.snapshot(), async () => {
    const text = await quartet.snapshot({ mode: 'auto' });
    if (!/Changed/.test(text)) throw new Error('the change was not seen: ' + text.slice(0, 200));
    return text;
  }, async k => { await playwright.run(change(k)); await server.control('t1', change(k)); });
  await pair('first observation, 100,000 nodes, time, from the address to the text', 'at least 10 times faster', quick ? 1 : 3,
    async () => { await playwright.open(`${server.origin}/cards/100000`); await playwright.snapshot(); },
    () => quartet.open(`${server.origin}/cards/100000`));
}

const failures = [];
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : '';
for (const part of [sizes, diffs, times].filter(f => !only || f.name === only)) {
  try { await part(); } catch (e) { failures.push(`${part.name}: ${e.message.split('\n')[0]}`); note(`${part.name}: ${e.stack}`); }
}
await Promise.allSettled([quartet.stop(), playwright.stop(), old.stop()]);
server.close();

const version = fs.readFileSync(path.join(here, 'node_modules/playwright-core/package.json'), 'utf8').match(/"version": "(.*)"/)[1];
const flags = process.argv.slice(2).filter(a => a !== '--no-write'), command = flags.length ? `node bench/observe/run.mjs ${flags.join(' ')}` : 'make bench-observe';
const section = [`Printed by \`${command}\`${process.env.APG_DIR ? ' (APG_DIR: a checkout of w3c/aria-practices)' : ''} on ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)} at the end. Left: Playwright ${version} (\`ariaSnapshot({mode: 'ai'})\`), of diffs 1.61.1, which had them. Right: \`quartet mcp\`, the compact form. Tokens by o200k_base; times are medians of calls taken in turn, each after half a second of rest.`, '',
  '| what | Playwright | Quartet | must reach |', '|---|---|---|---|', ...rows.map(r => `| ${r.what} | ${r.theirs} | ${r.ours} | ${r.must} |`), ...failures.map(f => `\nNot measured: ${f}`)].join('\n');
console.log(section);
if (!process.argv.includes('--no-write') && !only && failures.length === 0) { // half a run is no record
  const doc = path.join(here, '../../docs/performance.md'), begin = '<!-- bench-observe: begin -->', end = '<!-- bench-observe: end -->';
  const text = fs.readFileSync(doc, 'utf8'), a = text.indexOf(begin), b = text.indexOf(end);
  if (a < 0 || b < a) throw new Error(`${doc} has no section ${begin}`);
  fs.writeFileSync(doc, text.slice(0, a + begin.length) + '\n' + section + '\n' + text.slice(b));
}
process.exit(failures.length ? 1 : 0);
