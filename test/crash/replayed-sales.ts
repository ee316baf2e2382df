import { rmSync } from 'node:fs';
import path from 'node:path';
import { JournalStore } from '../../src/journal/store.ts';
import { mayBePosted, type TransactionRecord, transactionRecord } from '../../src/payment/records/record.ts';
import { recoveryEvents } from '../../src/payment/transaction/recover.ts';
import { Chance } from '../e2e/chance.ts';
import { Stage } from '../e2e/stage.ts';
import { undone } from '../journal/interruption.ts';
import { type Replayed, replayed } from '../journal/replay.ts';
import { busyShop } from './crashes.ts';
import { journalFaults, journalledIds } from './journal-copy.ts';
import { type Heard, type Sold, sold } from './sold.ts';

/**
 * Crash states of the disk of a terminal that sells. Each is checked as a restart would find it: every answer to a POS
 * is on record, every message that a host got a byte of has its intent, and after the recovery each intent is
 * approved, refused or queued for its reversal.
 */
export async function replayedSales(
  { requests, count, seed, program }: { requests: number; count: number; seed: number; program: string },
  onState?: () => void,
): Promise<{ sold: Sold; result: Replayed }> {
  const stage = await Stage.open({ ...busyShop, program });
  const killed = undone(() => {
    if (stage.running) process.kill(stage.daemonPid, 'SIGKILL');
    // The simulator ends with the process that started it.
    rmSync(stage.dir, { recursive: true, force: true });
  });
  try {
    await stage.stopDaemon('SIGTERM');
    rmSync(stage.stateDir, { recursive: true });
    const options = { count, chance: new Chance(seed), dir: stage.stateDir };
    const { used, result } = await replayed(options, (disk) => sold(stage, disk, requests, seed), wrong, onState);
    return { sold: used, result };
  } finally {
    await stage.close();
    killed();
  }
}

/** Faults of the state in `dir`, compared with what POS and hosts knew when the log was `position` bytes long. */
function wrong({ heard, sent }: Sold, dir: string, position: number): string[] {
  const file = path.join(dir, 'journal.db');
  // The cut may have come before the journal existed.
  new JournalStore(file).close();
  const faults = journalFaults(dir);
  const ids = journalledIds(dir);
  const store = new JournalStore(file);
  try {
    const before = new Map(ids.map((id) => [id, transactionRecord(id, store.read(id))]));
    for (const each of heard) if (each.position <= position) faults.push(...untrue(store, each));
    for (const id of store.unfinished()) {
      const record = before.get(id);
      if (record) store.append(id, recoveryEvents(record));
      else faults.push(`${id} is unfinished, and nothing is written of it`);
    }
    if (store.unfinished().length > 0) faults.push(`${store.unfinished().length} are unfinished after the recovery`);
    const intents = intended(store, [...before.keys()]);
    for (const { acquirer, stan, position: at } of sent) {
      if (at > position) continue;
      const record = intents.get(`${acquirer} ${stan}`);
      if (!record) faults.push(`${acquirer} was sent trace number ${stan}, of which there is no intent`);
      else if (!isSettled(record)) faults.push(`nothing comes of trace number ${stan} at ${acquirer}`);
    }
  } finally {
    store.close();
  }
  return faults;
}

/** Differences between the journal and the answer to the POS. */
function untrue(store: JournalStore, { request, call, final }: Heard): string[] {
  const { posId, messageId } = request;
  if (call === 'settlement') {
    const settlement = store.findSettlement(posId, messageId);
    return final.responseResult !== 'SUCCESS' || settlement?.results ? [] : [`settlement ${messageId} is lost`];
  }
  const id = store.find(posId, messageId);
  if (id === undefined) return final.terminalTransactionId === undefined ? [] : [`${messageId} is lost`];
  const record = transactionRecord(id, store.read(id));
  const { outcome, result } = record.conclusion ?? {};
  if (result !== final.responseResult) return [`${messageId} was told ${final.responseResult} and is ${result}`];
  if (final.responseResult !== 'SUCCESS') return [];
  const reported = Math.round(final.transactionResult.totalAmount * 100);
  if (outcome !== 'approved' || record.reversal) return [`${messageId} was told SUCCESS and is ${outcome}`];
  return record.amount.minor === BigInt(reported) ? [] : [`${messageId} is of another amount than was told`];
}

/** The transaction of each intent in the journal. */
function intended(store: JournalStore, ids: readonly TransactionRecord['id'][]): Map<string, TransactionRecord> {
  const intents = new Map<string, TransactionRecord>();
  for (const id of ids) {
    const events = store.read(id);
    for (const { event } of events) {
      if (event.kind !== 'intent') continue;
      intents.set(`${event.acquirerId} ${event.trace.stan}`, transactionRecord(id, events));
    }
  }
  return intents;
}

/** Whether its end is known, or store-and-forward finds it in its queue. */
function isSettled(record: TransactionRecord): boolean {
  return record.conclusion !== undefined && (!mayBePosted(record) || record.reversal !== undefined);
}
