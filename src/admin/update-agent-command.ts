import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { adoptShopZone } from '../observability/time-zone.ts';
import type { Configuration } from '../config/configuration.ts';
import { loadConfiguration } from '../config/load.ts';
import type { UpdateSettings } from '../config/update-settings.ts';
import { systemClock as clock, systemRandom as random } from '../base/ports/clock.ts';
import { pause } from '../base/ports/pause.ts';
import { LimitedLog } from '../observability/limited-log.ts';
import { type Log, openLog } from '../observability/log.ts';
import { currentVersion } from '../observability/version.ts';
import { UpdateAgent } from '../fleet/updates/agent.ts';
import { DdiClient } from '../fleet/updates/ddi-client.ts';
import { download } from '../fleet/updates/download.ts';
import { HttpsExchange } from '../fleet/updates/https-exchange.ts';
import { ImageMachine, imagePlaces } from '../fleet/updates/image-machine.ts';
import { Rauc } from '../fleet/updates/rauc.ts';
import { StateFile } from '../fleet/updates/state-file.ts';
import { isOpen, parseWindow } from '../fleet/updates/window.ts';
import { UsageError } from '../base/usage-error.ts';
import { CommissioningError } from './commissioning-error.ts';
import { ensureDirectory } from './durable-file.ts';
import type { CommissioningFlags } from './flags.ts';
import { FleetOverlay } from './fleet/overlay.ts';
import { readIdleState } from './idle-state.ts';
import { defaultStateDir, placesOf } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';

/** The unit's credentials (systemd.exec(5)), by relative names: without one the unit starts too. */
export const tokenCredentials = { plain: 'poid.plain-update-token', sealed: 'poid.update-token' } as const;
const defaultUpdateDir = '/var/lib/poid-update';
/** Maximum time of a part of a download. Afterwards hawkBit is asked whether the action is still active. */
const downloadMsMost = 600_000;
/** A restarted daemon listens again within this time. */
const startingMs = 10_000;

/**
 * `poid fleet update-agent`: a process of its own, as root. It reads the terminal's state on loopback. Runs until
 * SIGTERM.
 */
export async function updateAgentCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('fleet update-agent takes no arguments');
  const file = placesOf(flags, defaultStateDir).configuration;
  const configuration = await loadConfiguration([file], {}, { keys: 'unread' });
  const { updates } = configuration;
  if (!updates) {
    console.log('the configuration has no updates');
    return 0;
  }
  const log = new LimitedLog(openLog(configuration.logLevel), clock);
  adoptShopZone(configuration, log);
  const end = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end.abort());
  await (await makeAgent(flags, configuration, updates, { log, end: end.signal })).run(end.signal);
  await log.close();
  return 0;
}

/** `end` ends the requests in progress. */
async function makeAgent(
  flags: CommissioningFlags,
  configuration: Configuration,
  updates: UpdateSettings,
  { log, end }: { readonly log: Log; readonly end: AbortSignal },
) {
  const below = (absolute: string) => path.join(flags.root ?? '/', absolute);
  const readText = (file: string) => readFile(below(file), 'utf8');
  const places = placesOf(flags, configuration.stateDir);
  const serialNumber = readSerialNumber(places);
  const fleet = new FleetOverlay(places);
  const controllerId = updates.controllerId ?? serialNumber;
  if (controllerId === undefined)
    throw new CommissioningError('updates.controllerId is missing, and there is no serial number');
  const home = flags['state-dir'] ?? below(defaultUpdateDir);
  await ensureDirectory(home, { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, mode: 0o700 });
  const http = new HttpsExchange(await readIdentity(updates), undefined, undefined, end);
  const authorization = await readAuthorization(updates);
  const ddi = new DdiClient({ ...updates, controllerId, authorization }, http, clock);
  const bundle = path.join(home, 'bundle.raucb');
  const rauc = { program: 'rauc', keyring: below('/etc/rauc/keyring.pem'), system: '/etc/rauc/system.conf' };
  const installer = new Rauc(rauc, readText);
  const machine = new ImageMachine(imagePlaces, readText);
  return new UpdateAgent({
    ddi,
    store: new StateFile(path.join(home, 'action.json')),
    installer,
    machine,
    bundle,
    download: (artifact) => {
      const until = AbortSignal.timeout(downloadMsMost);
      return download(artifact, bundle, http, { headers: ddi.credentialsFor(artifact.url), until });
    },
    discard: async () => {
      for (const each of [bundle, `${bundle}.part`]) await rm(each, { force: true });
    },
    busy: () => reportBusy(configuration.screen.port),
    isOpen: async (isForced) => {
      const { updates: present, timeZone } = await fleet.present();
      if (isForced && present?.forced === 'atOnce') return true;
      return isOpen(present?.window ?? (await readWindow(readText)), clock.now(), timeZone);
    },
    attributes: async () => {
      const { version: image, slot } = await machine.running();
      const compatible = (await installer.compatible()) ?? '';
      return { serialNumber: serialNumber ?? '', poid: currentVersion(), image, slot, compatible };
    },
    clock,
    random,
    log,
    limits: {
      pollMs: updates.pollMs,
      bundleBytesMax: updates.bundleBytesMax,
    },
  });
}

/** Why the terminal can't be stopped now. One that does not run may just be restarting, so it is asked twice. */
async function reportBusy(port: number): Promise<string | undefined> {
  let state = await readIdleState(port, true);
  if (state === 'off') {
    await pause(startingMs, clock);
    state = await readIdleState(port, true);
  }
  return state === 'idle' || state === 'off' ? undefined : state;
}

async function readWindow(readText: (file: string) => Promise<string>) {
  const text = await readText('/etc/poid/maintenance-window').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : parseWindow(text);
}

async function readIdentity({ url, ca, certificate, key }: UpdateSettings) {
  const read = async (name: string, file: string | undefined) =>
    file === undefined ? {} : { [name]: await readFile(file, 'utf8') };
  const own = { ...(await read('certificate', certificate)), ...(await read('key', key)) };
  return { server: new URL(url).origin, ...(await read('ca', ca)), ...own };
}

async function readAuthorization({ authentication }: UpdateSettings): Promise<string | undefined> {
  if (authentication === 'certificate') return undefined;
  const directory = process.env['CREDENTIALS_DIRECTORY'] ?? '';
  const read = (name: string) => readFile(path.join(directory, name), 'utf8').catch(() => '');
  const { plain, sealed } = tokenCredentials;
  const token = (await read(sealed)) || (await read(plain));
  if (!/^[\x21-\x7e]{1,512}$/.test(token.trim())) {
    throw new CommissioningError(
      `the credential ${sealed} (or ${plain}, not sealed) is missing: systemd passes it to poid-update.service`,
    );
  }
  return `${authentication === 'targetToken' ? 'TargetToken' : 'GatewayToken'} ${token.trim()}`;
}
