import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { ReceiptService } from '../../../src/payment/terminal/receipt-service.ts';
import { cardIntentOf } from '../../../src/payment/records/payment.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import type { TransactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import {
  acknowledges,
  approves,
  declines,
  isDown,
  isSilent,
  postsAndIsSilent,
  type HostScript,
} from './scripted-host.ts';
import { maskedOnReceipt } from './scripted-reader.ts';
import { ended, sale, Stage, timeouts } from './stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

function kinds({ id }: TransactionRecord): string[] {
  return stage.journal.store.read(id).map(({ event }) => event.kind);
}

test('approved: intent, sale, answer, commit, screen and POS in this order', async () => {
  const record = ended(await stage.paid());
  assert.deepEqual(record.conclusion, {
    kind: 'ended',
    outcome: 'approved',
    result: 'SUCCESS',
    code: 0,
    message: '',
  });
  assert.deepEqual(stage.trace.events, [
    'commit: accepted',
    'reader: armed',
    'reader: card',
    'screen: presentCard',
    'screen: processing',
    'commit: intent',
    'EDC: sale',
    'commit: answered+ended',
    'screen: approved',
    'answer: ended',
  ]);
  assert.equal(stage.edc.posted, 1);
  assert.equal(cardIntentOf(record.intent)?.card.maskedPan, maskedOnReceipt);
  assert.deepEqual(record.intent?.trace, { stan: 1, invoice: 1, batch: 1 });
  assert.deepEqual(record.hostOutcome, {
    kind: 'approved',
    responseCode: '00',
    approvalCode: '123456',
    rrn: '000000000001',
    hostTime: '120000',
    hostDate: '0101',
  });
  assert.deepEqual(stage.views.at(-1), {
    scene: 'approved',
    amount: '30.00',
    currency: 'HKD',
    kind: 'SALE',
    reported: { money: 'charge-DONE', next: 'thanks' },
  });
});

test('the host gets what the card said, and track 2 is overwritten once it has answered', async () => {
  const track2 = Promise.withResolvers<Uint8Array>();
  stage.edc.onRequest = (order) => {
    assert.ok(order.operation === 'sale');
    assert.deepEqual(order.amount, { minor: 3000n, currency: 'HKD' });
    assert.equal(order.card.entryMode, 'CONTACTLESS');
    assert.equal(order.card.panSequenceNumber, '01');
    assert.ok(order.card.encryptedTrack2.every((byte) => byte === 0xc1));
    track2.resolve(order.card.encryptedTrack2);
    return approves;
  };
  ended(await stage.paid());
  assert.ok((await track2.promise).every((byte) => byte === 0));
});

test('what the journal keeps of a card is its last four digits and no track', async () => {
  const { id } = ended(await stage.paid());
  const text = JSON.stringify(stage.journal.store.read(id));
  assert.match(text, /\*{12}0119/);
  assert.doesNotMatch(text, /476173|c1c1/i);
});

const declinesAndTroubles = [
  { code: '51', result: 'DECLINED', reported: 1051, outcome: 'declined' },
  { code: '05', result: 'DECLINED', reported: 1005, outcome: 'declined' },
  { code: 'N7', result: 'DECLINED', reported: 1, outcome: 'declined' },
  { code: '91', result: 'ERROR', reported: 2, outcome: 'error' },
  { code: '96', result: 'ERROR', reported: 2, outcome: 'error' },
] as const;

for (const { code, result, reported, outcome } of declinesAndTroubles) {
  test(`the host answers ${code}: ${result} ${reported}, nothing to reverse`, async () => {
    stage.edc.onRequest = () => declines(code);
    const record = ended(await stage.paid());
    assert.equal(record.conclusion?.outcome, outcome);
    assert.equal(record.conclusion.result, result);
    assert.equal(record.conclusion.code, reported);
    assert.match(record.conclusion.message, new RegExp(code));
    assert.equal(financialImpact(record), 'NONE');
    assert.equal(stage.views.at(-1)?.scene, outcome);
    assert.deepEqual(kinds(record), ['accepted', 'intent', 'answered', 'ended']);
    assert.deepEqual(stage.edc.reversals, []);
  });
}

