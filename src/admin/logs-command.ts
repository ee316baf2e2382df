import { spawn } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { scrub } from '../base/domain/masking.ts';
import { plainJson, plainText } from '../base/domain/plain-text.ts';
import { readableLine } from '../observability/readable-line.ts';
import { UsageError } from '../base/usage-error.ts';
import { CommissioningError } from './commissioning-error.ts';
import type { CommissioningFlags } from './flags.ts';
import { readLines } from './log-lines.ts';
import { ConfigurationError, loadConfiguration } from '../config/load.ts';
import { adoptTimeZone } from '../observability/time-zone.ts';
import { defaultStateDir, placesOf } from '../config/places.ts';

/** A priority of sd-daemon(3) before a line. */
const priority = /^<\d>/;

/**
 * `poid logs [ID]`: the terminal's log for the user, in the shop's time; with an ID, the lines that name this payment
 * in any field.
 */
export async function logsCommand(flags: CommissioningFlags, [id]: readonly string[]): Promise<number> {
  if (flags.file !== undefined && flags.follow) throw new UsageError('--follow goes with the log of the unit');
  // journalctl reads --since in this zone, too.
  await adoptConfiguredZone(flags);
  const { lines, ended } = openLog(flags);
  // The log has hidden a card number in it, if it has one.
  const ids = new Set<unknown>(id === undefined ? [] : [id, scrub(id)]);
  let count = 0;
  for await (const line of readLines(lines)) {
    const json = line.replace(priority, '');
    if (id !== undefined && !isOfPayment(json, ids)) continue;
    count += 1;
    // JSON stays as it was written: the terminal has already masked it.
    process.stdout.write(flags.json ? `${plainJson(json)}\n` : scrub(shown(json)));
  }
  await ended;
  if (count > 0 || id === undefined) return 0;
  throw new CommissioningError(`no line of the log names ${id}`);
}

function openLog({ file, unit = 'poid', since, follow }: CommissioningFlags): {
  lines: Readable;
  ended: Promise<void>;
} {
  if (file === '-') return { lines: process.stdin, ended: Promise.resolve() };
  if (file !== undefined) return { lines: createReadStream(file), ended: Promise.resolve() };
  const range = since === undefined ? [] : ['--since', since];
  const words = ['--unit', unit, '--output', 'cat', '--no-pager', ...range, ...(follow ? ['--follow'] : [])];
  const child = spawn('journalctl', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  child.once('error', () => {
    child.stdout.destroy();
    reject(new CommissioningError('journalctl can’t be run: give the log by --file'));
  });
  child.once('close', (code) => (code === 0 ? resolve() : reject(new CommissioningError('journalctl has failed'))));
  ended.catch(() => undefined);
  return { lines: child.stdout, ended };
}

/** A line that is not of the terminal's log (of systemd, of a crash) is shown unchanged. */
function shown(line: string): string {
  const fields = fieldsOf(line);
  try {
    if (fields && 'level' in fields && Number.isFinite(Number(fields['time']))) return readableLine(line);
  } catch {
    // One of its values has no text, as {"toString":1}: the lines after it are shown all the same.
  }
  return `${plainText(line)}\n`;
}

/**
 * A field has one of these values as a whole. A line that names a messageId also has the transaction id, which finds
 * the other lines.
 */
function isOfPayment(line: string, ids: Set<unknown>): boolean {
  const fields = fieldsOf(line);
  if (!fields || !Object.values(fields).some((value) => ids.has(value))) return false;
  const { terminalTransactionId } = fields;
  if (terminalTransactionId !== undefined) ids.add(terminalTransactionId);
  return true;
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/**
 * Makes the shop's time zone that of this command, as far as it may read the configuration: else the machine's. Rejects
 * with ConfigurationError for a configuration that was named and can't be used.
 */
async function adoptConfiguredZone(flags: Pick<CommissioningFlags, 'config' | 'root'>): Promise<void> {
  const { configuration } = placesOf(flags, defaultStateDir);
  if (flags.config === undefined && !existsSync(configuration)) return void adoptTimeZone(undefined);
  try {
    const own = await loadConfiguration([configuration], {}, { keys: 'unread' });
    // No fleet may set it.
    adoptTimeZone(own.timeZone);
  } catch (error) {
    if (flags.config !== undefined || !(error instanceof ConfigurationError)) throw error;
    adoptTimeZone(undefined);
  }
}
