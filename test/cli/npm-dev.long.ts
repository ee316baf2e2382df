import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownDirectory } from './poid.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const patienceMs = 60_000;

test('npm run dev: terminal and simulator start anew when a source, a page or their data change', async (t) => {
  const dir = await ownDirectory(t);
  const ports = ['--port', '0', '--screen-port', '0', '--sim-port', '0'];
  const places = ['--state-dir', path.join(dir, 'state'), '--sim-dir', path.join(dir, 'sim')];
  const child = spawn('npm', ['run', 'dev', '--', ...ports, ...places], { cwd: root, detached: true });
  const exited = once(child, 'exit');
  t.after(async () => {
    process.kill(-(child.pid ?? Number.NaN), 'SIGTERM');
    await exited;
  });
  let reported = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (reported += chunk.toString()));
  const starts = () => reported.match(/Or from a shell/g)?.length ?? 0;
  const started = async (count: number, why: string) => {
    for (const until = performance.now() + patienceMs; starts() < count; await pause(50)) {
      assert.ok(performance.now() < until && child.exitCode === null, `${why}: ${reported}`);
    }
  };
  await started(1, 'the first start');
  for (const file of [
    'src/payment/terminal/terminal.ts',
    'src/screen/page/page.css',
    'src/methods/wallet/settings/wallets.json',
    'drivers/registry.ts',
    'hw-sim/page/index.html',
    'fixtures/README.md',
  ]) {
    const before = starts();
    const now = new Date();
    utimesSync(path.join(root, file), now, now);
    await started(before + 1, file);
  }
});
