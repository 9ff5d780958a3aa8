// Quartet over its MCP server, Playwright in this process.
import fs from 'fs';
import os from 'os';
import path from 'path';
import { chromium } from 'playwright-core';
import { chromium as chromiumOld } from 'playwright-core-old';
import { Client } from '../mcp.mjs';

// The same program for all: a headless shell where there is one.
const executablePath = process.env.CHROMIUM || ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(fs.existsSync);
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const rest = ms => new Promise(r => setTimeout(r, ms));

// timed runs f and returns its result and its wall time in ms.
export async function timed(f) {
  const from = performance.now(), result = await f();
  return { result, ms: performance.now() - from };
}

export class Quartet extends Client {
  constructor(bin) {
    const runs = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-observe-'));
    super(bin, ['mcp'], { env: { ...process.env, QUARTET_RUNS: runs, QUARTET_BROWSER_EXECUTABLE: executablePath } });
    this.runs = runs;
  }
  async text(name, args) { return (await this.tool(name, args)).text; }
  // open navigates, in a new session unless told otherwise, and returns the
  // first observation: the answer without its verdict.
  async open(url, fresh = true) {
    if (fresh && this.opened) await this.tool('browser_close');
    this.opened = true;
    const answer = await this.text('browser_navigate', { url });
    return answer.replace(/^verdict:.*\n/, '');
  }
  snapshot(args = {}) { return this.text('browser_snapshot', { format: 'compact', ...args }); }
  // run reads what an expression is in the page.
  async run(js) {
    const answer = await this.text('browser_evaluate', { function: `() => ${js}` });
    return JSON.parse(answer.slice(answer.indexOf('### Result') + 10));
  }
  async stop() {
    await super.stop();
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
