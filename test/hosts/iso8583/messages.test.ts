import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AcquirerHost, ReversalOrder, UploadOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import type { OnlineOperation } from '../../../src/base/domain/transaction-kind.ts';
import { expectedMessages } from './expected-messages.ts';
import {
  authOrder,
  completionOrder,
  epsOrders,
  epsReversals,
  epsUploads,
  fallbackSaleOrder,
  offlineSaleOrder,
  pinAuthOrder,
  pinRefundOrder,
  pinSaleOrder,
  refundOrder,
  settlementOrder,
  stripeSaleOrder,
  tipAdjustOrder,
  tippedSaleOrder,
  trailerOrder,
  uploadOrders,
  voidOrder,
  voidRefundOrder,
  wideSettlementOrder,
} from './orders.ts';
import {
  answerFrame,
  bench,
  type PresentedOrder,
  reversalOrder,
  saleOrder,
  settlementAnswer,
  uploadAnswer,
} from './terminal.ts';

const deadline = { timeout: 10_000 };

interface Sent {
  readonly send: (acquirer: AcquirerHost) => Promise<{ readonly kind: string }>;
  readonly answer: string;
  readonly kind: string;
}

const voidTrace = { stan: 124, invoice: 45, batch: 7 };

function reversed(operation: OnlineOperation, repeat: boolean): Sent {
  const isVoid = operation === 'void' || operation === 'voidRefund';
  const processingCodes = { sale: '000000', auth: '000000', refund: '200000', void: '020000', voidRefund: '220000' };
  const order = { ...reversalOrder, operation, ...(isVoid ? { trace: voidTrace } : {}) };
  const stan = isVoid ? '000124' : '000123';
  return {
    send: (acquirer) => acquirer.reverse(order, repeat),
    answer: answerFrame({ mti: '0410', processingCode: processingCodes[operation], stan, approvalCode: '' }),
    kind: 'acknowledged',
  };
}

const offlineSaleAnswer = answerFrame({ mti: '0230', amount: '000000003300', stan: '000126', approvalCode: '' });
const completionAnswer = answerFrame({ mti: '0230', amount: '000000003450', stan: '000127', approvalCode: '' });
const tipAdjustAnswer = answerFrame({
  mti: '0230',
  processingCode: '020000',
  amount: '000000003500',
  stan: '000128',
  approvalCode: '',
});
const approved = 'approved';
const acknowledged = 'acknowledged';
const { sale, refund, offlineSale, completion } = uploadOrders;

/** By the names of fixtures/messages/terminal.json: how the terminal comes to send it, and what the answer leads to. */
const messages: Readonly<Record<string, Sent>> = {
  sale: { send: (a) => a.request(saleOrder), answer: answerFrame(), kind: approved },
  'sale with tip': {
    send: (a) => a.request(tippedSaleOrder),
    answer: answerFrame({ amount: '000000003300' }),
    kind: approved,
  },
  auth: { send: (a) => a.request(authOrder), answer: answerFrame({ mti: '0110' }), kind: approved },
  refund: {
    send: (a) => a.request(refundOrder),
    answer: answerFrame({ processingCode: '200000', approvalCode: '' }),
    kind: approved,
  },
  void: {
    send: (a) => a.request(voidOrder),
    answer: answerFrame({ processingCode: '020000', stan: '000124', approvalCode: '' }),
    kind: approved,
  },
  'void of a refund': {
    send: (a) => a.request(voidRefundOrder),
    answer: answerFrame({ processingCode: '220000', stan: '000124', approvalCode: '' }),
    kind: approved,
  },
  'offline sale': { send: (a) => a.advise(offlineSaleOrder, false), answer: offlineSaleAnswer, kind: acknowledged },
  completion: { send: (a) => a.advise(completionOrder, false), answer: completionAnswer, kind: acknowledged },
  'tip adjust': { send: (a) => a.advise(tipAdjustOrder, false), answer: tipAdjustAnswer, kind: acknowledged },
  'offline sale, repeated': {
    send: (a) => a.advise(offlineSaleOrder, true),
    answer: offlineSaleAnswer,
    kind: acknowledged,
  },
  'completion, repeated': {
    send: (a) => a.advise(completionOrder, true),
    answer: completionAnswer,
    kind: acknowledged,
  },
  'tip adjust, repeated': { send: (a) => a.advise(tipAdjustOrder, true), answer: tipAdjustAnswer, kind: acknowledged },
  'reversal of sale': reversed('sale', false),
  'reversal of sale, repeated': reversed('sale', true),
  'reversal of auth': reversed('auth', false),
  'reversal of auth, repeated': reversed('auth', true),
  'reversal of refund': reversed('refund', false),
  'reversal of refund, repeated': reversed('refund', true),
  'reversal of void': reversed('void', false),
  'reversal of void, repeated': reversed('void', true),
  'reversal of void of a refund': reversed('voidRefund', false),
  'reversal of void of a refund, repeated': reversed('voidRefund', true),
  settlement: { send: (a) => a.settle(settlementOrder), answer: settlementAnswer(), kind: 'balanced' },
  'settlement of more than 999': {
    send: (a) => a.settle(wideSettlementOrder),
    answer: settlementAnswer({ stan: '000131' }),
    kind: 'balanced',
  },
  trailer: {
    send: (a) => a.settle(trailerOrder),
    answer: settlementAnswer({ processingCode: '960000', stan: '000140' }),
    kind: 'balanced',
  },
  'upload of a sale, more': {
    send: (a) => a.upload(sale, false),
    answer: uploadAnswer({ processingCode: '000001', stan: '000132' }),
    kind: 'accepted',
  },
  'upload of a sale, more, repeated': {
    send: (a) => a.upload(sale, true),
    answer: uploadAnswer({ processingCode: '000001', stan: '000132' }),
    kind: 'accepted',
  },
  'upload of a refund, more': {
    send: (a) => a.upload(refund, false),
    answer: uploadAnswer({ processingCode: '200001', stan: '000133' }),
    kind: 'accepted',
  },
  'upload of an offline sale, more': {
    send: (a) => a.upload(offlineSale, false),
    answer: uploadAnswer({ processingCode: '000001', stan: '000134' }),
    kind: 'accepted',
  },
  'upload of a completion, last': {
    send: (a) => a.upload(completion, false),
    answer: uploadAnswer({ processingCode: '000000', stan: '000135' }),
    kind: 'accepted',
  },
  'sale with PIN': { send: (a) => a.request(pinSaleOrder), answer: answerFrame(), kind: approved },
  'auth with PIN': { send: (a) => a.request(pinAuthOrder), answer: answerFrame({ mti: '0110' }), kind: approved },
  'refund with PIN': {
    send: (a) => a.request(pinRefundOrder),
    answer: answerFrame({ processingCode: '200000', approvalCode: '' }),
    kind: approved,
  },
  'sale by stripe': { send: (a) => a.request(stripeSaleOrder), answer: answerFrame(), kind: approved },
  'sale by fallback, with PIN': { send: (a) => a.request(fallbackSaleOrder), answer: answerFrame(), kind: approved },
};

