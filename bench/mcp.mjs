// A client of an MCP server over stdio.
import { spawn } from 'child_process';

export class Client {
  constructor(command, args, options = {}) {
    this.process = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', process.env.BENCH_ERR ? 'inherit' : 'ignore'] });
    this.waiting = new Map();
    this.calls = 0;
    let buffer = '';
    this.process.stdout.setEncoding('utf8').on('data', d => {
      buffer += d;
      for (let i; (i = buffer.indexOf('\n')) >= 0; buffer = buffer.slice(i + 1)) {
        const m = JSON.parse(buffer.slice(0, i));
        if (this.waiting.has(m.id)) { this.waiting.get(m.id)(m); this.waiting.delete(m.id); } else if (m.method && m.id !== undefined) this.send({ id: m.id, result: m.method === 'roots/list' ? { roots: [] } : {} });
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
    await this.call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'quartet-bench', version: '1' } });
    this.send({ method: 'notifications/initialized' });
  }
  async tool(name, args = {}) {
    const r = await this.call('tools/call', { name, arguments: args });
    const text = (r.result?.content || []).map(c => c.text || '').join('\n');
    if (r.error || r.result?.isError) throw new Error(`${name}: ${r.error?.message || text}`);
    return { text, structured: r.result.structuredContent };
  }
  async stop() {
    this.process.stdin.end();
    await Promise.race([new Promise(r => this.process.on('exit', r)), new Promise(r => setTimeout(r, 5000))]);
    this.process.kill();
  }
}
