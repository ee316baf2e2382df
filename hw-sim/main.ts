import { lstatSync, realpathSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { playCustomer } from './auto.ts';
import { type Bench, openBench } from './bench.ts';
import { type Card, loadCards } from './card/card.ts';
import {
  earlierPorts,
  readerKeys,
  secondSite,
  simulatedAcquirers,
  simulatedBank,
  simulatedWallets,
  testAesBdk,
  testBdk,
  writeConfiguration,
  type SimulatedBank,
} from './configuration.ts';
import { type HostMac, type MacKeySource, testMacKeys } from './crypto/message-mac.ts';
import { type Flags, readFlags } from './flags.ts';
import { DialectWire } from './host/iso8583/dialect/dialect-wire.ts';
import { readDialect } from './host/iso8583/dialect/file.ts';
import { DerivedKeys } from './host/iso8583/derived-keys.ts';
import { fixedKey } from './host/iso8583/host-keys.ts';
import type { Agreed } from './host/iso8583/sealed.ts';
import { SessionKeys } from './host/iso8583/session-keys.ts';
import { Iso8583Host } from './host/iso8583/host.ts';
import { QfpayHost, readWallets } from './host/qfpay/host.ts';
import { lockDirectory } from './instance-lock.ts';
import { loadOctopusCards, OctopusAgent } from './octopus/agent.ts';
import { EscPosPrinter } from './printer/printer.ts';
import { openPty } from './pty.ts';
import { openReader, type ReaderModel, type ReaderOptions, readerProtocols } from './reader/simulated.ts';
import { LineScanner } from './scanner/line.ts';
import { StartError } from './start-error.ts';
import { HostTls } from './tls/host-tls.ts';
import { Recorder } from './session/recorder.ts';
import { TerminalAddress } from './till/terminal-address.ts';
import { TerminalEvents } from './till/terminal-events.ts';
import { TerminalPower } from './till/terminal-power.ts';
import { currentVersion } from './version.ts';
import { dialectLine } from './wires/decode/dialect.ts';
import { Wires } from './wires/record.ts';
import { tapPty } from './wires/tap.ts';

/** Releases in the reverse order of acquiring. Each is released even if another fails. */
class Closing {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).toReversed()) {
      try {
        await step();
      } catch (error) {
        console.error('simulator: while stopping:', error);
      }
    }
  }
}

/** Root must not write where another user may put links: in a directory of that user, or below one. */
function refuseRoot(dir: string): void {
  if (process.geteuid?.() !== 0) return;
  const written = path.resolve(dir);
  const isOthers = (part: string) => (lstatSync(part, { throwIfNoEntry: false })?.uid ?? 0) !== 0;
  if (![...upwards(written), ...upwards(realPathOf(written))].some(isOthers)) return;
  throw new StartError(1, `${dir} belongs to another user: root runs no simulator in it; name another with --sim-dir.`);
}

/** A path with all directories above it. */
function upwards(file: string): string[] {
  const above = path.dirname(file);
  return above === file ? [file] : [file, ...upwards(above)];
}