for (const [name, script] of Object.entries({ postsAndIsSilent, isSilent })) {
  test(`${name}: reversed before the POS hears of it`, async () => {
    stage.edc.onRequest = () => script;
    const record = ended(await stage.paid());
    assert.equal(record.conclusion?.result, 'ERROR');
    assert.equal(financialImpact(record), 'REVERSED');
    assert.equal(stage.edc.posted, 0);
    const afterwards = stage.trace.events.slice(5).filter((event) => event !== 'screen: processing');
    assert.deepEqual(afterwards, [
      'commit: intent',
      'EDC: sale',
      'commit: answered+reversalQueued',
      'commit: reversalSent',
      'EDC: reverse 1',
      'commit: reversalAcknowledged',
      'commit: ended',
      'screen: error',
      'answer: ended',
    ]);
    assert.equal(stage.views.at(-1)?.reported?.money, 'charge-REVERSED');
  });
}

test('a reversal that the host does not answer: the POS is told it is pending, and it goes on', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  const host = Promise.withResolvers<typeof acknowledges>();
  stage.edc.onReversal = () => host.promise;
  const answer = stage.paid();
  await stage.trace.seen('EDC: reverse 1');
  assert.deepEqual(stage.clock.pendingMs, [timeouts.reversalWaitMs]);
  await stage.clock.advance(timeouts.reversalWaitMs);
  const record = ended(await answer);
  assert.equal(financialImpact(record), 'REVERSAL_PENDING');
  assert.equal(stage.edc.posted, 1);

  host.resolve(acknowledges);
  await stage.trace.seen('commit: reversalAcknowledged');
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.equal(enquiry.kind === 'ended' && financialImpact(enquiry.record), 'REVERSED');
  assert.equal(stage.edc.posted, 0);
});

test('no new payment passes a pending reversal of its acquirer; another acquirer is free', async () => {
  stage.edc.onRequest = () => postsAndIsSilent;
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  ended(await stage.paid(sale('M-1')));
  const second = ended(await stage.paid(sale('M-2')));
  assert.equal(second.conclusion?.result, 'ERROR');
  assert.match(second.conclusion.message, /reversals-pending/);
  assert.equal(second.conclusion.reason, 'reversalsPending');
  const { scene, reported, ways = [] } = stage.views.at(-1) ?? assert.fail();
  assert.deepEqual(reported, {
    happened: 'cardsBankFirst',
    money: 'charge-NONE',
    next: ways.length > 0 ? 'waysThatWork' : 'tryLater',
  });
  assert.equal(scene, 'error');
  assert.equal(financialImpact(second), 'NONE');
  assert.deepEqual(kinds(second), ['accepted', 'answered', 'ended']);
  assert.equal(stage.trace.count('EDC: sale'), 1);

  const third = ended(await stage.paid(sale('M-3', { forcedAcquirer: acquirerId('CUP') })));
  assert.equal(third.conclusion?.result, 'SUCCESS');
  assert.equal(stage.cup.posted, 1);

  stage.edc.onRequest = () => approves;
  stage.edc.onReversal = () => acknowledges;
  const fourth = ended(await stage.paid(sale('M-4')));
  assert.equal(fourth.conclusion?.result, 'SUCCESS');
  assert.deepEqual([...stage.edc.books.values()], ['REVERSED', 'POSTED']);
});

test('not sent: ERROR, NONE, nothing to reverse', async () => {
  stage.edc.onRequest = () => isDown;
  const record = ended(await stage.paid());
  assert.equal(record.conclusion?.result, 'ERROR');
  assert.match(record.conclusion.message, /host-down/);
  assert.equal(financialImpact(record), 'NONE');
  assert.deepEqual(stage.edc.reversals, []);
});

