import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { processFlags } from '../../src/admin/snapshot-command.ts';
import { sourcesCommand } from '../support/programs.ts';
import { ownDirectory, Poid, processes } from './poid.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Bit of SIGUSR1 in the masks of proc(5), /proc/PID/status. */
const userSignal = 1n << 9n;

/** Whether some thread of this process would handle the signal, or end by it. */
function hearsUserSignal(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).some((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    const [blocked = 0n, ignored = 0n] = ['SigBlk', 'SigIgn'].map((name) =>
      BigInt(`0x${new RegExp(`^${name}:\\s*(\\w+)$`, 'm').exec(status)?.[1] ?? '0'}`),
    );
    return ((blocked | ignored) & userSignal) === 0n;
  });
}

function descendants(pid: number): number[] {
  const children = processes().filter(({ parent }) => parent === pid);
  return [pid, ...children.flatMap((each) => descendants(each.pid))];
}

async function simulated(t: TestContext) {
  const ports = ['--port', '0', '--screen-port', '0', '--sim-port', '0'];
  const run = new Poid(t, ['run', '--sim', ...ports], { cwd: await ownDirectory(t), program: sourcesCommand });
  const [, api = '', simulator = ''] = await run.said(/terminal API {2}(http:\S+)\n.*\n\s+simulator {5}(http:\S+)\n/);
  return { run, api, simulator };
}

test('SIGUSR1 opens no inspector in the terminal, the simulator or the process above them, and ends none', async (t) => {
  const { run, api, simulator } = await simulated(t);
  const pids = descendants(run.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('node'));
  assert.ok(pids.length >= 3, `mains, simulator and terminal: ${pids.length}`);
  for (const pid of pids) {
    assert.equal(hearsUserSignal(pid), false, readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    process.kill(pid, 'SIGUSR1');
  }
  for (const url of [`${api}/sp/v1/status`, `${simulator}/api/cards`]) assert.equal((await fetch(url)).status, 200);
  assert.ok(pids.every((pid) => existsSync(`/proc/${pid}`)));
  assert.doesNotMatch(run.err, /Debugger listening/);
});

test('without the flag, SIGUSR1 is heard: the check can fail', () => {
  assert.ok(hearsUserSignal(process.pid) !== process.execArgv.includes('--disable-sigusr1'));
});

test('each launcher, and each process that the product starts by itself, has the flag', () => {
  assert.ok(processFlags.includes('--disable-sigusr1'));
  for (const file of ['bin/poid', 'packaging/simulator-tree.ts', 'src/admin/doctor/access.ts']) {
    assert.match(readFileSync(`${root}/${file}`, 'utf8'), /--disable-sigusr1/, file);
  }
  // A unit starts a launcher, never the runtime.
  for (const folder of ['systemd', 'image/files/usr/lib/systemd/system']) {
    for (const name of readdirSync(`${root}/${folder}`).filter((each) => each.endsWith('.service'))) {
      assert.doesNotMatch(readFileSync(`${root}/${folder}/${name}`, 'utf8'), /^Exec\w+=.*\/node\b/m, name);
    }
  }
});