/** Of a path that does not exist yet, the part that exists is followed. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const above = path.dirname(file);
    return above === file ? file : path.join(realPathOf(above), path.basename(file));
  }
}

async function start(flags: Flags, closing: Closing): Promise<{ port: number; configuration: string; reader: string }> {
  const { port, dir, auto, model, carrier, key, quickChip, plainHosts, mac, sites, macKey } = flags;
  const further = flags.wallets === undefined ? [] : await readWallets(flags.wallets);
  const bank = flags.dialect === undefined ? undefined : await readBank(flags.dialect);
  refuseRoot(dir);
  await mkdir(dir, { recursive: true });
  const lock = await lockDirectory(dir);
  if (!lock) throw new StartError(1, `a simulator runs in ${dir} already; name another directory with --sim-dir.`);
  closing.add(() => lock.release());

  const recorded = new Wires();
  closing.add(() => recorded.close());
  const cards = await loadCards(fixture('cards'));
  const configuration = path.join(dir, 'poid.json');
  const ports = await earlierPorts(configuration);
  const tls = plainHosts ? undefined : new HostTls();
  const hosts = await openCardHosts({ cards, ports, recorded, bank, tls, mac, macKey, sites }, closing);
  const { id } = simulatedWallets;
  const walletOptions = { id, wallets: further, openTap: recorded.add(id, 'HTTP') };
  const wallet = await listening((at) => new QfpayHost({ ...walletOptions, port: at }), ports.get(id), closing);
  const wallets = new Map([[id, wallet]]);

  // Devices last: a daemon that finds its reader finds its hosts too.
  const devices = await openDevices(dir, model, { ...readerKeys[key], quickChip, carrier }, recorded, closing);
  if (auto) closing.add(playCustomer(devices.reader, autoCard(cards)));
  const { wires, description, ...parts } = devices;
  const bench = await openBenchAt(port, {
    ...parts,
    hosts,
    wallets,
    cards,
    auto,
    wires: recorded,
    ...openTerminalSide(recorded, closing),
  });
  closing.add(() => bench.close());

  const hostPorts = new Map([...hosts, ...wallets].map(([name, host]) => [name, host.port]));
  const lineFiles = await tls?.writeFiles(dir);
  await writeConfiguration(configuration, { ...wires, hostPorts, lineFiles, mac, macKey, sites, bank });
  return { port: bench.port, configuration, reader: description };
}

async function readBank(file: string): Promise<SimulatedBank> {
  return { path: path.resolve(file), dialect: await readDialect(file) };
}

interface CardHostParts {
  readonly cards: ReadonlyMap<string, Card>;
  readonly ports: ReadonlyMap<string, number>;
  readonly recorded: Wires;
  readonly bank: SimulatedBank | undefined;
  readonly tls: HostTls | undefined;
  readonly mac: Flags['mac'];
  readonly sites: Flags['sites'];
  readonly macKey: MacKeySource;
}

/** The card hosts, including that of a dialect file. */
async function openCardHosts(
  { cards, ports, recorded, bank, tls, mac, macKey, sites }: CardHostParts,
  closing: Closing,
) {
  const hosts = new Map<string, Iso8583Host>();
  for (const { id } of [...simulatedAcquirers, ...(bank ? [simulatedBank] : [])]) {
    const own = id === simulatedBank.id ? bank?.dialect : undefined;
    const wire = own && new DialectWire(own);
    const options = {
      id,
      cards: [...cards.values()],
      profile: id === 'EPS' ? 'eps' : 'cards',
      bdk: testBdk,
      aesBdk: testAesBdk,
      openTap: recorded.add(id, 'ISO 8583', own && dialectLine(own)),
      ...(tls && { tls }),
      ...(wire && { wire }),
      ...(mac && { mac: agreedOf(mac, wire ? macKey : 'fixed', wire) }),
    } as const;
    const hasSites = sites !== undefined && !own;
    const open = (port: number) => new Iso8583Host({ ...options, ...(hasSites && { site: id }), port });
    const first = await listening(open, ports.get(id), closing);
    hosts.set(id, first);
    if (!hasSites) continue;
    const second = { ...options, id: secondSite(id), openTap: recorded.add(secondSite(id), 'ISO 8583') };
    const books = { site: second.id, ...(sites === 'shared' && { sharing: first }) };
    const openSecond = (port: number) => new Iso8583Host({ ...second, ...books, port });
    hosts.set(second.id, await listening(openSecond, ports.get(second.id), closing));
  }
  return hosts;
}

/** The authentication codes of a host: under a published test key, or under keys that the host sends or derives. */
function agreedOf(algorithm: HostMac, source: MacKeySource, wire: DialectWire | undefined): Agreed {
  const common = { algorithm, field: wire?.lastField ?? 64 };
  const key = testMacKeys[algorithm];
  if (source === 'fixed') return { ...common, keys: fixedKey(key) };
  if (source === 'dukpt') return { ...common, keys: new DerivedKeys(testBdk, (request) => wire?.macKsn(request)) };
  return { ...common, keys: new SessionKeys(algorithm, key), without: wire?.typesBeforeKey ?? [] };
}

/** The terminal's address, its power, its events for the tills, and the recording of all steps. */
function openTerminalSide(recorded: Wires, closing: Closing) {
  const terminal = new TerminalAddress();
  const recorder = new Recorder();
  const events = new TerminalEvents((event, data) => recorder.noteEvent(event, data));
  closing.add(() => events.close());
  terminal.onChange(() => void events.follow(terminal.state().api));
  // A parent that runs the terminal sends its address.
  const power = new TerminalPower(recorded);
  closing.add(() => power.close());
  process.on('message', (message) => {
    terminal.take(message);
    power.take(message);
  });
  return { terminal, power, recorder, events };
}

