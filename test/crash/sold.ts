import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { drained } from '../e2e/books.ts';
import { Chance } from '../e2e/chance.ts';
import type { Json, Stage } from '../e2e/stage.ts';
import type { LoggedDisk } from '../journal/logged-disk.ts';
import { tills } from './crashes.ts';
import { Customers } from './customers.ts';
import { HostFaults } from './host-faults.ts';
import { Moments } from './moments.ts';
import { type Sent, Tap } from './tap.ts';
import { Till, type Reported } from './till.ts';

/** A final answer, with the length of the disk's log when the POS received it. */
export interface Heard extends Reported {
  readonly final: Json;
  readonly position: number;
}

/** What POS and hosts know of a terminal, each with its position in the log of the terminal's disk. */
export interface Sold {
  readonly heard: readonly Heard[];
  readonly sent: readonly Sent[];
}

/** Makes `requests` requests to a terminal whose state is on `disk`, while hosts fail at times. */
export async function sold(stage: Stage, disk: LoggedDisk, requests: number, seed: number): Promise<Sold> {
  const position = () => disk.position;
  const taps = await tapped(stage, position);
  const failed = new AbortController();
  try {
    await stage.startDaemon();
    const moments = new Moments();
    const heard: Heard[] = [];
    const chance = new Chance(seed + 1);
    const customers = new Customers(stage, chance, moments, failed.signal);
    const hostFaults = new HostFaults(stage, chance, failed.signal);
    const shop: Till[] = [];
    const hear = (reported: Reported) => {
      heard.push({ ...reported, final: reported.final, position: position() });
      if (heard.length >= requests) for (const till of shop) till.close();
    };
    for (let index = 0; index < tills; index++) {
      const ownChance = new Chance(seed + 2 + index);
      shop.push(new Till(stage, `POS-${index + 1}`, ownChance, moments, failed.signal, hear));
    }
    const day = Promise.all(shop.map((till) => till.serve())).then(() => {
      customers.close();
      hostFaults.close();
    });
    await Promise.all([day, customers.run(), hostFaults.run()]);
    for (const id of ['EDC', 'CUP', 'QR'] as const) await stage.host(id, { mode: 'up' });
    await drained(stage);
    await stage.stopDaemon('SIGTERM');
    return { heard, sent: taps.flatMap((tap) => tap.sent) };
  } catch (error) {
    failed.abort(error);
    throw error;
  } finally {
    await stage.stopDaemon('SIGKILL');
    for (const tap of taps) tap.close();
  }
}

/** Puts a tap between the stopped terminal and each of its hosts and the Octopus agent. */
async function tapped(stage: Stage, position: () => number): Promise<Tap[]> {
  const configuration: Json = JSON.parse(await readFile(stage.configuration, 'utf8'));
  const taps: Tap[] = [];
  for (const acquirer of configuration.acquirers) {
    const { id, protocol, port, url } = acquirer;
    const of = protocol === 'iso8583' ? Number(port) : Number(new URL(url).port);
    const tap = new Tap(id, { host: '127.0.0.1', port: of }, protocol === 'iso8583', position);
    taps.push(tap);
    const shown = await tap.listen();
    if (protocol === 'iso8583') acquirer.port = shown;
    else acquirer.url = `http://127.0.0.1:${shown}`;
  }
  const octopus = new Tap('OCTOPUS', { path: configuration.octopus.path }, false, position);
  taps.push(octopus);
  configuration.octopus.path = path.join(stage.dir, 'tapped');
  await rm(configuration.octopus.path, { force: true });
  await octopus.listen(configuration.octopus.path);
  await writeFile(stage.configuration, JSON.stringify(configuration));
  return taps;
}
