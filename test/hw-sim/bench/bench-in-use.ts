import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openBench } from '../../../hw-sim/bench.ts';
import { type Card, loadCards } from '../../../hw-sim/card/card.ts';
import { testBdk, testIksn } from '../../../hw-sim/configuration.ts';
import { Iso8583Host } from '../../../hw-sim/host/iso8583/host.ts';
import { QfpayHost } from '../../../hw-sim/host/qfpay/host.ts';
import { loadOctopusCards, OctopusAgent } from '../../../hw-sim/octopus/agent.ts';
import { EscPosPrinter } from '../../../hw-sim/printer/printer.ts';
import { openPty } from '../../../hw-sim/pty.ts';
import { Neo2Reader } from '../../../hw-sim/reader/neo2/reader.ts';
import { LineScanner } from '../../../hw-sim/scanner/line.ts';
import { Recorder } from '../../../hw-sim/session/recorder.ts';
import { TerminalAddress } from '../../../hw-sim/till/terminal-address.ts';
import { TerminalEvents } from '../../../hw-sim/till/terminal-events.ts';
import { TerminalPower } from '../../../hw-sim/till/terminal-power.ts';
import { Wires } from '../../../hw-sim/wires/record.ts';
import { tapPty } from '../../../hw-sim/wires/tap.ts';
import { Line } from './line.ts';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  json(): unknown;
}

/** A bench with everything on it, on real ptys and sockets, closed when the test ends. */
export interface BenchInUse {
  readonly port: number;
  readonly cards: ReadonlyMap<string, Card>;
  readonly reader: Neo2Reader;
  readonly readerLink: string;
  /** The Unix socket of the Octopus agent. */
  readonly octopusPath: string;
  readonly walletPort: number;
  /** By acquirer. */
  readonly hostPorts: ReadonlyMap<string, number>;
  /** Opens the terminal's end of a line. */
  line(device: 'reader' | 'printer' | 'scanner'): Line;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export async function benchInUse(t: TestContext): Promise<BenchInUse> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'poid-bench-'));
  const fixture = (name: string) => fileURLToPath(new URL(`../../../fixtures/${name}`, import.meta.url));
  const cards = await loadCards(fixture('cards'));
  const readerPty = await openPty(path.join(dir, 'reader'));
  const printerPty = await openPty(path.join(dir, 'printer'));
  const scannerPty = await openPty(path.join(dir, 'scanner'));
  const wires = new Wires();
  const reader = new Neo2Reader(tapPty(readerPty, wires.add('reader', 'NEO2')()), { bdk: testBdk, ksn: testIksn });
  const printer = new EscPosPrinter(tapPty(printerPty, wires.add('printer', 'ESC/POS')()));
  const scanner = new LineScanner(tapPty(scannerPty, wires.add('scanner', 'scanner')()));
  const octopusPath = path.join(dir, 'octopus');
  const octopus = new OctopusAgent({
    path: octopusPath,
    cards: await loadOctopusCards(fixture('octopus/cards.json')),
    openTap: wires.add('octopus', 'Octopus'),
  });
  await octopus.listen();
  const hosts = new Map<string, Iso8583Host>();
  for (const id of ['EDC', 'CUP', 'EPS']) {
    const profile = id === 'EPS' ? 'eps' : 'cards';
    const openTap = wires.add(id, 'ISO 8583');
    const host = new Iso8583Host({ id, cards: cards.values(), profile, bdk: testBdk, openTap });
    await host.listen();
    hosts.set(id, host);
  }
  const qr = new QfpayHost({ id: 'QR', openTap: wires.add('QR', 'HTTP') });
  await qr.listen();
  const wallets = new Map([['QR', qr]]);
  const recorder = new Recorder();
  const events = new TerminalEvents((event, data) => recorder.noteEvent(event, data));
  const parts = {
    reader,
    printer,
    scanner,
    octopus,
    hosts,
    wallets,
    cards,
    auto: false,
    wires,
    terminal: new TerminalAddress(),
    power: new TerminalPower(wires),
    recorder,
    events,
  };
  const bench = await openBench(parts, 0);
  const lines: Line[] = [];
  t.after(async () => {
    events.close();
    await bench.close();
    for (const line of lines) line.close();
    for (const part of [...hosts.values(), qr, octopus, scanner, reader]) await part.close();
    for (const pty of [readerPty, printerPty, scannerPty]) await pty.close();
    await rm(dir, { recursive: true });
  });
  return {
    port: bench.port,
    cards,
    reader,
    readerLink: readerPty.link,
    octopusPath,
    walletPort: qr.port,
    hostPorts: new Map(Array.from(hosts, ([id, host]) => [id, host.port])),
    line(device) {
      const line = new Line(path.join(dir, device));
      lines.push(line);
      return line;
    },
    call: (method, target, body, headers) => call(bench.port, method, target, body, headers),
  };
}

/** One request; a body that is no string goes out as JSON. */
export async function call(
  port: number,
  method: string,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const request = http.request({ host: '127.0.0.1', port, method, path: target, headers, agent: false }, resolve);
  request.on('error', reject);
  request.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  const response = await promise;
  const content = Buffer.concat(await response.toArray());
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: content,
    json: () => JSON.parse(content.toString('utf8')),
  };
}