/** The reader on its wire, printer and scanner on ptys, and the Octopus agent on its socket. */
async function openDevices(dir: string, model: ReaderModel, options: ReaderOptions, recorded: Wires, closing: Closing) {
  const pty = async (name: string) => {
    const line = await openPty(path.join(dir, name));
    closing.add(() => line.close());
    return line;
  };
  const opened = await openReader(
    model,
    path.join(dir, 'reader'),
    options,
    recorded.add('reader', readerProtocols[model]),
  );
  closing.add(() => opened.close());
  const printerPty = await pty('printer');
  const printer = new EscPosPrinter(tapPty(printerPty, recorded.add('printer', 'ESC/POS')()));
  const scannerPty = await pty('scanner');
  const scanner = new LineScanner(tapPty(scannerPty, recorded.add('scanner', 'scanner')()));
  closing.add(() => scanner.close());
  const octopusPath = path.join(dir, 'octopus');
  const octopus = new OctopusAgent({
    path: octopusPath,
    cards: await loadOctopusCards(fixture('octopus/cards.json')),
    openTap: recorded.add('octopus', 'Octopus'),
  });
  await octopus.listen();
  closing.add(() => octopus.close());
  const wires = {
    reader: opened.wire,
    printerPath: printerPty.link,
    scannerPath: scannerPty.link,
    octopusPath,
  };
  return { reader: opened.reader, description: opened.description, printer, scanner, octopus, wires };
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));
}

interface Listening {
  listen(): Promise<unknown>;
  close(): Promise<void>;
}

/** Uses the port of an earlier run if it is free, so that the daemon's configuration stays valid. */
async function listening<Host extends Listening>(
  open: (port: number) => Host,
  earlier: number | undefined,
  closing: Closing,
): Promise<Host> {
  const host = open(earlier ?? 0);
  try {
    await host.listen();
    closing.add(() => host.close());
    return host;
  } catch (error) {
    await host.close();
    if (earlier === undefined || !isPortTaken(error)) throw error;
    return listening(open, undefined, closing);
  }
}

async function openBenchAt(port: number, parts: Parameters<typeof openBench>[0]): Promise<Bench> {
  try {
    return await openBench(parts, port);
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    throw new StartError(1, `port ${port} is in use; name another with --sim-port.`);
  }
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function autoCard(cards: ReadonlyMap<string, Card>): Card {
  const card = cards.get('visa');
  if (!card) throw new StartError(1, '--auto taps the card visa, which is not in fixtures/cards.');
  return card;
}

/** Resolves when the process must stop: at a signal, or when its parent has ended. */
function untilAddressIsKnown(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once('SIGTERM', () => resolve());
  if (process.channel) {
    // Ctrl-C reaches the whole process group; the parent decides in which order the processes end.
    process.on('SIGINT', () => undefined);
    process.once('disconnect', () => resolve());
  } else {
    process.once('SIGINT', () => resolve());
  }
  return promise;
}

async function main(): Promise<void> {
  if (process.argv[2] === '--version') return console.log(currentVersion());
  const closing = new Closing();
  const stop = untilAddressIsKnown();
  try {
    const { port, configuration, reader } = await start(readFlags(), closing);
    const shown = path.relative(process.cwd(), configuration);
    console.log(`simulator http://127.0.0.1:${port}  configuration ${shown.startsWith('..') ? configuration : shown}`);
    console.log(`card reader: ${reader}`);
    process.send?.({ ready: true, port, configuration, reader });
    // Node would write its compile cache at an orderly end only.
    flushCompileCache();
    await stop;
  } catch (error) {
    const isReported = error instanceof StartError || (error instanceof Error && 'syscall' in error);
    console.error('simulator:', isReported ? error.message : error);
    process.exitCode = error instanceof StartError ? error.exitCode : 1;
  }
  await closing.run();
  // The channel to a parent keeps the process alive, and the parent may wait for the exit.
  if (process.channel) process.disconnect?.();
}

await main();
