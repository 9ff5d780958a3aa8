// node run.mjs [--no-write]: a form of 20 steps, filled by Quartet with every step
// observed, verified and journaled, and by @playwright/mcp with none of that. Three
// runs, the worst taken; it rewrites the marked section of docs/performance.md.
// QUARTET_BIN names the binary, CHROMIUM the browser of both.
import fs from 'fs';
import os from 'os';
import path from 'path';
import { fileURLToPath } from 'url';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { Client } from '../mcp.mjs';
import { boxes, complete, fields, plan, serve, values } from './page.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const bin = process.env.QUARTET_BIN || path.join(here, '../../bin/quartet');
const chromium = process.env.CHROMIUM || ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(fs.existsSync);
const mean = list => list.reduce((n, x) => n + x, 0) / list.length;
const runs = 3;

// The steps are the same for both: a name, and what to do with it.
const steps = [
  ...fields.map(name => ({ kind: 'fill', name, value: values[name] })),
  { kind: 'select', name: 'Plan', value: plan },
  ...boxes.map(name => ({ kind: 'check', name })),
  { kind: 'click', name: 'Create customer' },
];
const act = (client, step, target) => {
  const element = step.name;
  switch (step.kind) {
    case 'fill': return client.tool('browser_type', { element, target, text: step.value });
    case 'select': return client.tool('browser_select_option', { element, target, values: [step.value] });
    default: return client.tool('browser_click', { element, target });
  }
};

// refsIn finds the refs of the controls: "textbox e12 "Email"" in the compact
// form, "textbox "Email" [ref=e12]" in Playwright's.
function refsIn(snapshot) {
  const refs = {};
  for (const { name } of steps) {
    const at = snapshot.match(new RegExp(`(?:textbox|combobox|checkbox|button)[^\\n]*?\\b(e\\d+) "${name}"|"${name}"[^\\n]*?\\[ref=(e\\d+)\\]`));
    if (!at) throw new Error(`no ref for ${name} in:\n${snapshot.slice(0, 2000)}`);
    refs[name] = at[1] || at[2];
  }
  return refs;
}

// fill does the 20 steps and returns the time of each, by kind, and the tokens of
// the answers.
async function fill(client, look, server, verified) {
  await client.tool('browser_navigate', { url: server.origin });
  const first = (await client.tool('browser_snapshot', look)).text;
  const refs = refsIn(first);
  const took = { all: [], click: [] };
  let answers = 0;
  for (const step of steps) {
    const from = performance.now();
    const r = await act(client, step, refs[step.name]);
    const ms = performance.now() - from;
    took.all.push(ms);
    if (step.kind === 'click' || step.kind === 'check') took.click.push(ms);
    answers += countTokens(r.text);
    if (verified && r.structured?.verdict !== 'right') throw new Error(`${step.name}: ${r.text}`);
  }
  // Whose click does not wait for its effect may have to be waited for.
  for (let k = 0; k < 100 && !server.posted.length; k++) await new Promise(r => setTimeout(r, 20));
  if (!complete(server.posted.at(-1))) throw new Error('the server was sent ' + JSON.stringify(server.posted.at(-1)));
  server.posted.length = 0;
  return { step: mean(took.all), click: mean(took.click), answers, look: countTokens(first) };
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-act-'));
const config = path.join(dir, 'config.json');
fs.writeFileSync(config, JSON.stringify({ browser: { launchOptions: { args: ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] } } }));
const sides = {
  quartet: () => new Client(bin, ['mcp'], { env: { ...process.env, QUARTET_RUNS: path.join(dir, 'runs'), QUARTET_BROWSER_EXECUTABLE: chromium } }),
  playwright: () => new Client('node', [path.join(here, 'node_modules/@playwright/mcp/cli.js'), '--headless', '--isolated', '--no-sandbox', '--executable-path', chromium, '--output-dir', dir, '--config', config], { cwd: dir }),
};
const server = await serve();
const got = { quartet: [], playwright: [] };
for (let k = 0; k < runs; k++) {
  for (const side of ['playwright', 'quartet']) {
    const client = sides[side]();
    await client.start();
    got[side].push(await fill(client, side === 'quartet' ? { mode: 'full' } : {}, server, side === 'quartet'));
    await client.tool('browser_close').catch(() => {});
    await client.stop();
    const r = got[side].at(-1);
    process.stderr.write(`${side}: ${r.step.toFixed(0)} ms a step, clicks ${r.click.toFixed(0)} ms, ${r.answers} tokens in answers, ${r.look} a look\n`);
  }
}
server.close();
fs.rmSync(dir, { recursive: true, force: true });

// The worst of the runs: for the ratio the run in which it was the smallest.
const ratios = got.quartet.map((q, k) => got.playwright[k].step / q.step), worst = ratios.indexOf(Math.min(...ratios));
const most = (side, f) => Math.max(...got[side].map(f)).toLocaleString('en', { maximumFractionDigits: 0 });
const ms = x => `${x.toFixed(0)} ms`;
const rows = [
  ['a step, mean of 20', ms(got.playwright[worst].step), `${ms(got.quartet[worst].step)}; ratio ${ratios[worst].toFixed(1)}`, 'at least 4 times faster'],
  ['a click, mean of 7', ms(got.playwright[worst].click), ms(got.quartet[worst].click), ''],
  ['tokens of the 20 answers, diffs included', most('playwright', r => r.answers), most('quartet', r => r.answers), 'at most 3,000'],
  ['tokens of one look at the whole page', most('playwright', r => r.look), most('quartet', r => r.look), ''],
];
const version = JSON.parse(fs.readFileSync(path.join(here, 'node_modules/@playwright/mcp/package.json'), 'utf8')).version;
const section = [`Printed by \`make bench-act\` on ${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)} at the end: ${runs} runs, the worst taken. Left: @playwright/mcp ${version}, which reports what it did unverified. Right: \`quartet mcp\`, every step observed, verified and in the journal on disk. Tokens by o200k_base.`, '',
  '| what | Playwright MCP | Quartet | must reach |', '|---|---|---|---|', ...rows.map(r => `| ${r.join(' | ')} |`)].join('\n');
console.log(section);
if (!process.argv.includes('--no-write')) {
  const doc = path.join(here, '../../docs/performance.md'), begin = '<!-- bench-act: begin -->', end = '<!-- bench-act: end -->';
  const text = fs.readFileSync(doc, 'utf8'), a = text.indexOf(begin), b = text.indexOf(end);
  if (a < 0 || b < a) throw new Error(`${doc} has no section ${begin}`);
  fs.writeFileSync(doc, text.slice(0, a + begin.length) + '\n' + section + '\n' + text.slice(b));
}