test('a host adapter that throws proves nothing: it is reversed at once', async () => {
  const fault = new Error('a defect');
  stage.edc.onRequest = ({ trace }) => {
    stage.edc.books.set(trace.stan, 'POSTED');
    throw fault;
  };
  const record = ended(await stage.paid());
  assert.equal(record.conclusion?.result, 'ERROR');
  assert.equal(financialImpact(record), 'REVERSED');
  assert.equal(stage.edc.posted, 0);
  assert.ok(stage.failures.includes(fault));
});

test('a card that no acquirer takes is refused without a message to a host', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  stage.reader.present('unknown');
  const record = ended(await answer);
  assert.equal(record.conclusion?.result, 'DECLINED');
  assert.equal(record.conclusion.code, 1);
  assert.deepEqual(kinds(record), ['accepted', 'ended']);
  assert.equal(stage.views.at(-1)?.scene, 'declined');
});

test('the brand decides the acquirer, the POS may force another that takes it, and no other', async () => {
  const pay = async (messageId: string, scheme: 'visa' | 'unionpay', forced?: string) => {
    const answer = stage.terminal.pay(sale(messageId, forced ? { forcedAcquirer: acquirerId(forced) } : {}));
    await stage.trace.seen('reader: armed', Number(messageId));
    stage.reader.present(scheme);
    const { intent, conclusion } = ended(await answer);
    return intent?.acquirerId ?? conclusion?.result;
  };
  assert.equal(await pay('1', 'visa'), 'EDC');
  assert.equal(await pay('2', 'unionpay'), 'CUP');
  assert.equal(await pay('3', 'visa', 'CUP'), 'CUP');
  assert.equal(await pay('4', 'unionpay', 'EDC'), 'DECLINED');
  // Nobody takes a card for this: nothing is armed.
  const none = await stage.terminal.pay(sale('5', { forcedAcquirer: acquirerId('EPS') }));
  assert.equal(none.kind, 'refused');
});

test('a shaky card: the reader is armed again with a hint, and the time-out does not start again', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await stage.clock.advance(timeouts.collectMs - 1);
  stage.reader.answer({ kind: 'tryAgain', reason: 'collision' });
  await stage.trace.seen('reader: armed', 2);
  await settled();
  assert.equal(stage.views.at(-1)?.hint, 'oneCardOnly');
  await stage.clock.advance(1);
  assert.equal(ended(await answer).conclusion?.result, 'TIMEOUT');
  assert.ok(stage.trace.at('reader: cancelled') < stage.trace.at('commit: ended'));
});

test('a shaky card at a reader that arms itself again: the hint is shown once, until the card is read', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await settled();
  const before = stage.views.length;
  for (const reason of ['collision', 'collision', 'read-error'] as const) stage.reader.retry(reason);
  await settled();
  assert.deepEqual(
    stage.views.slice(before).map((view) => view.hint),
    ['oneCardOnly', 'presentAgain'],
  );
  assert.equal(stage.trace.count('reader: armed'), 1);
  stage.reader.present();
  assert.equal(ended(await answer).conclusion?.result, 'SUCCESS');
  assert.ok(stage.views.slice(before + 2).every((view) => view.hint === undefined));
  const reported = stage.views.length;
  stage.reader.retry('collision');
  assert.equal(stage.views.length, reported, 'a reader that is late shows nothing');
});

test('a request with its own time to present: the reader is told it, and the payment ends by it', async () => {
  const answer = stage.terminal.pay(sale('M-1', { collectMs: 30_000 }));
  await stage.trace.seen('reader: armed');
  assert.equal(stage.reader.requests[0]?.timeoutMs, 30_000);
  await stage.clock.advance(29_999);
  assert.equal(stage.terminal.running?.state, 'collecting');
  await stage.clock.advance(1);
  assert.equal(ended(await answer).conclusion?.reason, 'customerTimeout');
});

for (const code of ['absent', 'vanished', 'timeout', 'protocol', 'refused'] as const) {
  test(`the reader fails with ${code}: ERROR, NONE, and the next payment works`, async () => {
    const answer = stage.terminal.pay(sale('M-1'));
    await stage.trace.seen('reader: armed');
    stage.reader.fail(new DeviceError(code, 'words that the POS need not see'));
    const record = ended(await answer);
    assert.equal(record.conclusion?.result, 'ERROR');
    assert.match(record.conclusion.message, new RegExp(code));
    assert.doesNotMatch(record.conclusion.message, /words/);
    assert.equal(ended(await stage.paid(sale('M-2'))).conclusion?.result, 'SUCCESS');
  });
}

