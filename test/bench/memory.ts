import { setTimeout as pause } from 'node:timers/promises';
import { heard } from './children.ts';
import { median } from './percentiles.ts';
import { atMost, type Report } from './report.ts';
import { residentMiB } from './resident.ts';
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
  const terminal: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const daemon = await stage.daemon({ configuration, stateDir });
    const server = stage.children.start(process.execPath, ['-e', bareServer], { talks: 'by messages' });
    await heard(server, 'the bare server');
    await pause(settleMs);
    terminal.push(residentMiB(daemon.pid));
    bare.push(residentMiB(server.pid));
    await stage.children.end(server);
    await daemon.stop();
  }
  return {
    part: 'memory',
    title: 'Resident memory when idle, MiB',
    columns: ['', 'starts', 'p50'],
    rows: [
      ['bare node:http server', bare.length, median(bare)],
      ['poid', terminal.length, median(terminal)],
    ],
    checks: [atMost('poid / bare server', median(terminal) / median(bare), 1.6)],
    notes: [],
  };
}
