import { setTimeout as pause } from 'node:timers/promises';
import { heard } from './children.ts';
import { median } from './percentiles.ts';
import { atMost, type Report } from './report.ts';
import { type Resident, resident } from './resident.ts';
import type { BenchStage } from './bench-stage.ts';

/** What a start leaves to be collected is given some time. */
const settleMs = 1_500;

const bareServer = `
  const server = require('node:http').createServer((request, response) => response.end('{}'));
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
`;

/** Idle, with all devices of the simulator, against the least HTTP server. */
export async function memory(stage: BenchStage, rounds: number): Promise<Report> {
  const { configuration } = await stage.simulator();
  const stateDir = stage.fresh('state');
  const env = await stage.asInstalled();
  const terminal: Resident[] = [];
  const bare: Resident[] = [];
  for (let round = 0; round < rounds; round++) {
    const daemon = await stage.daemon({ configuration, stateDir, env });
    const server = stage.children.start(process.execPath, ['-e', bareServer], { talks: 'by messages' });
    await heard(server, 'the bare server');
    await pause(settleMs);
    terminal.push(resident(daemon.pid));
    bare.push(resident(server.pid));
    await stage.children.end(server);
    await daemon.stop();
  }
  return {
    part: 'memory',
    title: 'Resident memory when idle, MiB',
    columns: ['', 'starts', 'p50', 'of it private'],
    rows: [row('bare node:http server', bare), row('poid', terminal)],
    checks: [atMost('poid / bare server', medianOf(terminal) / medianOf(bare), 2)],
    notes: [],
  };
}

function medianOf(residents: readonly Resident[]): number {
  return median(residents.map(({ allMiB }) => allMiB));
}

function row(name: string, residents: readonly Resident[]) {
  return [name, residents.length, medianOf(residents), median(residents.map(({ privateMiB }) => privateMiB))];
}