test('no reader: not ready, nothing is journaled, the identity is still free', async () => {
  stage.reader.state = 'connecting';
  assert.equal((await stage.terminal.pay(sale('M-1'))).kind, 'notReady');
  assert.deepEqual(await stage.terminal.enquire('POS-1', 'M-1'), { kind: 'notFound' });
  stage.reader.state = 'ready';
  assert.equal(ended(await stage.paid()).conclusion?.result, 'SUCCESS');
});

test('the outcome stays on the screen for its time, or until the next payment', async () => {
  ended(await stage.paid(sale('M-1')));
  await stage.clock.advance(timeouts.outcomeMs - 1);
  assert.equal(stage.views.at(-1)?.scene, 'approved');
  await stage.clock.advance(1);
  assert.deepEqual(stage.views.at(-1), { scene: 'idle' });

  ended(await stage.paid(sale('M-2')));
  const third = stage.terminal.pay(sale('M-3'));
  await stage.trace.seen('reader: armed', 3);
  await stage.clock.advance(timeouts.outcomeMs);
  assert.equal(stage.views.at(-1)?.scene, 'presentCard', 'the old outcome does not clear the new payment');
  stage.reader.present();
  ended(await third);
  assert.deepEqual(stage.clock.pendingMs, [timeouts.outcomeMs]);
});

test('the journal fails for good while the host approves: no outcome is claimed, on the screen neither', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = () => true;
    return approves;
  };
  assert.deepEqual(await stage.paid(), { kind: 'journalFailed', reason: 'disk I/O error', started: true });
  const { scene, reported } = stage.views.at(-1) ?? {};
  assert.equal(scene, 'error');
  assert.deepEqual(reported, { happened: 'terminalFailed', money: 'charge-UNKNOWN', next: 'askBeforePaying' });
  // Nor whether there was a payment of another identity before.
  const other = await stage.terminal.pay(sale('M-2'));
  assert.deepEqual(other, { kind: 'journalFailed', reason: 'disk I/O error', started: true });

  // The disk is back: the background recovery reverses, without a payment that asks for it.
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.posted, 0);
  const enquiry = await stage.terminal.enquire('POS-1', 'M-1');
  assert.equal(enquiry.kind === 'ended' && enquiry.record.conclusion?.result, 'ERROR');
});

test('the answer can not be written but the end can: the screen does not say that nothing was charged', async () => {
  stage.edc.onRequest = () => {
    const failAt = stage.journal.calls + 1;
    stage.journal.fault = (call) => call === failAt;
    return approves;
  };
  stage.edc.onReversal = () => ({ kind: 'unanswered' });
  const record = ended(await stage.paid());
  assert.equal(record.conclusion?.result, 'DATABASE_ERROR');
  assert.equal(financialImpact(record), 'REVERSAL_PENDING');
  assert.equal(stage.views.at(-1)?.reported?.money, 'charge-REVERSAL_PENDING');
  stage.edc.onReversal = () => acknowledges;
  await stage.clock.advance(60_000);
  assert.equal(stage.edc.posted, 0);
});

test('neither answer nor end can be written: the screen does not say that nothing was charged', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = (_call, operation) => operation === 'append';
    return approves;
  };
  const record = ended(await stage.paid());
  assert.equal(financialImpact(record), 'REVERSAL_PENDING');
  assert.equal(stage.views.at(-1)?.reported?.money, 'charge-REVERSAL_PENDING');
});

