import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { plainLayout } from '../../../src/receipt/layout.ts';
import type { PresentedCard } from '../../../src/base/ports/card-reader.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { PaperService } from '../../../src/payment/terminal/paper.ts';
import { printAgain } from '../../../src/payment/terminal/print-again.ts';
import { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import { settled } from '../../support/manual-clock.ts';
import { assertClean, durable, ending, kindsOf } from './method-stage.ts';
import { declines } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { ScriptedPrinter } from './scripted-printer.ts';
import { about, ended, type Equipment, sale, Stage, timeouts } from './stage.ts';

const signatureMs = 45_000;
const strokes = [
  [10, 20, 30, 40],
  [50, 60, 70, 80, 90, 100],
];

let stage: Stage;
let printer: ScriptedPrinter;
let paper: PaperService;
let receipts: ReceiptService;

function open(equipment: Equipment = {}, merchantCopy: 'always' | 'signature' | 'never' = 'signature'): void {
  printer = new ScriptedPrinter();
  const onFailure = (error: unknown) => stage.failures.push(error);
  paper = new PaperService({
    shop: { name: 'Shop', address: '', phone: '', email: '', logo: '' },
    timeZone: 'UTC',
    language: 'en',
    columns: 48,
    merchantCopy,
    layout: plainLayout,
    printer,
    onFailure,
  });
  receipts = new ReceiptService({
    get journal() {
      return stage.journal;
    },
    printer,
    sheets: (each) => paper.sheets(each),
    onFailure,
  });
  stage = new Stage(receipts, { signatureMs, ...equipment });
}

beforeEach(() => open());
afterEach(async () => {
  await receipts.close();
  stage.close();
});

/** A card whose holder must sign: transaction CVM 01. */
function signing(): PresentedCard {
  const { emv, ...rest } = card();
  return { ...rest, emv: new Map([...emv, ['DF52', Uint8Array.of(1)] as const]) };
}

async function paid(
  messageId = 'M-1',
  fields: Partial<PaymentRequest> = {},
  presented = signing(),
): Promise<PayAnswer> {
  const armed = stage.trace.count('reader: armed') + 1;
  const answer = stage.terminal.pay(sale(messageId, fields));
  await stage.trace.seen('reader: armed', armed);
  stage.reader.answer({ kind: 'card', card: presented });
  const result = await answer;
  await settled();
  return result;
}

const shown = () => stage.views.at(-1);
const signed = (messageId = 'M-1') => kindsOf(stage, messageId).filter((kind) => kind === 'signed').length;
const copies = () => printer.paper.map((each) => [...each.matchAll(/(MERCHANT|CUSTOMER) COPY/g)].map(([, who]) => who));

describe('a customer who must sign', () => {
  test('is asked to on the screen, once the approval is durable and its POS has the answer', async () => {
    const record = ended(await paid());
    assert.equal(ending(record), 'SUCCESS');
    assert.deepEqual(kindsOf(stage), ['accepted', 'intent', 'answered', 'ended', 'receiptQueued']);
    assert.deepEqual(shown(), {
      scene: 'sign',
      transaction: record.id,
      amount: '30.00',
      currency: 'HKD',
      kind: 'SALE',
    });
    assert.equal(stage.terminal.running, undefined, 'the terminal is free');
    assert.deepEqual(printer.paper, [], 'the slip waits');
  });

  test('signs, and the merchant accepts: kept, no slip to sign, and then the idle screen', async () => {
    const { id } = ended(await paid());
    stage.act({ kind: 'sign', strokes });
    assert.partialDeepStrictEqual(shown(), { scene: 'checkSignature', transaction: id, signature: strokes });
    assert.equal(signed(), 0, 'nothing is kept before the merchant has seen it');
    stage.act({ kind: 'acceptSignature' });
    await settled();
    assert.deepEqual(durable(stage).signature, strokes);
    assert.deepEqual(copies(), [['CUSTOMER']]);
    assert.partialDeepStrictEqual(shown(), { scene: 'approved', reported: { next: 'thanks' } });
    await stage.clock.advance(timeouts.outcomeMs);
    assert.deepEqual(shown(), { scene: 'idle' });
    assert.deepEqual(stage.clock.pendingMs, []);
    assertClean(stage);
  });

  test('signs again where the merchant asks for it: only the last one is kept', async () => {
    await paid();
    stage.act({ kind: 'sign', strokes: [[1, 1, 2, 2]] });
    stage.act({ kind: 'signAgain' });
    assert.equal(shown()?.scene, 'sign');
    assert.equal(shown()?.signature, undefined);
    stage.act({ kind: 'sign', strokes });
    stage.act({ kind: 'acceptSignature' });
    await settled();
    assert.equal(signed(), 1);
    assert.deepEqual(durable(stage).signature, strokes);
  });

  for (const [when, before] of [
    ['at once', () => undefined],
    ['after the merchant has seen a signature', () => stage.act({ kind: 'sign', strokes })],
  ] as const) {
    test(`signs on paper, ${when}: the slip has its line`, async () => {
      await paid();
      before();
      stage.act({ kind: 'signOnPaper' });
      await settled();
      assert.equal(signed(), 0);
      assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
      assert.match(printer.paper[0] ?? '', /X_{47}\n +CUSTOMER SIGNATURE/);
      assert.partialDeepStrictEqual(shown(), { scene: 'approved', reported: { next: 'sign' } });
    });
  }

  test('does not sign in time: the slip has its line', async () => {
    await paid();
    await stage.clock.advance(signatureMs - 1);
    assert.deepEqual([shown()?.scene, printer.paper], ['sign', []]);
    await stage.clock.advance(1);
    await settled();
    assert.equal(signed(), 0);
    assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
    assert.partialDeepStrictEqual(shown(), { scene: 'approved', reported: { next: 'sign' } });
    await stage.clock.advance(timeouts.outcomeMs);
    assert.deepEqual(shown(), { scene: 'idle' });
  });

  test('has signed, and nobody looks at it in time: it is kept', async () => {
    await paid();
    await stage.clock.advance(signatureMs - 1);
    stage.act({ kind: 'sign', strokes });
    await stage.clock.advance(signatureMs - 1);
    await settled();
    assert.equal(shown()?.scene, 'checkSignature');
    await stage.clock.advance(1);
    await settled();
    assert.deepEqual(durable(stage).signature, strokes);
    assert.deepEqual(copies(), [['CUSTOMER']]);
  });
});

describe('the next payment', () => {
  test('has the screen at once; who has not signed signs on paper', async () => {
    await paid();
    const next = stage.terminal.pay(sale('M-2'));
    await stage.trace.seen('screen: presentCard', 2);
    await settled();
    assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']], 'the slip of the first is printed meanwhile');
    const views = stage.views.length;
    await stage.clock.advance(signatureMs);
    assert.equal(stage.views.length, views, 'nothing of the first is shown any more');
    stage.reader.present('visa');
    assert.equal(ending(ended(await next)), 'SUCCESS');
    assert.equal(signed(), 0);
    assert.equal(stage.edc.posted, 2);
  });

  test('keeps what was drawn and not yet accepted', async () => {
    await paid();
    stage.act({ kind: 'sign', strokes });
    const next = stage.terminal.pay(sale('M-2'));
    await stage.trace.seen('screen: presentCard', 2);
    await settled();
    assert.deepEqual(durable(stage).signature, strokes);
    assert.equal(shown()?.scene, 'presentCard');
    assert.deepEqual(copies(), [['CUSTOMER']]);
    stage.reader.present('visa');
    await next;
  });

  test('hears nothing that names the payment before', async () => {
    const { id } = ended(await paid());
    await paid('M-2');
    for (const kind of ['signOnPaper', 'acceptSignature', 'signAgain'] as const) stage.act({ kind, transaction: id });
    stage.act({ kind: 'sign', strokes, transaction: id });
    await settled();
    assert.deepEqual([shown()?.scene, signed(), signed('M-2')], ['sign', 0, 0]);
    stage.act({ kind: 'sign', strokes });
    stage.act({ kind: 'acceptSignature' });
    await settled();
    assert.deepEqual([signed(), signed('M-2')], [0, 1]);
  });

  test('that only repeats, or is refused, takes the screen from nobody', async () => {
    const first = ended(await paid());
    assert.equal(ended(await stage.terminal.pay(sale('M-1'))).id, first.id);
    await stage.terminal.pay(sale('M-9', { type: 'VOID_REFUND', originalId: first.id }));
    assert.equal(shown()?.scene, 'sign');
    assert.deepEqual(printer.paper, []);
  });

  test('may be the void of this one: it waits for nobody to sign', async () => {
    const first = ended(await paid());
    const voided = ended(await stage.terminal.pay(about('VOID_SALE', 'M-2', first)));
    await settled();
    assert.equal(ending(voided), 'SUCCESS');
    assert.deepEqual([signed(), signed('M-2')], [0, 0]);
    assert.equal(shown()?.scene, 'approved');
    assert.deepEqual(copies()[0], ['MERCHANT', 'CUSTOMER']);
  });
});

describe('no signature is asked for', () => {
  const untouched = async (answer: Promise<PayAnswer>) => {
    await answer;
    await settled();
    assert.ok(stage.views.every(({ scene }) => scene !== 'sign'));
  };

  test('where no page shows the screen: the slip is printed as ever', async () => {
    await receipts.close();
    stage.close();
    open({ isUnwatched: true });
    await untouched(paid());
    assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
    assert.partialDeepStrictEqual(shown(), { scene: 'approved', reported: { next: 'sign' } });
  });

  test('of who need not sign', async () => {
    await untouched(paid('M-1', {}, card()));
    assert.deepEqual(copies(), [['CUSTOMER']]);
  });

  test('of who was declined', async () => {
    stage.edc.onRequest = () => declines('05');
    await untouched(paid());
    assert.deepEqual(copies(), []);
  });

  test('where the POS prints: its answer has the line already', async () => {
    await untouched(paid('M-1', { printedBy: 'pos' }));
  });

  test('where the configuration says paper', async () => {
    stage.close();
    stage = new Stage(receipts);
    await untouched(paid());
  });
});

describe('whatever becomes of it, the payment stands', () => {
  test('a signature that can’t be written: paper, and the journal is as before', async () => {
    const before = ended(await paid());
    stage.act({ kind: 'sign', strokes });
    stage.journal.fault = (_call, operation) => operation === 'append';
    stage.act({ kind: 'acceptSignature' });
    await stage.trace.seen('screen: approved');
    stage.journal.fault = () => false;
    assert.equal(stage.failures.length > 0, true);
    assert.partialDeepStrictEqual(shown(), { scene: 'approved', reported: { next: 'sign' } });
    const after = durable(stage);
    assert.deepEqual([after.conclusion, after.amount, after.signature], [before.conclusion, before.amount, undefined]);
    assert.equal(stage.edc.posted, 1);
    assert.deepEqual(stage.edc.reversals, []);
    receipts.wake();
    await settled();
    assert.deepEqual(copies().at(-1), ['MERCHANT', 'CUSTOMER']);
  });

  test('a journal that does not answer holds up no other payment, and shows nothing over it', async () => {
    await paid();
    stage.act({ kind: 'sign', strokes });
    const hanging = Promise.withResolvers<void>();
    stage.journal.replies.set('append', hanging.promise);
    stage.act({ kind: 'acceptSignature' });
    const next = stage.terminal.pay(sale('M-2'));
    await stage.trace.seen('screen: presentCard', 2);
    stage.journal.replies.clear();
    const views = stage.views.length;
    hanging.resolve();
    await settled();
    assert.equal(stage.views.length, views);
    stage.reader.present('visa');
    assert.equal(ending(ended(await next)), 'SUCCESS');
    assert.equal(signed(), 1);
  });

  test('a power cut between approval and signature: the approval stands, the slip has its line', async () => {
    const before = ended(await paid());
    stage.act({ kind: 'sign', strokes });
    await stage.restart();
    receipts.release(before.id);
    await settled();
    assert.equal(ending(durable(stage)), 'SUCCESS');
    assert.equal(durable(stage).signature, undefined);
    assert.deepEqual(stage.edc.reversals, []);
    assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
  });

  test('a terminal that stops keeps what was drawn, and asks nobody any more', async () => {
    await paid();
    stage.act({ kind: 'sign', strokes });
    const views = stage.views.length;
    await stage.terminal.close();
    assert.deepEqual(durable(stage).signature, strokes);
    assert.equal(stage.views.length, views);
    assert.deepEqual(stage.clock.pendingMs, []);
  });
});

test('a slip that is asked for is printed at once, with its line', async () => {
  const { id } = ended(await paid());
  const tree = (await stage.terminal.recall(id)) ?? assert.fail();
  assert.equal(await printAgain(tree, 'CUSTOMER', { journal: stage.journal, paper, receipts }), undefined);
  assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
  assert.equal(shown()?.scene, 'sign', 'and the customer may still sign here');
});

test('where the version before would not know the signature’s event, the customer signs on paper', async () => {
  stage.journal.takes = (kind) => kind !== 'signed';
  const { id } = ended(await paid());
  assert.equal(shown()?.scene, 'approved');
  stage.act({ kind: 'sign', strokes });
  stage.act({ kind: 'acceptSignature' });
  await settled();
  assert.equal(signed(), 0);
  assert.equal(id, durable(stage).id);
  assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
});

test('every copy for the merchant has the signature, also on paper', async () => {
  await receipts.close();
  stage.close();
  open({}, 'always');
  const { id } = ended(await paid());
  stage.act({ kind: 'sign', strokes });
  stage.act({ kind: 'acceptSignature' });
  await settled();
  assert.deepEqual(copies(), [['MERCHANT', 'CUSTOMER']]);
  assert.match(printer.paper[0] ?? '', /SIGNED ON SCREEN/);
  assert.doesNotMatch(printer.paper[0] ?? '', /___/);
  const tree = (await stage.terminal.recall(id)) ?? assert.fail();
  assert.match(await paper.text(tree, { copy: 'MERCHANT' }), /SIGNED ON SCREEN/);
});
