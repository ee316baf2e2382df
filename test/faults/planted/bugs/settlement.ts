import type { Bug } from '../bug.ts';

/** Bugs of batches and their settlement. */
export const settlementBugs: readonly Bug[] = [
  {
    name: 'a batch is settled while advices wait',
    file: 'src/terminal/settlement/settlement.ts',
    from: 'if (!drained && !mayWait) {',
    to: 'if (!drained && !mayWait && number < 0) {',
  },
  {
    name: 'a batch is closed that the host did not agree to',
    file: 'src/journal/store.ts',
    from: "if (result === 'FAILED' || totals.length === 0) continue;",
    to: 'if (!result || totals.length === 0) continue;',
  },
  {
    name: 'a settlement whose result could not be written is left to the next restart',
    file: 'src/terminal/terminal.ts',
    from: `        this.#cutOff = request;
        this.#takeUpIn(takeUpMs);`,
    to: '        this.#cutOff = request.digest === "" ? request : undefined;',
  },
  {
    name: 'the next batch begins with every restart',
    file: 'src/terminal/settlement/settlement.ts',
    from: 'if (existing?.results) return existing;',
    to: `if (existing?.results) return existing;
  if (existing) {
    const taken = await Promise.all(settlings(parts).map(async ({ id: at, mid, tid }) => ({ acquirerId: at, mid, tid, batch: await journal.openBatch(at), result: 'BALANCED' as const, totals: [{ kind: 'SALE' as const, currency: 'HKD' as const, count: 0, totalMinor: '0' }] })));
    await journal.endSettlement(existing.id, taken, false);
    return existing;
  }`,
  },
  {
    name: 'a batch is in the order of a clock that may be set back',
    file: 'src/journal/store.ts',
    from: 'AND opened > coalesce((SELECT opened FROM txn WHERE id = ?), 0) ORDER BY opened LIMIT ?',
    to: 'AND id > ? ORDER BY id LIMIT ?',
  },
  {
    name: 'after the batch numbers have begun again, the open batch has what the first of that number had',
    file: 'src/journal/store.ts',
    from: "'UPDATE trace SET batch = batch + 1 WHERE (batch - 1)",
    to: "'UPDATE trace SET batch = batch % 999999 + 1 WHERE (batch - 1)",
  },
  {
    name: 'a batch takes more than its settlement has digits for, and can never be settled',
    file: 'src/transaction/batch-load.ts',
    from: 'return count <= most.count && minor <= most.minor;',
    to: 'return count <= most.count || minor <= most.minor;',
  },
];