test('a commit that stands though it was reported as failed: the approval holds and is told', async () => {
  stage.edc.onRequest = () => {
    const answer = stage.journal.calls + 1;
    stage.journal.misreport = (call) => call === answer;
    return approves;
  };
  const record = ended(await stage.paid());
  assert.equal(record.conclusion?.result, 'SUCCESS');
  assert.deepEqual(kinds(record), ['accepted', 'intent', 'answered', 'ended']);
  await stage.restart();
  await stage.clock.advance(60_000);
  assert.equal(stage.edc.posted, 1);
  assert.deepEqual(stage.edc.reversals, []);
});

test('what the journal could not take is reversed before the next payment is sent', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = (_call, operation) => operation === 'append';
    return approves;
  };
  ended(await stage.paid(sale('M-1')));
  assert.equal(stage.edc.posted, 1);

  // Still broken: no payment begins, and the recovery stays due.
  stage.journal.fault = (_call, operation) => operation === 'unfinished';
  assert.deepEqual(await stage.terminal.pay(sale('M-2')), {
    kind: 'journalFailed',
    reason: 'disk I/O error',
    started: false,
  });

  stage.journal.fault = () => false;
  stage.edc.onRequest = () => {
    assert.deepEqual([...stage.edc.books.values()], ['REVERSED']);
    return approves;
  };
  assert.equal(ended(await stage.paid(sale('M-3'))).conclusion?.result, 'SUCCESS');
  assert.deepEqual([...stage.edc.books.values()], ['REVERSED', 'POSTED']);
});

test('a journal that stays broken is tried again and again, and told each time', async () => {
  stage.edc.onRequest = () => {
    stage.journal.fault = () => true;
    return approves;
  };
  await stage.paid();
  const before = stage.failures.length;
  await stage.clock.advance(60_000);
  assert.equal(stage.failures.length - before, 6);
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  assert.equal(stage.edc.posted, 0);
  const after = stage.failures.length;
  await stage.clock.advance(600_000);
  assert.equal(stage.failures.length, after);
  assert.deepEqual(stage.clock.pendingMs, []);
});

test('a recovery while a payment runs leaves that alone', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  await stage.terminal.recover();
  stage.reader.present();
  const record = ended(await answer);
  assert.equal(record.conclusion?.result, 'SUCCESS');
  assert.deepEqual(kinds(record), ['accepted', 'intent', 'answered', 'ended']);
});

test('an end that could not be written is told again as it was told first', async () => {
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed');
  stage.journal.fault = (_call, operation) => operation === 'append';
  await stage.clock.advance(timeouts.collectMs);
  const reported = ended(await answer).conclusion;
  assert.equal(reported?.result, 'TIMEOUT');
  stage.journal.fault = () => false;
  await stage.clock.advance(10_000);
  const again = ended(await stage.terminal.pay(sale('M-1'))).conclusion;
  assert.equal(again?.result, 'TIMEOUT');
  assert.equal(again.message, reported.message);
});

test('who prints: where the terminal does, a receipt is queued with the approval, in the same commit, and with nothing else', async () => {
  const receipts = new ReceiptService({
    journal: stage.journal,
    printer: {
      name: 'no paper',
      state: 'ready',
      fault: 'paper-out',
      onState: () => () => undefined,
      onFaultChange: () => () => undefined,
      prepare: async () => undefined,
      status: async () => ({ fault: 'paper-out', paperNearEnd: false }),
      print: async () => 'paper-out',
      openDrawer: async () => undefined,
      close: async () => undefined,
    },
    sheets: () => [],
  });
  stage.receipts = receipts;
  await stage.restart();
  const queuedFor = async (messageId: string, printedBy: 'terminal' | 'pos', script: HostScript) => {
    stage.edc.onRequest = () => script;
    return kinds(ended(await stage.paid(sale(messageId, { printedBy })))).includes('receiptQueued');
  };
  assert.equal(await queuedFor('M-1', 'terminal', approves), true);
  assert.equal(stage.trace.count('commit: answered+ended+receiptQueued'), 1);
  assert.equal(await queuedFor('M-2', 'pos', approves), false);
  assert.equal(await queuedFor('M-3', 'terminal', declines('51')), false);
  assert.equal(await queuedFor('M-4', 'terminal', postsAndIsSilent), false);
});
