import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ownDirectory, processes } from './poid.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));

interface NpmStart {
  readonly npm: ChildProcess;
  /** What npm has started, and what that has. */
  readonly children: readonly number[];
}

/** `npm start`, once it has said its addresses. */
async function npmStart(t: TestContext): Promise<NpmStart> {
  const dir = await ownDirectory(t);
  const flags = ['--port', '0', '--screen-port', '0', '--sim-port', '0'];
  const places = ['--state-dir', path.join(dir, 'state'), '--sim-dir', path.join(dir, 'sim')];
  const npm = spawn('npm', ['start', '--', ...flags, ...places], {
    cwd: project,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let children: number[] = [];
  t.after(() => {
    for (const pid of [npm.pid ?? Number.NaN, ...children].filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  let out = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  while (!/simulator +http/.test(out)) await once(npm.stdout, 'data');
  children = descendants(npm.pid ?? assert.fail('npm did not start'));
  return { npm, children };
}

function descendants(pid: number): number[] {
  const all = processes();
  const below = (parent: number): number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)]);
  return below(pid);
}

function isAlive(pid: number): boolean {
  return processes().some((each) => each.pid === pid);
}

describe('npm start', { timeout: 90_000 }, () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    test(`${signal} to npm alone leaves nothing running`, async (t) => {
      const { npm, children } = await npmStart(t);
      assert.ok(children.length >= 2, 'terminal and simulator');
      npm.kill(signal);
      // The test's own deadline says when this is over.
      while (children.some(isAlive)) await pause(50);
    });
  }
});
