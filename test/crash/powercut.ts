import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Chance } from '../e2e/chance.ts';
import type { Stage } from '../e2e/stage.ts';
import { carelessCommitter } from '../journal/careless.ts';
import { undone } from '../journal/interruption.ts';
import { LoggedDisk } from '../journal/logged-disk.ts';
import { PoweredDisk } from '../journal/power.ts';
import { PowerCuts } from '../journal/power-cuts.ts';
import { crashed } from './crashes.ts';
import { bundled } from './program.ts';
import { reportText } from './report.ts';
import { journalStates, terminalStates } from './states.ts';

const usage = `node test/crash/powercut.ts [--cuts N] [--terminal M] [--replay R] [--careless] [--seed S]

Power cuts with their lost writes: ext4 on a loop device, shut down under whoever writes. N cuts (950) under the journal alone,
which are the fast ones, and M (50) under the whole terminal while it sells. Then R states (300) that a cut at any write can leave of
the journal's disk, and R of the terminal's, from the log of that disk: of what was not flushed some is kept, dropped, torn.
--careless: with a journal that does not sync its commits, until that is found out. It takes root and a loop device, and for the
states qemu-storage-daemon (Debian: qemu-system-common) and /dev/fuse. TMPDIR=/dev/shm makes them twice as fast.`;

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '950' },
    terminal: { type: 'string', default: '50' },
    replay: { type: 'string', default: '300' },
    careless: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    help: { type: 'boolean', default: false },
  },
});

const committer = fileURLToPath(new URL('../journal/committer.ts', import.meta.url));

/** Runs `work` with a disk in a directory of its own. */
async function onDisk<T>(work: (disk: PoweredDisk, dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-power-'));
  const removed = undone(() => rmSync(dir, { recursive: true }));
  try {
    const disk = new PoweredDisk(path.join(dir, 'disk'), path.join(dir, 'image'));
    const taken = undone(() => disk.remove());
    try {
      return await work(disk, dir);
    } finally {
      taken();
    }
  } finally {
    removed();
  }
}

/** Makes power cuts under the journal. With `careless` it ends at the first cut that loses a commit. */
async function journalCuts(cuts: number, seed: number, careless: boolean): Promise<void> {
  await onDisk(async (disk, dir) => {
    const power = new PowerCuts(
      disk,
      careless ? carelessCommitter(path.join(dir, 'copy')) : committer,
      new Chance(seed),
    );
    let commits = 0;
    for (let count = 1; count <= cuts; count++) {
      const { acknowledged, faults } = await power.next();
      commits += acknowledged;
      process.stderr.write(`\r${count} `);
      if (faults.length > 0) {
        if (careless) return console.log(`found out at cut ${count}, after ${commits} commits: ${faults[0]}`);
        throw new Error(`cut ${count}, after ${commits} commits: ${faults.join('; ')}`);
      }
    }
    if (careless) throw new Error(`${cuts} cuts lost nothing of a journal that does not sync`);
    if (disk.faults()) throw new Error(disk.faults());
    console.log(
      `${cuts} cuts under the journal: none of ${commits} acknowledged commits is lost, none is there by half`,
    );
  });
}

/** Makes power cuts under the terminal, whose state is on the disk, while customers pay. */
async function terminalCuts(cuts: number, seed: number): Promise<void> {
  const program = await bundled();
  const dir = mkdtempSync(path.join(tmpdir(), 'poid-power-'));
  let disk: PoweredDisk | undefined;
  try {
    const started = performance.now();
    const report = await crashed({
      cuts,
      seed,
      program: program.main,
      async prepare(stage: Stage) {
        await stage.stopDaemon('SIGTERM');
        rmSync(stage.stateDir, { recursive: true });
        disk = new PoweredDisk(stage.stateDir, path.join(dir, 'image'));
        await disk.on();
        await stage.startDaemon();
      },
      async cut(stage: Stage) {
        const pid = stage.daemonPid;
        await disk?.cut({ kill: (signal) => process.kill(pid, signal) });
        await stage.stopDaemon('SIGKILL');
        await disk?.off();
        await disk?.on();
      },
      async finish() {
        await disk?.off();
        disk?.remove();
      },
      onCut: (count) => process.stderr.write(`\r${count} `),
    });
    console.log(`${cuts} cuts under the terminal. ${reportText(report, performance.now() - started)}`);
  } finally {
    await program.remove();
    rmSync(dir, { recursive: true });
  }
}

const numbers = [values.cuts, values.terminal, values.replay, values.seed];
if (values.help || !numbers.every((text) => /^\d{1,10}$/.test(text))) {
  console.error(usage);
  process.exit(2);
}
const impossible = PoweredDisk.impossible();
if (impossible !== undefined) {
  console.log(`No power can be cut here: ${impossible}.`);
  process.exit();
}
const [cuts, terminal, states, seed] = numbers.map(Number) as [number, number, number, number];
console.log(`seed ${seed}`);
if (cuts > 0) await journalCuts(cuts, seed, values.careless);
if (terminal > 0 && !values.careless) await terminalCuts(terminal, seed);
const unlogged = LoggedDisk.impossible();
if (states > 0 && unlogged !== undefined)
  console.log(`No disk can be logged here, its states are left out: ${unlogged}.`);
else if (states > 0) {
  await journalStates(states, seed, values.careless);
  if (!values.careless) await terminalStates(states, seed);
}
process.exit();
