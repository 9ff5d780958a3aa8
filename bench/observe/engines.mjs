// Quartet over its MCP server, Playwright in this process.
import { spawn } from 'child_process';
import fs from 'fs';
import os from 'os';
import path from 'path';
import { chromium } from 'playwright-core';
import { chromium as chromiumOld } from 'playwright-core-old';

// The same program for all: a headless shell where there is one.
const executablePath = process.env.CHROMIUM || ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(fs.existsSync);
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const rest = ms => new Promise(r => setTimeout(r, ms));

// timed runs f and returns its result and its wall time in ms.
export async function timed(f) {
  const from = performance.now(), result = await f();
  return { result, ms: performance.now() - from };
}

export class Quartet {
  constructor(bin) {
    this.runs = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-observe-'));
    this.process = spawn(bin, ['mcp'], { env: { ...process.env, QUARTET_RUNS: this.runs, QUARTET_BROWSER_EXECUTABLE: executablePath }, stdio: ['pipe', 'pipe', 'ignore'] });
    this.waiting = new Map();
    this.calls = 0;
    let buffer = '';
    this.process.stdout.setEncoding('utf8').on('data', d => {
      buffer += d;
      for (let i; (i = buffer.indexOf('\n')) >= 0; buffer = buffer.slice(i + 1)) {
        const m = JSON.parse(buffer.slice(0, i));
        this.waiting.get(m.id)?.(m);
        this.waiting.delete(m.id);
      }
    });
  }
  send(m) { this.process.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\n'); }
  call(method, params) {
    const id = ++this.calls;
    return new Promise((ok, no) => {
      const late = setTimeout(() => no(new Error(`${params.name || method}: no answer in 180 s`)), 180000);
      this.waiting.set(id, m => { clearTimeout(late); ok(m); });
      this.send({ id, method, params });
    });
  }
  async start() {
    await this.call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench-observe', version: '1' } });
    this.send({ method: 'notifications/initialized' });
  }
  async tool(name, args = {}) {
    const r = await this.call('tools/call', { name, arguments: args });
    const text = (r.result?.content || []).map(c => c.text || '').join('\n');
    if (r.error || r.result?.isError) throw new Error(`${name}: ${r.error?.message || text}`);
    return text;
  }
  // open navigates, in a new session unless told otherwise, and returns the
  // first observation: the answer without its verdict.
  async open(url, fresh = true) {
    if (fresh && this.opened) await this.tool('browser_close');
    this.opened = true;
    const answer = await this.tool('browser_navigate', { url });
    return answer.replace(/^Verdict:.*\n/, '');
  }
  snapshot(args = {}) { return this.tool('browser_snapshot', { format: 'compact', ...args }); }
  // run reads what an expression is in the page.
  async run(js) {
    const answer = await this.tool('browser_evaluate', { function: `() => ${js}` });
    return JSON.parse(answer.slice(answer.indexOf('### Result') + 10));
  }
  async stop() {
    this.process.stdin.end();
    await Promise.race([new Promise(r => this.process.on('exit', r)), rest(5000)]);
    this.process.kill();
    fs.rmSync(this.runs, { recursive: true, force: true });
  }
}

export class Playwright {
  constructor(old) { this.old = old; }
  async start() {
    this.browser = await (this.old ? chromiumOld : chromium).launch({ executablePath, args: flags });
    this.context = await this.browser.newContext({ viewport: { width: 1280, height: 800 } });
  }
  async open(url) {
    await this.page?.close();
    this.page = await this.context.newPage();
    await this.page.goto(url, { waitUntil: 'load', timeout: 60000 });
    await rest(150);
  }
  snapshot() { return this.page.ariaSnapshot({ mode: 'ai', timeout: 180000, ...(this.old ? { _track: 'bench' } : {}) }); }
  run(js) { return this.page.evaluate(js); }
  async stop() { await this.browser.close(); }
}
