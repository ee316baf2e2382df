import { type AcquirerId, acquirerId, type TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Configuration } from '../../config/configuration.ts';
import { hostlessAcquirers } from '../../config/methods.ts';
import {
  compareTerms,
  hasNumbers,
  type HostTerm,
  isSameTerminal,
  type KeylessAcquirer,
  withNumbers,
  withoutKey,
} from '../../config/host-terms.ts';
import { cardIntentOf } from '../records/payment.ts';
import { readableRecord, type TransactionRecord } from '../records/record.ts';
import { UnsettledSearch } from '../records/first-unsettled.ts';
import type { UnsettledJournal } from '../records/unsettled.ts';
import type { KeptAcquirers } from './acquirers-in-use.ts';

/** Why an acquirer takes no new payments: its unsettled payments were made with other settings. */
export interface Hold {
  readonly id: AcquirerId;
  /** Its present settings; undefined if it is no longer configured. */
  readonly next: KeylessAcquirer | undefined;
  /** The settings with which its queue and batch are completed; undefined if none are stored, or if it has neither. */
  readonly former: KeylessAcquirer | undefined;
  /** The settings that differ. */
  readonly changed: readonly HostTerm[];
  /** The acquirer whose unsettled money is at the same host under the same terminal id. */
  readonly behind?: AcquirerId;
}

export interface FoundHolds {
  readonly holds: readonly Hold[];
  /** The settings in use that must be stored before the first payment. */
  readonly keeps: ReadonlyMap<string, KeylessAcquirer | undefined>;
}

/** The part of a configuration that names acquirers. */
export type Names = Pick<Configuration, 'acquirers'> & Partial<Configuration>;

/** Acquirers without stored settings: their money can't be settled once they are no longer configured. */
function namesOf({ methods = [], ...others }: Partial<Configuration>): readonly string[] {
  const hostless = hostlessAcquirers.filter(({ isConfigured }) => isConfigured(others));
  return [...hostless.map(({ name }) => name), ...methods.map(({ id }) => id)];
}

/**
 * Compares the configuration with the settings of unsettled payments. Reads the journal only as far as necessary: a few
 * rows if nothing has changed. Rejects with JournalError.
 */
export async function findHolds(
  { acquirers: configured, ...others }: Names,
  inUse: Pick<KeptAcquirers, 'all' | 'of'>,
  journal: UnsettledJournal,
): Promise<FoundHolds> {
  const next = new Map(configured.map((each) => [acquirerId(each.id), withoutKey(each)]));
  const search = new UnsettledSearch(journal);
  const keeps = new Map<string, KeylessAcquirer | undefined>();
  const own = new Map<AcquirerId, Hold>();
  for (const id of new Set([...next.keys(), ...inUse.all.map((each) => acquirerId(each.id))])) {
    const now = next.get(id);
    const found = await search.findSoon([id]);
    const record = await recordOf(found?.id, journal);
    const former = formerOf(inUse.of(id) ?? now, now, record);
    const changed = former && now ? await changedOf({ former, now, id, record }, search, journal) : [];
    const isChanged = former !== undefined && (!now || changed.length > 0);
    if (isChanged && (found ?? (await search.find([id])))) own.set(id, { id, next: now, former, changed });
    else keeps.set(id, now);
  }
  const known = new Set([...keeps.keys(), ...own.keys(), ...namesOf(others)]);
  for (const id of (await journal.acquirers()).filter((each) => !known.has(each))) {
    if (await search.findSoon([id])) own.set(id, { id, next: undefined, former: undefined, changed: [] });
  }
  const behind = [...next].flatMap(([id, now]): Hold[] => {
    const first = [...own.values()].find((each) => each.id !== id && each.former && isSameTerminal(now, each.former));
    return first && !own.has(id) ? [{ id, next: now, former: undefined, changed: [], behind: first.id }] : [];
  });
  for (const { id } of behind) keeps.delete(id);
  return { holds: [...own.values(), ...behind], keeps };
}

/**
 * The settings of unsettled payments: those that were stored, with the numbers of its own intent. The journal takes
 * precedence over the file, which another version may not have written, or which may have been restored from a copy.
 */
function formerOf(
  kept: KeylessAcquirer | undefined,
  now: KeylessAcquirer | undefined,
  record: TransactionRecord | undefined,
): KeylessAcquirer | undefined {
  const { intent } = record ?? {};
  if (!kept || !intent || hasNumbers(kept, intent)) return kept;
  // A version that stored no settings sent it, with the present ones.
  if (now && hasNumbers(now, intent)) return now;
  return withNumbers(kept, intent);
}

interface Change {
  readonly id: AcquirerId;
  readonly former: KeylessAcquirer;
  readonly now: KeylessAcquirer;
  /** An unsettled transaction, if the search found one in time. */
  readonly record: TransactionRecord | undefined;
}

/** The site of unsettled transactions is looked up only if the addresses differ. */
async function changedOf(
  { id, former, now, record }: Change,
  search: UnsettledSearch,
  journal: UnsettledJournal,
): Promise<readonly HostTerm[]> {
  if (record || compareTerms(former, now).length === 0) return compareTerms(former, now, siteOf(record));
  const found = await search.find([id]);
  return compareTerms(former, now, siteOf(await recordOf(found?.id, journal)));
}

function siteOf(record: TransactionRecord | undefined): string | undefined {
  return cardIntentOf(record?.intent)?.site;
}

/** The transaction that makes something unsettled. */
async function recordOf(
  id: TerminalTransactionId | undefined,
  journal: UnsettledJournal,
): Promise<TransactionRecord | undefined> {
  return id && readableRecord(id, await journal.read(id));
}
