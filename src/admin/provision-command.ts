import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Json, parseJson, readJson } from '../config/json-file.ts';
import { plainLines } from '../base/domain/plain-text.ts';
import { terminalHostname } from '../base/domain/local-name.ts';
import { asOwnerOf } from '../base/secrets/state-owner.ts';
import { UsageError } from '../base/usage-error.ts';
import { type AuditedAction, hashOf, recordAction } from './audit.ts';
import { CommissioningError, UnsettledError } from './commissioning-error.ts';
import { ensureDirectory, replaceFile } from './durable-file.ts';
import type { CommissioningFlags } from './flags.ts';
import { type FoundDocument, findFleetDocument, refuseDroppedKeys, removeFleetDocument } from './fleet-document.ts';
import { readAdminDroppedKeys } from './fleet/dropped-keys.ts';
import { withIdleJournal } from './idle-journal.ts';
import { machineSealer, type Sealer, storeKeys } from './key-store.ts';
import { defaultStateDir, type Places, placesOf, serviceOwner } from '../config/places.ts';
import { parseProvisioning, type Provisioning } from './provisioning.ts';
import { readSerialNumber } from '../config/serial-number.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** `poid provision FILE`, or `-` for standard input. */
export async function provisionCommand(flags: CommissioningFlags, [file, ...rest]: readonly string[]): Promise<number> {
  if (file === undefined || rest.length > 0) throw new UsageError('provision takes a file, or - for standard input');
  const input = file === '-' ? parseJson(await readAll(process.stdin), 'on standard input') : await readJson(file);
  // The keys of a machine are of no use on another one.
  const sealer = flags.root === undefined ? machineSealer : undefined;
  console.log(plainLines(await provision(input, file, flags, sealer)));
  return 0;
}

/**
 * Writes the files that make a machine this shop's terminal, and returns a summary for the user. Rejects with
 * CommissioningError, ConfigurationError, or JournalError; nothing was changed then.
 */
export async function provision(
  input: Json,
  file: string,
  flags: CommissioningFlags,
  sealer: Sealer | undefined,
  now: Date = new Date(),
): Promise<string> {
  const stateDir = typeof input['stateDir'] === 'string' ? input['stateDir'] : defaultStateDir;
  const places = placesOf(flags, stateDir);
  if (existsSync(places.resetMark)) {
    throw new CommissioningError('a factory reset was cut off: poid factory-reset finishes it');
  }
  const before = readSerialNumber(places);
  const read = parseProvisioning(input, before, { plainHosts: flags['plain-hosts'] ?? false });
  if (!('serialNumber' in read)) {
    const faults = read.map(({ place, message }) => `${file}: ${place}: ${message}`);
    throw new CommissioningError(`nothing was changed: ${faults.length} to mend\n${faults.join('\n')}`);
  }
  const isReplacing = existsSync(places.configuration);
  if (isReplacing && !flags.force) {
    const way = `--force keeps it as a copy with the date, poid factory-reset removes it`;
    throw new CommissioningError(`${places.configuration} is there already: ${way}`);
  }
  const seen = await readAdminDroppedKeys(places);
  const document = await asOwnerOf(places.stateDir, async () => {
    await refuseDroppedKeys(read, places, seen);
    return findFleetDocument(read, places, before);
  });
  return withIdleJournal(places.stateDir, async (unsettled) => {
    if (isReplacing && unsettled.length > 0)
      throw new UnsettledError('the terminal keeps its configuration', unsettled);
    if (flags['dry-run']) return planText(read, places, sealer !== undefined, document);
    if (document.isFormer) await asOwnerOf(places.stateDir, () => removeFleetDocument(places));
    const done = await write(read, places, { flags, sealer, now, unsettled });
    const named = await nameMachine(read.serialNumber, places, flags.root === undefined);
    return doneText(read, places, done, { named, document });
  });
}

interface WriteOptions {
  readonly flags: CommissioningFlags;
  readonly sealer: Sealer | undefined;
  readonly now: Date;
  readonly unsettled: readonly string[];
}

/**
 * Keys first, the configuration last: it names them, and its presence lets the service start. A terminal never has a
 * configuration that is not in the audit record.
 */
