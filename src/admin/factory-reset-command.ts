import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { plainText } from '../base/domain/plain-text.ts';
import { writtenFileAt } from '../base/domain/written-files.ts';
import { UsageError } from '../base/usage-error.ts';
import { forgetShop, recordAction } from './audit.ts';
import { CommissioningError, UnsettledError } from './commissioning-error.ts';
import { ensureOwnDirectory, replaceFile, syncDirectory } from './durable-file.ts';
import type { CommissioningFlags } from './flags.ts';
import { withIdleJournal, withJournalLock } from './idle-journal.ts';
import { type Places, presentPlaces } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';
import { type Removal, removeShop } from './shop-removal.ts';

/** Typed where the terminal has no serial number. */
const withoutSerialNumber = 'NO-SERIAL-NUMBER';

/**
 * `poid factory-reset`: removes the shop's data; keeps serial number, audit record and the list of dropped fleet keys.
 * Exit code 3: unsettled money.
 */
export async function factoryResetCommand(flags: CommissioningFlags, parameters: readonly string[]): Promise<number> {
  if (parameters.length > 0) throw new UsageError('factory-reset takes no arguments');
  const places = await presentPlaces(flags);
  const serialNumber = readSerialNumber(places) ?? withoutSerialNumber;
  const typed = flags.yes ?? (await ask(`This removes the shop from the terminal. Type ${serialNumber} to go on: `));
  if (typed !== serialNumber) throw new CommissioningError(`that is not ${serialNumber}: nothing was removed`);
  const { removed, left } = await resetTerminal(places, serialNumber);
  console.log(`the terminal ${serialNumber} is as from the factory; removed:\n${plainLines(removed)}`);
  if (left.length > 0) console.log(`left, because the terminal has not written it: look at it\n${plainLines(left)}`);
  return 0;
}

/**
 * Removes all data that makes the machine this shop's terminal. A reset that was cut off after the configuration had
 * retired is finished without asking the journal, which may be half removed: nothing was unsettled, and no service has
 * started since. Rejects with UnsettledError, JournalError, or the system's error.
 */
export async function resetTerminal(places: Places, serialNumber: string, now = new Date()): Promise<Removal> {
  const isHalfRemoved = existsSync(places.resetMark) && !existsSync(places.configuration);
  const work = async (unsettled: readonly string[]) => {
    if (unsettled.length > 0) throw new UnsettledError('nothing was removed', unsettled);
    if (places.root === '/') endUpdates();
    const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
    if (existsSync(places.stateDir)) {
      await ensureOwnDirectory(places.adminDir);
      await replaceFile(places.resetMark, '', { ...own, mode: 0o600 });
    }
    const removal = await removeShop(places);
    if (existsSync(places.stateDir)) {
      await forgetShop(places);
      await recordAction(places, { action: 'factory-reset', serialNumber, removed: listPlaces(removal, places) }, now);
      await rm(places.resetMark, { force: true });
      await syncDirectory(places.adminDir);
    }
    return removal;
  };
  return isHalfRemoved ? withJournalLock(places.stateDir, () => work([])) : withIdleJournal(places.stateDir, work);
}

/** By the table's name: the name of a file may reveal the shop, too. */
function listPlaces({ removed }: Removal, { root }: Places): string[] {
  const found = removed.map((file) => writtenFileAt(path.join('/', path.relative(root, file)))?.place);
  return [...new Set(found.map((place) => place ?? 'a file that the configuration named'))];
}

/**
 * The update agent keeps the token in memory and would write its state again. It does not start without a
 * configuration.
 */
function endUpdates(): void {
  if (existsSync('/usr/lib/poid-image/version')) spawnSync('systemctl', ['stop', 'poid-update.service']);
}

/** The service may have chosen the names. */
function plainLines(names: readonly string[]): string {
  return names.map(plainText).join('\n');
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