const epsSale = (order: PresentedOrder, answer: { processingCode: string; amount?: string }): Sent => ({
  send: (a) => a.request(order),
  answer: answerFrame(answer),
  kind: approved,
});
const epsReversal = (order: ReversalOrder, repeat: boolean, answer: { processingCode: string; amount?: string }) => ({
  send: (a: AcquirerHost) => a.reverse(order, repeat),
  answer: answerFrame({ mti: '0410', approvalCode: '', ...answer }),
  kind: acknowledged,
});
const epsUpload = (order: UploadOrder, processingCode: string): Sent => ({
  send: (a) => a.upload(order, false),
  answer: uploadAnswer({ processingCode }),
  kind: 'accepted',
});
const amount = '000000013000';

const epsMessages: Readonly<Record<string, Sent>> = {
  'EPS sale, savings': epsSale(epsOrders.savings, { processingCode: '001000' }),
  'EPS sale by stripe, current': epsSale(epsOrders.stripe, { processingCode: '002000' }),
  'EPS sale with cash back, savings': epsSale(epsOrders.cashSavings, { processingCode: '091000', amount }),
  'EPS sale with cash back by stripe, current': epsSale(epsOrders.cashStripe, { processingCode: '092000', amount }),
  'reversal of EPS sale, savings': epsReversal(epsReversals.savings, false, { processingCode: '001000' }),
  'reversal of EPS sale, savings, repeated': epsReversal(epsReversals.savings, true, { processingCode: '001000' }),
  'reversal of EPS sale with cash back by stripe, current': epsReversal(epsReversals.cashStripe, false, {
    processingCode: '092000',
    amount,
  }),
  'reversal of EPS sale with cash back by stripe, current, repeated': epsReversal(epsReversals.cashStripe, true, {
    processingCode: '092000',
    amount,
  }),
  'upload of an EPS sale, savings, more': epsUpload(epsUploads.savings, '001001'),
  'upload of an EPS sale with cash back by stripe, current, last': epsUpload(epsUploads.cashStripe, '092000'),
};

/** These have nothing that a debit host needs to know. */
const settlements = Object.fromEntries(
  Object.entries(messages).filter(([name]) => name.startsWith('settlement') || name === 'trailer'),
);

const byDialect = { EDC: messages, CUP: messages, EPS: { ...epsMessages, ...settlements } } as const;

for (const dialect of ['EDC', 'CUP', 'EPS'] as const) {
  for (const [name, { send, answer, kind }] of Object.entries(byDialect[dialect])) {
    test(`${dialect}: ${name}, byte for byte`, deadline, async (t) => {
      const { host, clock, acquirer, late } = await bench(t, { dialect });
      const outcome = send(acquirer);
      const side = await host.accepted();
      assert.equal(await side.readFrame(), expectedMessages[name]);
      await side.write(answer);
      assert.equal((await outcome).kind, kind);
      assert.deepEqual(late, []);
      assert.equal(clock.pending, 0);
    });
  }
}

test('fixtures/messages/terminal.json has exactly these messages', () => {
  const file = new URL('../../../fixtures/messages/terminal.json', import.meta.url);
  const fixtures: readonly { name: string; hex: string; source: string }[] = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(Object.fromEntries(fixtures.map(({ name, hex }) => [name, hex])), expectedMessages);
  assert.deepEqual(Object.keys({ ...messages, ...epsMessages }), Object.keys(expectedMessages));
});

test('only a card that was just presented sends its track and its PIN, and no message sends it in the clear', () => {
  for (const [name, frame] of Object.entries(expectedMessages)) {
    const bitmap = BigInt(`0x${frame.slice(18, 34)}`);
    for (const field of [2, 14, 35, 36, 45]) assert.equal((bitmap >> BigInt(64 - field)) & 1n, 0n, `${name}: ${field}`);
    const presented = /^(EPS )?(sale|auth|refund)/.test(name);
    assert.equal(frame.includes('A1A2A3A4'), presented, name);
    const withPin = presented && (name.startsWith('EPS') || name.endsWith('with PIN'));
    assert.equal((bitmap >> 12n) & 1n, withPin ? 1n : 0n, `${name}: 52`);
    assert.equal(frame.includes('DFEE51'), withPin, name);
  }
});
