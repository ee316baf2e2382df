import { grouped, groupedText, majorText } from '../base/domain/amount.ts';
import { acquirerId, type TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { JournalReading } from '../journal/journal-reading.ts';
import type { ListQuery } from '../payment/contracts/listing.ts';
import { plainLines, plainText } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import { UsageError } from '../base/usage-error.ts';
import { CommissioningError } from './commissioning-error.ts';
import type { CommissioningFlags } from './flags.ts';
import { withJournalCopy } from './journal/copy.ts';
import { entriesOf, type JournalEntry } from '../payment/records/journal-entry.ts';
import { printEntries, printSettlements } from './journal/export.ts';
import { storyLines } from './journal/story.ts';
import { stateDirOf } from '../config/places.ts';

const listUsual = 20;
const sliceSize = 100;
const damagedCode = 1;

/**
 * `poid journal list`, `show ID`, `verify`, `export`, `settlements`: the content of a terminal's journal, whether the
 * terminal runs or not.
 */
export async function journalCommand(flags: CommissioningFlags, [action, id = '']: readonly string[]): Promise<number> {
  const acts = { list, show, verify, export: exportEntries, settlements: exportSettlements };
  const act = acts[action as keyof typeof acts];
  return withJournalCopy(await stateDirOf(flags), (reading) => act(reading, flags, id));
}

async function list(reading: JournalReading, flags: CommissioningFlags): Promise<number> {
  const entries = await collect(entriesOf(reading, queryOf(flags, 'newest'), limitOf(flags.limit)));
  if (flags.json) console.log(jsonText({ transactions: entries }));
  else if (entries.length === 0) console.log('no transactions');
  else console.log(plainLines(entries.map(lineOf).join('\n')));
  return 0;
}

function lineOf(entry: JournalEntry): string {
  const { at, type, amount, currency, state, reason, method, lastFour, posId, messageId, terminalTransactionId } =
    entry;
  const money = `${currency} ${grouped(amount)}`.padStart(20);
  const means = `${method} ${lastFour}`.padEnd(14);
  const why = reason === '' ? '' : ` (${reason})`;
  const owner = `${posId} ${messageId}`;
  return `${at}  ${type.padEnd(13)} ${money}  ${means} ${`${state}${why}`.padEnd(28)} ${owner}  ${terminalTransactionId}`;
}

async function show(reading: JournalReading, flags: CommissioningFlags, id: string): Promise<number> {
  const found = await findIds(reading, id);
  if (found.length === 0) throw new CommissioningError(`the journal has no transaction ${id}`);
  const stories = await Promise.all(
    found.map(async (each) => {
      const later = await reading.later(each);
      return {
        terminalTransactionId: each,
        events: storyLines(await reading.read(each), flags.json ? majorText : groupedText),
        later: later.map((one) => one.id),
      };
    }),
  );
  if (flags.json) console.log(jsonText({ transactions: stories }));
  for (const { terminalTransactionId, events, later } of flags.json ? [] : stories) {
    console.log([plainText(terminalTransactionId), ...events.map((line) => `  ${plainText(line)}`)].join('\n'));
    for (const each of later) console.log(`  later: ${plainText(each)}`);
  }
  return 0;
}

/** By the terminalTransactionId, or by a messageId, which several tills may have. */
async function findIds(reading: JournalReading, id: string): Promise<TerminalTransactionId[]> {
  const own = id as TerminalTransactionId;
  if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(id) && (await reading.read(own)).length > 0) return [own];
  const found: TerminalTransactionId[] = [];
  for (let from: number | undefined = undefined, isFirst = true; isFirst || from !== undefined; isFirst = false) {
    const slice = await reading.listSlice({ order: 'newest', limit: sliceSize }, from);
    found.push(...slice.found.filter(({ messageId }) => messageId === id).map((each) => each.id));
    from = slice.next;
  }
  return found;
}

async function verify(reading: JournalReading, flags: CommissioningFlags): Promise<number> {
  const damage = reading.damage();
  const check = damage === undefined ? reading.check() : undefined;
  for (let isThrough = check === undefined; !isThrough; ) isThrough = check?.slice() ?? true;
  let unreadable = 0;
  const all = entriesOf(reading, { order: 'oldest', limit: sliceSize }, Number.POSITIVE_INFINITY);
  let count = 0;
  if (damage === undefined) {
    for await (const { state } of all) {
      count += 1;
      if (state === 'UNREADABLE') unreadable += 1;
    }
  }
  const { putBack } = reading;
  const isGood = damage === undefined && unreadable === 0 && putBack === undefined;
  const found = {
    result: isGood ? 'ok' : 'damaged',
    transactions: count,
    rows: check?.checked ?? 0,
    unreadable,
    damage,
    putBack,
  };
  if (flags.json) console.log(jsonText(found));
  else if (isGood) console.log(`ok: ${count} transactions, ${found.rows} rows, each page and index`);
  else
    console.log(
      [damage, putBack, unreadable > 0 ? `${unreadable} transactions can't be read` : undefined]
        .filter((line) => line !== undefined)
        .map(plainLines)
        .join('\n'),
    );
  return isGood ? 0 : damagedCode;
}

function exportEntries(reading: JournalReading, flags: CommissioningFlags): Promise<number> {
  return printEntries(reading, queryOf(flags, 'oldest'), flags);
}

function exportSettlements(reading: JournalReading, flags: CommissioningFlags): Promise<number> {
  return printSettlements(reading, rangeOf(flags), flags);
}

function queryOf(flags: CommissioningFlags, order: ListQuery['order']): ListQuery {
  const { of, acquirer, batch } = flags;
  if ((batch === undefined) !== (acquirer === undefined)) throw new UsageError('--acquirer and --batch go together');
  return {
    order,
    limit: sliceSize,
    ...rangeOf(flags),
    ...(of === undefined ? {} : { posId: of }),
    ...(acquirer === undefined ? {} : { acquirerId: acquirerId(acquirer.toUpperCase()), batch: Number(batch) }),
  };
}

function rangeOf({ since, until }: CommissioningFlags): Pick<ListQuery, 'since' | 'until'> {
  return {
    ...(since === undefined ? {} : { since: instantOf('since', since) }),
    ...(until === undefined ? {} : { until: instantOf('until', until) }),
  };
}

function instantOf(flag: string, text: string): Date {
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new UsageError(`--${flag} takes a time with its offset, as 2026-11-23T09:00:00+08:00`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return listUsual;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError('--limit takes a number from 1');
  return Number(text);
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
