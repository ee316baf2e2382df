import { setTimeout as pause } from 'node:timers/promises';
import { adoptShopZone } from '../observability/time-zone.ts';
import type { FleetStart } from '../fleet/adoption/fleet-start.ts';
import { privateKeys, rootRefusal } from '../base/secrets/private-state.ts';
import { StartError } from './composition/start-error.ts';
import { readSerialNumber, serialNumberBeside, withTerminalName } from '../config/serial-number.ts';
import type { Configuration } from '../config/configuration.ts';
import { ConfigurationError, defaultConfiguration, loadConfiguration } from '../config/load.ts';
import type { Json } from '../config/json-file.ts';
import { readPassedKeys } from '../config/keys.ts';
import { longestPaymentMs } from '../config/longest-payment.ts';
import { mergeOver } from '../config/merge.ts';
import { refuseUndecidedLines } from '../config/undecided-lines.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import { originsOf, type SimulatorBeside, simulatorBeside } from './simulator-beside.ts';
import { stopSignal, stopWithParent } from './stop-signal.ts';
import { scrub } from '../base/domain/masking.ts';
import { plainText } from '../base/domain/plain-text.ts';
import type { DeviceAbsence } from '../base/ports/device.ts';
import { type Log, openLog } from '../observability/log.ts';
import { openSupervisor, type Supervisor } from '../observability/supervisor.ts';
import { currentVersion } from '../observability/version.ts';
import type { RunFlags } from './run-flags.ts';

/** How long a stop after a failure waits, so that collecting can release its device. */
const failedStopMs = 2_000;
/** How long the process itself may take to end after that, on a slow disk. */
const leavingMs = 10_000;
/** Upper limit for opening a journal that must be migrated or read through. */
const longStartMs = 3_600_000;

/**
 * `poid run`, with --sim beside its simulator (simulated-power.ts): returns when the daemon has stopped. Throws
 * StartError, ConfigurationError, or UsageError.
 */
export async function run(flags: RunFlags, overrides: Record<string, unknown>): Promise<void> {
  try {
    await runTerminal(flags, overrides);
  } catch (error) {
    if (error instanceof Error) reportReason(error);
    throw error;
  }
}

/** Shows the reason in `systemctl status` until the next start. Standard error has it too. */
function reportReason({ message }: Error): void {
  const supervisor = openSupervisor(process.env, { onMissing: () => undefined, onFailure: () => undefined });
  supervisor.status(scrub(plainText(message)));
  supervisor.close();
}

async function runTerminal(flags: RunFlags, overrides: Record<string, unknown>): Promise<void> {
  const simulator = flags.sim ? simulatorBeside(process.env) : undefined;
  const stop = simulator ? stopWithParent() : stopSignal();
  const paths = simulator
    ? [simulator.configuration, ...(flags.config ? [flags.config] : [])]
    : [flags.config ?? defaultConfiguration];
  const clear: string[] = [];
  const keys = await readPassedKeys(process.env['CREDENTIALS_DIRECTORY']);
  const options = { keys, onClearKey: (place: string) => clear.push(place) };
  const load = async (settings: Json) => {
    const loaded = await loadConfiguration(paths, mergeOver(settings, overrides), options);
    refuseUndecidedLines(loaded, currentVersion(), paths);
    return withTerminalName(loaded, paths.at(-1) ?? '');
  };
  const serialNumber = readSerialNumber({ serialNumber: serialNumberBeside(paths.at(-1) ?? '') });
  const own = await load({});
  const refusal = rootRefusal(own);
  if (refusal !== undefined) throw new StartError(refusal);
  // The fleet's settings override the terminal's own. Loaded only for a terminal with a fleet.
  const fleet =
    own.fleet && (await (await import('../fleet/adoption/fleet-start.ts')).beginWithFleet(own, load, serialNumber));
  const configuration = fleet?.configuration ?? own;
  const log = openLog(configuration.logLevel, fleet?.recent);
  adoptShopZone(configuration, log);
  for (const reason of fleet?.faults ?? []) log.warn('fleet: configuration', { reason });
  warnOfClearKeys([...new Set(clear)], log);
  await privateKeys(paths, configuration, log).catch((error: unknown) => {
    throw new ConfigurationError((error as Error).message);
  });
  await serve(configuration, log, simulator, stop, fleet);
}