async function write(read: Provisioning, places: Places, options: WriteOptions): Promise<AuditedAction> {
  const { flags, sealer, now, unsettled } = options;
  const owner = serviceOwner(flags.root);
  const root = { uid: process.getuid?.() ?? 0, gid: process.getuid?.() === 0 ? owner.gid : (process.getgid?.() ?? 0) };
  await ensureDirectory(path.dirname(places.configuration), { ...root, mode: 0o750 });
  const own = process.getuid?.() === 0 ? owner : root;
  await asOwnerOf(places.stateDir, () => ensureDirectory(places.stateDir, { ...own, mode: 0o700 }));
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const replaced = await keepCopy(places.configuration, stamp, { ...root, mode: 0o640 });
  for (const keys of [places.plainKeys, places.sealedKeys]) {
    await keepCopy(keys, stamp, { uid: root.uid, gid: process.getgid?.() ?? 0, mode: 0o600 });
  }
  const names = Object.keys(read.keys);
  const keptAs = await storeKeys(places, read.keys, sealer);
  await replaceFile(places.serialNumber, `${read.serialNumber}\n`, { ...root, mode: 0o644 });
  const action: AuditedAction = {
    action: 'provision',
    serialNumber: read.serialNumber,
    configuration: hashOf(read.text),
    ...(names.length > 0 ? { keys: names, keptAs } : {}),
    ...(replaced === undefined ? {} : { replaced }),
    ...(unsettled.length > 0 ? { unsettled } : {}),
  };
  await recordAction(places, action, now);
  await replaceFile(places.configuration, read.text, { ...root, mode: 0o640 });
  return action;
}

/** Returns the copy's path; undefined if there is no such file. */
async function keepCopy(
  file: string,
  stamp: string,
  ownership: Parameters<typeof replaceFile>[2],
): Promise<string | undefined> {
  if (!existsSync(file)) return undefined;
  const copy = `${file}.${stamp}`;
  await replaceFile(copy, readFileSync(file), ownership);
  return copy;
}

function planText(
  { serialNumber, text, keys }: Provisioning,
  places: Places,
  seals: boolean,
  document: FoundDocument,
): string {
  const names = Object.keys(keys);
  const keyLine =
    names.length === 0
      ? 'no keys'
      : `the keys ${names.join(', ')} in ${seals ? `${places.sealedKeys}, or in ` : ''}${places.plainKeys}`;
  return `nothing was changed. The terminal ${serialNumber} would get
  ${keyLine}
  ${places.serialNumber}
  a line in ${places.audit}
  the name ${terminalHostname(serialNumber)}
  ${places.configuration}:
${[text.trimEnd(), ...document.lines].join('\n')}`;
}

function doneText(
  { serialNumber }: Provisioning,
  places: Places,
  done: AuditedAction,
  { named, document }: { readonly named: string; readonly document: FoundDocument },
): string {
  const { keys = [], keptAs, replaced, unsettled = [] } = done;
  const how = keptAs === 'sealed' ? 'encrypted for this machine' : 'readable by root alone, not encrypted';
  return [
    `the terminal ${serialNumber} is provisioned: ${places.configuration}`,
    ...(replaced === undefined ? [] : [`the configuration before it: ${replaced}`]),
    ...(keys.length === 0 ? [] : [`keys (${how}): ${keys.join(', ')}`]),
    named,
    ...document.lines,
    ...(unsettled.length === 0 ? [] : ['its journal has unsettled money, which this must be the terminal for:']),
    ...unsettled,
    'next: systemctl restart poid; before the first sale: poid doctor',
  ].join('\n');
}

/**
 * Names the machine after its serial number, so that tills find it as NAME.local. `isRunning`: the machine that runs
 * this, not an image. Returns a line for the user: a read-only file system has its own way to name the machine.
 */
async function nameMachine(serialNumber: string, places: Places, isRunning: boolean): Promise<string> {
  const name = terminalHostname(serialNumber);
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  try {
    await replaceFile(places.hostname, `${name}\n`, { ...own, mode: 0o644 });
    if (isRunning) await promisify(execFile)('hostname', [name]);
    return `its name in the network: ${name}.local`;
  } catch (error) {
    const { code = 'no program hostname' } = error as NodeJS.ErrnoException;
    return `the machine keeps the name that it has (${places.hostname}: ${code})`;
  }
}
