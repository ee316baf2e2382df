import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import { approves, declines, type HostScript, isDown, isSilent, postsAndIsSilent } from './scripted-host.ts';
import { ScriptedPrinter } from './scripted-printer.ts';
import { ended, sale, Stage } from './stage.ts';

let stage: Stage;
let sales = 0;
beforeEach(async () => {
  stage = new Stage();
  const { journal } = stage;
  const printer = new ScriptedPrinter();
  printer.fault = 'paper-out';
  stage.receipts = new ReceiptService({ journal, printer, sheets: () => [] });
  await stage.restart();
});
afterEach(() => stage.close());

/** What was written last of a payment whose host does this. */
async function lastOf(script: HostScript, printedBy: 'terminal' | 'pos' = 'terminal'): Promise<string[]> {
  stage.edc.onRequest = () => script;
  sales += 1;
  const { id } = ended(await stage.paid(sale(`M-${sales}`, { printedBy })));
  return stage.journal.store.read(id).map(({ event }) => event.kind);
}

for (const [name, script] of Object.entries({ postsAndIsSilent, isSilent })) {
  test(`${name}, and its reversal is not answered: a slip, in one commit with the end`, async () => {
    stage.edc.onReversal = () => ({ kind: 'unanswered' });
    assert.equal((await lastOf(script)).at(-1), 'receiptQueued');
    assert.equal(stage.trace.count('commit: ended+receiptQueued'), 1);
  });

  test(`${name}, and its reversal is acknowledged at once: nothing to ask for, no slip`, async () => {
    assert.ok(!(await lastOf(script)).includes('receiptQueued'));
  });
}

test('nothing may have been charged: no slip', async () => {
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  for (const script of [isDown, declines('51')]) assert.ok(!(await lastOf(script)).includes('receiptQueued'));
});

test('the POS prints: the terminal has no slip', async () => {
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  assert.ok(!(await lastOf(postsAndIsSilent, 'pos')).includes('receiptQueued'));
});

test('an approval has its receipt, and no second one', async () => {
  assert.equal((await lastOf(approves)).filter((kind) => kind === 'receiptQueued').length, 1);
});
