import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { UsageError } from '../usage-error.ts';
import { recordAction } from './audit.ts';
import { CommissioningError, UnsettledError } from './commissioning-error.ts';
import { replaceFile, syncDirectory } from './durable-file.ts';
import type { CommissioningFlags } from './flags.ts';
import { withIdleJournal } from './idle-journal.ts';
import { type Places, presentPlaces } from './places.ts';
import { readSerialNumber } from './serial-number.ts';

/** Typed where the terminal has no serial number. */
const withoutSerialNumber = 'NO-SERIAL-NUMBER';

/** What the daemon keeps in its state directory, and halves of it that a power cut left. */
const stateFile =
  /^(?:journal\.(?:db|db-wal|db-shm|state)|archive-.*|pairings\.(?:json|revoked)|operator\.json|operator\.jsonl(?:\.1)?|fleet\.json|tls\.pem)(?:\.(?:\d+-\d+\.)?new)?$/;

/** `poid factory-reset`: nothing of the shop stays; serial number and audit record do. Exit code 3: unsettled money. */
export async function factoryResetCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('factory-reset takes no arguments');
  const places = await presentPlaces(flags);
  const serialNumber = readSerialNumber(places) ?? withoutSerialNumber;
  const typed = flags.yes ?? (await ask(`This removes the shop from the terminal. Type ${serialNumber} to go on: `));
  if (typed !== serialNumber) throw new CommissioningError(`that is not ${serialNumber}: nothing was removed`);
  const removed = await resetTerminal(places, serialNumber);
  console.log(`the terminal ${serialNumber} is as from the factory; removed:\n${removed.join('\n')}`);
  return 0;
}

/**
 * Removes what makes the machine this shop's terminal, and returns the paths. A reset that was cut off is finished: it
 * has found nothing unsettled, and no service can have started since, because the configuration goes first. Rejects with
 * UnsettledError, JournalError, or the system's error.
 */
export async function resetTerminal(
  places: Places,
  serialNumber: string,
  now = new Date(),
): Promise<readonly string[]> {
  const begun = existsSync(places.resetMark);
  const work = async (unsettled: readonly string[]) => {
    if (unsettled.length > 0) throw new UnsettledError('nothing was removed', unsettled);
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    if (existsSync(places.stateDir)) await replaceFile(places.resetMark, '', { ...own, mode: 0o600 });
    const removed = [
      ...(await removeFiles(places.configuration, isDated(places.configuration))),
      ...(await removeFiles(places.announcement, isDated(places.announcement))),
      ...(await removeFiles(places.plainKeys, isDated(places.plainKeys))),
      ...(await removeFiles(places.sealedKeys, isDated(places.sealedKeys))),
      ...(await removeFiles(path.join(places.stateDir, 'journal.db'), (name) => stateFile.test(name))),
    ];
    if (existsSync(places.stateDir)) {
      await recordAction(places, { action: 'factory-reset', serialNumber, removed }, now);
      await rm(places.resetMark, { force: true });
      await syncDirectory(places.stateDir);
    }
    return removed;
  };
  return begun ? work([]) : withIdleJournal(places.stateDir, work);
}

/** The file itself, its copies with a date, and what was half written. */
function isDated(file: string): (name: string) => boolean {
  const own = path.basename(file);
  return (name) =>
    name === own || (name.startsWith(`${own}.`) && /^(?:\d{8}T\d{6}Z|new)(?:\.new)?$/.test(name.slice(own.length + 1)));
}

/** In the directory of `file`. They are gone for good when this resolves. */
async function removeFiles(file: string, isMeant: (name: string) => boolean): Promise<string[]> {
  const directory = path.dirname(file);
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory).filter(isMeant).toSorted();
  for (const name of names) await rm(path.join(directory, name));
  if (names.length > 0) await syncDirectory(directory);
  return names.map((name) => path.join(directory, name));
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if (process.stdin.isTTY) return await lines.question(question);
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
