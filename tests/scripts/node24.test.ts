import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const launcher = path.join(import.meta.dirname, '../../scripts/node24.mjs');

describe('the launcher', () => {
  it('runs TypeScript on a suitable Node, and ends with its exit code', async () => {
    const code = 'const code: number = 7; process.exit(code);';
    const { exitCode } = await run([launcher, '--input-type=module-typescript', '-e', code]);
    expect(exitCode).toBe(7);
  });

  it('passes SIGTERM on and waits until the program has stopped', async () => {
    const code = `process.on('SIGTERM', () => setTimeout(() => process.exit(3), 100)); setInterval(() => {}, 1000); console.log('up')`;
    const { exitCode } = await run([launcher, '-e', code], { signalWhenUp: 'SIGTERM' });
    expect(exitCode).toBe(3);
  });

  it('ends with the signal that ended the program', async () => {
    const { signal } = await run([launcher, '-e', `process.kill(process.pid, 'SIGKILL')`]);
    expect(signal).toBe('SIGKILL');
  });

  it('prints what to install if there is no suitable Node', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fitness-launcher-'));
    const scripts = path.join(folder, 'scripts');
    fs.mkdirSync(scripts);
    fs.copyFileSync(launcher, path.join(scripts, 'node24.mjs'));
    const old = path.join(folder, 'as-node-20.cjs');
    fs.writeFileSync(old, `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } });`);
    try {
      const { exitCode, output } = await run(['--require', old, path.join(scripts, 'node24.mjs'), 'main.ts']);
      expect(exitCode).toBe(1);
      expect(output).toMatch(/this is Node 20\.20\.2.*not installed[\s\S]*npm ci/);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface Ended {
  exitCode: number | null;
  signal: string | null;
  output: string;
}

async function run(args: string[], options: { signalWhenUp?: NodeJS.Signals } = {}): Promise<Ended> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (options.signalWhenUp && output.includes('up')) child.kill(options.signalWhenUp);
  });
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
  return { exitCode, signal, output };
}
