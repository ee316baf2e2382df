import type { Bug } from '../bug.ts';

/** Bugs of batches and their settlement. */
export const settlementBugs: readonly Bug[] = [
  {
    name: 'a batch is settled while advices wait',
    file: 'src/terminal/settlement/open-batch.ts',
    from: 'if (!drained && !mayWait) return faulty',
    to: 'if (!drained && !mayWait && tries < 0) return faulty',
    also: {
      file: 'src/journal/settling.ts',
      from: "const waiting = mayWait ? '' : `OR reversal = 'queued' OR advice = 'queued'`;",
      to: "const waiting = mayWait ? '' : '';",
    },
  },
  {
    name: 'a batch is let go of that the host did not agree to',
    file: 'src/journal/settling.ts',
    from: "if (result === 'FAILED') {",
    to: "if (result === 'FAILED' && batch < 0) {",
  },
  {
    name: 'a settlement whose result could not be written is left to the next restart',
    file: 'src/terminal/terminal.ts',
    from: 'done.catch(() => this.#takeUpIn(takeUpMs));',
    to: 'done.catch(() => undefined);',
  },
  {
    name: 'what came after an unanswered 0500 is put into the batch that the host may have settled',
    file: 'src/terminal/settlement/settlement.ts',
    from: 'if (unsent) await parts.journal.reopenBatch(acquirer.id, open.number);',
    to: "if (result.result === 'FAILED') await parts.journal.reopenBatch(acquirer.id, open.number);",
  },
  {
    name: 'a currency that the host has answered for is asked for again',
    file: 'src/terminal/settlement/card-batch.ts',
    from: 'await parts.journal.settledCurrency(closed.acquirerId, closed.batch, total.currency, asked.result);',
    to: '',
  },
  {
    name: 'what the host agreed to, in an answer that came late, is asked for again',
    file: 'src/terminal/late-answers.ts',
    from: "if (await settlementTold(answer, stan, journal)) return onHeard?.('late answer to a settlement');",
    to: '',
  },
  {
    name: 'of a settlement that is answered meanwhile, the batch is uploaded all the same',
    file: 'src/terminal/settlement/card-batch.ts',
    from: '    const before = await heard(closed, total, journal);\n    if (before) return before;\n',
    to: '',
    test: 'test/terminal/late-settlement.test.ts',
  },
  {
    name: 'a tip that its host takes when its sale is settled without it is in nobody’s list',
    file: 'src/terminal/late-answers.ts',
    from: "if (advice === 'rejected' && (await isTipOfSettled(record, isSettled))) return tipTold(record, outcome);",
    to: '',
    test: 'test/terminal/late-answers.test.ts',
  },
  {
    name: 'what changes while a batch is read is in no batch',
    test: 'test/journal/batches.test.ts',
    file: 'src/journal/settling.ts',
    from: "if (this.mark(acquirerId, batch) !== mark) return 'changed';",
    to: '',
  },
  {
    name: 'a batch is closed beside a payment that is in it',
    file: 'src/terminal/terminal.ts',
    from: 'return this.#payment?.done ?? this.#lulled;',
    to: 'return this.#lulled;',
    also: {
      file: 'src/journal/settling.ts',
      from: '(ended = 0 ${waiting})',
      to: '(ended = 2 ${waiting})',
    },
  },
  {
    name: 'a batch is in the order of a clock that may be set back',
    file: 'src/journal/store.ts',
    from: 'AND opened > coalesce((SELECT opened FROM txn WHERE id = ?), 0) ORDER BY opened LIMIT ?',
    to: 'AND id > ? ORDER BY id LIMIT ?',
  },
  {
    name: 'after the batch numbers have begun again, the open batch has what the first of that number had',
    test: 'test/journal/batches.test.ts',
    file: 'src/journal/settling.ts',
    from: "'UPDATE trace SET batch = batch + 1 WHERE",
    to: "'UPDATE trace SET batch = batch % 999999 + 1 WHERE",
  },
  {
    name: 'a batch takes more than its settlement has digits for, and can never be settled',
    file: 'src/transaction/batch-load.ts',
    from: 'return count <= most.count && minor <= most.minor;',
    to: 'return count <= most.count || minor <= most.minor;',
  },
  {
    name: 'a terminal whose clock begins with the same date each day never settles by itself',
    test: 'test/terminal/daily-settlement.test.ts',
    file: 'src/terminal/daily-settlement.ts',
    from: 'return isDay || (isStart && (await this.#isBehind(now, settledAt)));',
    to: 'return isDay && id === undefined;',
  },
  {
    name: 'the daily settlement has the date for its identity, and whoever used that has ended it',
    file: 'src/terminal/daily-settlement.ts',
    from: "return `${dateOf(now)} ${Buffer.from(this.#options.random.bytes(16)).toString('hex')}`;",
    to: 'return dateOf(now);',
  },
  {
    name: 'a terminal that was off at the hour of its daily settlement does not make up for it',
    test: 'test/terminal/daily-settlement.test.ts',
    file: 'src/terminal/daily-settlement.ts',
    from: 'if (settledAt !== undefined && new Date(settledAt) < hour) return true;',
    to: '',
  },
  {
    name: 'what the bank has settled, as it told the operator, is settled again with the open batch',
    file: 'src/operator/waiting-batch.ts',
    from: "if (outcome === 'SETTLED') {",
    to: "if (outcome === 'SETTLED' && batch < 0) {",
  },
  {
    name: 'with a currency that was not settled, those that were move into the open batch',
    file: 'src/operator/waiting-batch.ts',
    from: '} else if (others.length === 0) {',
    to: '} else if (batch >= 0) {',
  },
];