async function serve(
  configuration: Configuration,
  log: Log,
  simulator: SimulatorBeside | undefined,
  stop: Promise<void>,
  fleet: FleetStart | undefined,
) {
  const supervisor = openSupervisor(process.env, {
    onMissing: ({ message }) => log.warn('systemd is told nothing', { reason: message }),
    onFailure: (error) => log.failure('sd_notify', error),
  });
  void stop.then(() => leaveInTime(configuration, log, supervisor));
  warnOfLongPayments(configuration, log);
  try {
    supervisor.status('opening the journal');
    const onLongStart = () => supervisor.extendStart(longStartMs);
    const daemon = await startDaemon(configuration, log, onLongStart, simulator && originsOf(simulator), fleet);
    supervisor.watch(() => daemon.ping());
    const unfollow = followReader(daemon, supervisor);
    supervisor.ready();
    if (!simulator) console.log(addresses(daemon));
    const { apiPort, apiScheme, screenPort } = daemon;
    const terminal = { api: `${apiScheme}://127.0.0.1:${apiPort}`, screen: `http://127.0.0.1:${screenPort}` };
    if (simulator) process.send?.({ terminal });
    void becomeReady(daemon).then(() => {
      if (simulator) console.log(welcome(daemon, simulator));
      // Reports the ports, and that a card can be accepted, to a parent process that forked this one.
      process.send?.({ ready: true, apiPort, screenPort });
    });
    const failure = await Promise.race([stop, daemon.failed]);
    unfollow();
    if (failure) supervisor.stopping(failedStopMs + leavingMs);
    // Without its journal the daemon can't conclude anything: transactions in flight are left to the next start, as
    // after a power cut.
    await Promise.race([daemon.stop(), ...(failure ? [pause(failedStopMs)] : [])]);
    if (failure) throw failure;
  } finally {
    supervisor.close();
  }
}

/** Reports to `systemctl status` where it listens, and whether a card can be taken. */
function followReader({ reader, apiPort, nexoPort }: Daemon, supervisor: Supervisor): () => void {
  let reported = '';
  const say = () => {
    const ports = nexoPort === undefined ? `port ${apiPort}` : `ports ${apiPort} and ${nexoPort} (nexo)`;
    const text = `listening on ${ports}${readerText(reader)}`;
    if (text === reported) return;
    reported = text;
    supervisor.status(text);
  };
  say();
  return reader.onChange(say);
}

function readerText({ state, absence }: Daemon['reader']): string {
  switch (state) {
    case 'ready':
      return '';
    case 'connecting':
      return '; the card reader is starting';
    case 'absent':
      return `; the card reader is not connected${absence === undefined ? '' : ` (${absenceTexts[absence]})`}`;
    default:
      return state satisfies never;
  }
}

const absenceTexts: Readonly<Record<DeviceAbsence, string>> = {
  unplugged: 'nothing is there',
  noPermission: 'this user may not open it',
  busy: 'another program uses it',
  wrongIds: 'another device of that vendor is there',
  wrongSerial: 'an equal device with another serial number is there',
  severalFit: 'two equal devices are there, and the configuration does not tell which is meant',
  wrongDevice: 'something else is at its path',
  failed: 'the log says why',
};

function becomeReady({ reader }: Daemon): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => reader.state === 'ready' && resolve();
  look();
  reader.onChange(look);
  return promise;
}

/**
 * Ends a requested stop in time, whatever blocks it: a start, a silent host or a hanging disk. Transactions in flight
 * are left to the next start, as after a power cut.
 */
function leaveInTime({ timeouts: { stopMs } }: Configuration, log: Log, supervisor: Supervisor): void {
  supervisor.stopping(stopMs + leavingMs);
  const leave = () => {
    log.warn('stop', { reason: `not finished within ${stopMs} ms: transactions in flight are left to the next start` });
    process.exit(0);
  };
  setTimeout(leave, stopMs).unref();
}

function warnOfLongPayments(configuration: Configuration, log: Log): void {
  const [longestMs, { stopMs }] = [longestPaymentMs(configuration), configuration.timeouts];
  if (longestMs <= stopMs) return;
  const reason = `a payment may take ${longestMs} ms by its time-outs, but a stop waits ${stopMs} ms (timeouts.stopMs)`;
  log.warn('stop', { reason: `${reason}: a longer payment is left to the next start` });
}

function warnOfClearKeys(places: readonly string[], log: Log): void {
  if (places.length === 0) return;
  const reason = `${places.join(', ')}: a key in clear text; 'poid provision' hands it to systemd instead`;
  log.warn('key', { reason });
}

function addresses({ apiScheme, apiPort, screenPort, nexoPort }: Daemon): string {
  return `poid is up
  terminal API  ${apiScheme}://127.0.0.1:${apiPort}
  screen        http://127.0.0.1:${screenPort}${nexoPort === undefined ? '' : nexoAddress(nexoPort)}`;
}

function nexoAddress(port: number): string {
  return `\n  nexo JSON     https://127.0.0.1:${port}/nexo/`;
}

function welcome(daemon: Daemon, { port, reader }: SimulatorBeside): string {
  const { apiPort, apiScheme } = daemon;
  const sale = `{"posId":"POS-1","messageId":"'$(date +%s%N)'","transactionType":"SALE","requestAmount":30,"currency":"HKD"}`;
  return `
${addresses(daemon)}
  simulator     http://127.0.0.1:${port}
  card reader   ${reader}

Open http://127.0.0.1:${port} in a browser: press "Sell HKD 30" there, then "Tap" on a card.
Or from a shell: a sale, which waits for a card, and in another shell the tap:
  curl -s${apiScheme === 'https' ? 'k' : ''} ${apiScheme}://127.0.0.1:${apiPort}/sp/v1/payment -H 'Content-Type: application/json' -d '${sale}'
  curl -s http://127.0.0.1:${port}/api/reader/tap -H 'Content-Type: application/json' -d '{"card":"visa"}'
`;
}
