import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilities, offeredKinds } from '../../../src/base/domain/capability.ts';
import {
  type TransactionKind,
  type TransactionType,
  transactionTypes,
} from '../../../src/base/domain/transaction-kind.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { PaymentScheme } from '../../../src/base/domain/payment-scheme.ts';
import type { CurrencyCode } from '../../../src/base/domain/currency.ts';
import type { ResponseResult } from '../../../src/base/domain/reason.ts';
import { isReferenceRefusal, type ReferenceRules, checkReference } from '../../../src/payment/transaction/reference.ts';
import type { RecordTree } from '../../../src/payment/records/transaction-status.ts';
import { named, tree } from '../records/trees.ts';
import { noteReason } from '../../support/reported-reasons.ts';

const rules: ReferenceRules = { completionTolerancePercent: 15, tipPercentMax: 20, tipNeedsSignature: false };
const everything = [...new Set([...capabilities.CARD, ...capabilities.UNIONPAY])];

interface Asked {
  readonly type: TransactionType;
  readonly minor?: bigint;
  readonly currency?: CurrencyCode;
  readonly tipMinor?: bigint;
  readonly settled?: boolean;
  readonly possible?: readonly TransactionKind[];
  readonly lacking?: readonly TransactionKind[];
  readonly rules?: Partial<ReferenceRules>;
}

function answer(asked: Asked, original: RecordTree | undefined) {
  const {
    type,
    minor = 3000n,
    currency = 'HKD',
    tipMinor,
    settled = false,
    possible = everything,
    lacking = [],
  } = asked;
  const request = { type, amount: { minor, currency }, ...(tipMinor === undefined ? {} : { tipMinor }) };
  const reported = checkReference(
    request,
    original,
    settled,
    { offered: possible, lacking },
    { ...rules, ...asked.rules },
  );
  if ('reason' in reported) noteReason(reported.reason);
  return reported;
}

const namedField = '/originalTerminalTransactionId';

function refuses(
  name: string,
  asked: Asked,
  original: RecordTree | undefined,
  [result, words, pointer = namedField]: readonly [ResponseResult, RegExp, string?],
): void {
  test(`refused: ${name}`, () => {
    const refusal = answer(asked, original);
    assert.ok(isReferenceRefusal(refusal), 'it is allowed');
    assert.equal(refusal.result, result);
    assert.equal(refusal.pointer, pointer);
    assert.match(refusal.message, words);
  });
}

function allows(name: string, asked: Asked, original: RecordTree, kind: TransactionKind, tipMinor = 0n): void {
  test(`allowed: ${name}`, () => assert.deepEqual(answer(asked, original), { kind, tipMinor }));
}

const status = 'INVALID_TRANSACTION_STATUS';
const amount = (words: RegExp) => ['INVALID_PARAMETER', words, '/requestAmount'] as const;

/** Read off the tables of the interface: what each kind may name. */
const originalsOf: Readonly<Partial<Record<TransactionType, readonly TransactionKind[]>>> = {
  TIP_ADJUST: ['SALE', 'OFFLINE_SALE'],
  OFFLINE_SALE: ['AUTH'],
  AUTH_COMP: ['AUTH'],
  REFUND: ['SALE', 'OFFLINE_SALE', 'AUTH_COMP'],
  VOID_SALE: ['SALE'],
  VOID_AUTH: ['AUTH'],
  VOID_OFFLINE: ['OFFLINE_SALE'],
  VOID_AUTH_COMP: ['AUTH_COMP'],
  VOID_REFUND: ['REFUND'],
  VOID: ['SALE', 'AUTH', 'OFFLINE_SALE', 'AUTH_COMP', 'REFUND'],
};
const voidsOf: Readonly<Partial<Record<TransactionKind, TransactionKind>>> = {
  SALE: 'VOID_SALE',
  AUTH: 'VOID_AUTH',
  OFFLINE_SALE: 'VOID_OFFLINE',
  AUTH_COMP: 'VOID_AUTH_COMP',
  REFUND: 'VOID_REFUND',
};

for (const type of transactionTypes) {
  const originals = originalsOf[type];
  const minor = type === 'TIP_ADJUST' ? 3001n : 3000n;
  test(`${type} names ${originals?.join(', ') ?? 'nothing'} and no other kind`, () => {
    for (const original of transactionTypes) {
      if (original === 'VOID') continue;
      const given = answer({ type, minor }, tree(original));
      if (originals?.includes(original)) {
        const kind = type === 'VOID' ? voidsOf[original] : type;
        assert.deepEqual(given, { kind, tipMinor: minor - 3000n }, original);
      } else {
        assert.ok(isReferenceRefusal(given), original);
        assert.equal(given.result, status, original);
        assert.equal(given.pointer, namedField, original);
      }
    }
  });
}

for (const type of ['VOID', 'VOID_SALE', 'REFUND', 'TIP_ADJUST', 'AUTH_COMP', 'OFFLINE_SALE'] as const) {
  const kind = type === 'AUTH_COMP' || type === 'OFFLINE_SALE' ? 'AUTH' : 'SALE';
  const minor = type === 'TIP_ADJUST' ? 3100n : 3000n;
  refuses(`${type} of an unknown transaction`, { type, minor }, undefined, ['NOT_FOUND', /no transaction/]);
  for (const end of ['declined', 'reversed', 'unfinished'] as const) {
    refuses(`${type} of one that is ${end}`, { type, minor }, tree(kind, { end }), [status, /not approved/]);
  }
  const voided = tree(kind, { later: [tree(kind === 'AUTH' ? 'VOID_AUTH' : 'VOID_SALE')] });
  refuses(`${type} of a voided one`, { type, minor }, voided, ['TRANSACTION_ALREADY_CANCEL', /released|voided/]);
  refuses(`${type} in another currency`, { type, minor, currency: 'USD' }, tree(kind), [
    'INVALID_CURRENCY',
    /currency/,
    '/currency',
  ]);
  refuses(`${type} that the acquirer does not offer`, { type, minor, possible: ['SALE'] }, tree(kind), [
    'INVALID_PARAMETER',
    /not possible/,
    '/transactionType',
  ]);
}

// Voids: whole, once, before anything else came of it and before it is settled.
for (const minor of [2999n, 3001n, 0n]) {
  refuses(`a void of ${minor} of 3000`, { type: 'VOID', minor }, tree('SALE'), amount(/whole amount, 30\.00/));
}
for (const [kind, type] of Object.entries(voidsOf) as [TransactionKind, TransactionKind][]) {
  if (kind === 'AUTH') allows('VOID_AUTH of a settled batch', { type, settled: true }, tree(kind), type);
  else refuses(`${type} of a settled batch`, { type, settled: true }, tree(kind), [status, /settled/]);
}
const refunded = (...later: RecordTree[]) => tree('SALE', { later });
const refund = (minor: bigint, later: readonly RecordTree[] = []) => tree('REFUND', { minor, later });
refuses('void of a refunded sale', { type: 'VOID' }, refunded(refund(1n)), [status, /refunded/]);
allows('void after the refund was voided', { type: 'VOID' }, refunded(refund(1n, [tree('VOID_REFUND')])), 'VOID_SALE');
allows('void after a declined void', { type: 'VOID' }, refunded(tree('VOID_SALE', { end: 'declined' })), 'VOID_SALE');
allows('void after a reversed void', { type: 'VOID' }, refunded(tree('VOID_SALE', { end: 'reversed' })), 'VOID_SALE');
const completed = tree('AUTH', { later: [tree('AUTH_COMP')] });
const completionVoided = tree('AUTH', { later: [tree('AUTH_COMP', { later: [tree('VOID_AUTH_COMP')] })] });
refuses('void of a completed auth', { type: 'VOID' }, completed, [status, /completed/]);
allows('void of an auth whose completion was voided', { type: 'VOID' }, completionVoided, 'VOID_AUTH');
const tipped = tree('SALE', { later: [tree('TIP_ADJUST', { minor: 3300n, tipMinor: 300n })] });
allows('void of the adjusted total', { type: 'VOID', minor: 3300n }, tipped, 'VOID_SALE', 300n);
refuses('void of the total before its tip', { type: 'VOID' }, tipped, amount(/33\.00/));
refuses('void of the adjusted total and one cent', { type: 'VOID', minor: 3301n }, tipped, amount(/33\.00/));

// Completions: once, up to the tolerance, also after a settlement.
allows('a completion of all', { type: 'AUTH_COMP' }, tree('AUTH'), 'AUTH_COMP');
allows('a completion of less', { type: 'AUTH_COMP', minor: 1n }, tree('AUTH'), 'AUTH_COMP');
allows('a completion at the tolerance', { type: 'AUTH_COMP', minor: 3450n }, tree('AUTH'), 'AUTH_COMP');
refuses('a completion above it', { type: 'AUTH_COMP', minor: 3451n }, tree('AUTH'), amount(/at most 34\.50/));
allows('a tolerance rounded down', { type: 'AUTH_COMP', minor: 113n }, tree('AUTH', { minor: 99n }), 'AUTH_COMP');
refuses('not rounded up', { type: 'AUTH_COMP', minor: 114n }, tree('AUTH', { minor: 99n }), amount(/at most 1\.13/));
const strict = { completionTolerancePercent: 0 };
refuses('no tolerance', { type: 'AUTH_COMP', minor: 3001n, rules: strict }, tree('AUTH'), amount(/30\.00/));
refuses('a second completion', { type: 'AUTH_COMP' }, completed, [status, /completed/]);
allows('a completion after the first was voided', { type: 'AUTH_COMP' }, completionVoided, 'AUTH_COMP');
allows('a completion of a settled batch', { type: 'AUTH_COMP', settled: true }, tree('AUTH'), 'AUTH_COMP');

// An offline sale completes an authorization in the same way, for cards without AUTH_COMP.
const capture = (minor = 3000n, more: Partial<Asked> = {}): Asked => ({ type: 'OFFLINE_SALE', minor, ...more });
const captured = tree('AUTH', { later: [tree('OFFLINE_SALE', { originalId: named('AUTH-1') })] });
const captureVoided = tree('AUTH', {
  later: [tree('OFFLINE_SALE', { originalId: named('AUTH-1'), later: [tree('VOID_OFFLINE')] })],
});
const released = tree('AUTH', { later: [tree('VOID_AUTH')] });
allows('a capture of all', capture(), tree('AUTH'), 'OFFLINE_SALE');
allows('a capture of less, settled', capture(1n, { settled: true }), tree('AUTH'), 'OFFLINE_SALE');
refuses('a capture of a cent more', capture(3001n, { rules: strict }), tree('AUTH'), amount(/at most 30\.00/));
refuses('a second capture', capture(), captured, [status, /completed/]);
refuses('AUTH_COMP after a capture', { type: 'AUTH_COMP' }, captured, [status, /completed/]);
refuses('a capture after AUTH_COMP', capture(), completed, [status, /completed/]);
refuses('a release after a capture', { type: 'VOID' }, captured, [status, /completed/]);
allows('a capture after the first was voided', capture(), captureVoided, 'OFFLINE_SALE');
allows('a release after the capture was voided', { type: 'VOID' }, captureVoided, 'VOID_AUTH');
refuses('a capture after a release', capture(), released, ['TRANSACTION_ALREADY_CANCEL', /released/]);
refuses('a second release', { type: 'VOID' }, released, ['TRANSACTION_ALREADY_CANCEL', /released/]);
const capturing = tree('OFFLINE_SALE', { originalId: named('AUTH-1') });
refuses('a tip on a capture', { type: 'TIP_ADJUST', minor: 3001n }, capturing, [status, /takes no tip/]);
allows('a refund of a capture', { type: 'REFUND' }, capturing, 'REFUND');
allows('a void of a capture', { type: 'VOID' }, capturing, 'VOID_OFFLINE');

test('each refusal about an authorization has a reason of its own', () => {
  const reasonOf = (asked: Asked, original: RecordTree) => {
    const refusal = answer(asked, original);
    return isReferenceRefusal(refusal) ? refusal.reason : 'allowed';
  };
  assert.deepEqual(
    [
      reasonOf(capture(), captured),
      reasonOf(capture(), released),
      reasonOf(capture(3000n, { currency: 'USD' }), tree('AUTH')),
      reasonOf(capture(9000n), tree('AUTH')),
      reasonOf(capture(), tree('SALE')),
    ],
    ['originalCompleted', 'originalReleased', 'currencyOfOriginal', 'aboveCompletion', 'originalOfOtherKind'],
  );
});

// The card number of a payment is erased once it is settled, and of an authorization as it goes to the archive.
const erased = (type: TransactionKind): RecordTree => {
  const { record, later } = tree(type);
  const { intent } = record;
  assert.ok(intent && 'card' in intent);
  return { record: { ...record, intent: { ...intent, ksn: '', encryptedPan: '' } }, later };
};
for (const type of ['AUTH_COMP', 'OFFLINE_SALE', 'VOID_AUTH'] as const)
  refuses(`${type} of an authorization without its card number`, { type, settled: true }, erased('AUTH'), [
    status,
    /not kept/,
  ]);
refuses('a void of a settled sale without its card number', { type: 'VOID', settled: true }, erased('SALE'), [
  status,
  /settled/,
]);
allows('a refund of a sale without its card number', { type: 'REFUND', settled: true }, erased('SALE'), 'REFUND');

// Refunds: in parts, together never above the total, also after a settlement.
allows('a refund of all, settled', { type: 'REFUND', settled: true }, tree('SALE'), 'REFUND');
refuses('a refund of one cent more', { type: 'REFUND', minor: 3001n }, tree('SALE'), amount(/at most 30\.00/));
const twice = refunded(refund(1000n), refund(500n), refund(700n, [tree('VOID_REFUND')]), refund(2n, []));
allows('the rest after partial refunds', { type: 'REFUND', minor: 1498n }, twice, 'REFUND');
refuses('one cent above the rest', { type: 'REFUND', minor: 1499n }, twice, amount(/at most 14\.98/));
refuses('a refund of what is refunded', { type: 'REFUND', minor: 1n }, refunded(refund(3000n)), amount(/0\.00/));
allows('a refund with its adjusted tip', { type: 'REFUND', minor: 3300n }, tipped, 'REFUND');
refuses('a refund above the adjusted tip', { type: 'REFUND', minor: 3301n }, tipped, amount(/33\.00/));

// Tips: once, more than nothing, up to the limit, before the settlement.
const tip = (minor: bigint, more: Partial<Asked> = {}): Asked => ({ type: 'TIP_ADJUST', minor, ...more });
allows('the smallest tip', tip(3001n), tree('SALE'), 'TIP_ADJUST', 1n);
allows('the largest tip', tip(3600n), tree('SALE'), 'TIP_ADJUST', 600n);
refuses('a cent above it', tip(3601n), tree('SALE'), amount(/20 % tip/));
refuses('no tip', tip(3000n), tree('SALE'), amount(/more than 30\.00/));
refuses('less than the sale', tip(2999n), tree('SALE'), amount(/more than 30\.00/));
const withTip = tree('SALE', { minor: 3300n, tipMinor: 300n });
allows('a lower tip than the first', tip(3100n), withTip, 'TIP_ADJUST', 100n);
allows('the limit counts from the base', tip(3600n), withTip, 'TIP_ADJUST', 600n);
refuses('the limit is not of the total with tip', tip(3601n), withTip, amount(/20 % tip/));
allows('tipAmount that fits', tip(3300n, { tipMinor: 300n }), tree('SALE'), 'TIP_ADJUST', 300n);
refuses('tipAmount a cent off', tip(3300n, { tipMinor: 299n }), tree('SALE'), amount(/plus tipAmount/));
refuses('a second adjust', tip(3300n), tipped, [status, /adjusted before/]);
allows('after a reversed adjust', tip(3300n), refunded(tree('TIP_ADJUST', { end: 'reversed' })), 'TIP_ADJUST', 300n);
refuses('a tip on a refunded sale', tip(3300n), refunded(refund(1n)), [status, /refunded/]);
refuses('a tip on a settled sale', tip(3300n, { settled: true }), tree('SALE'), [status, /settled/]);
const signed = { rules: { tipNeedsSignature: true } };
refuses('a tip nobody signed for', tip(3300n, signed), tree('SALE'), [status, /sign/]);
const signature = tree('SALE', { authenticationMethod: 'SIGNATURE' });
allows('a tip that was signed for', tip(3300n, signed), signature, 'TIP_ADJUST', 300n);

test('JPY and KWD are told with their own decimals', () => {
  const reported = (currency: CurrencyCode) => {
    const refusal = answer({ type: 'VOID', minor: 1n, currency }, tree('SALE', { currency }));
    return isReferenceRefusal(refusal) ? refusal.message : 'allowed';
  };
  assert.match(reported('JPY'), /3000$/);
  assert.match(reported('KWD'), /3\.000$/);
});

/** A wallets' acquirer, whose host gives no FPS payment back, and those without any way back. */
const others = [
  {
    id: acquirerId('QR'),
    brands: ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'],
    lacking: { FPS: ['REFUND', 'VOID_SALE', 'VOID_REFUND'] },
  },
  { id: acquirerId('OCTOPUS'), brands: ['OCTOPUS'] },
  { id: acquirerId('EPS'), brands: ['EPS'] },
  { id: acquirerId('CASH'), brands: ['CASH'] },
] as const;

for (const [method, sale, refund] of [
  ['ALIPAY', ['REFUND', 'VOID_SALE', 'VOID'], ['VOID_REFUND', 'VOID']],
  ['WECHAT', ['REFUND', 'VOID_SALE', 'VOID'], ['VOID_REFUND', 'VOID']],
  ['UPI_QR', ['REFUND', 'VOID_SALE', 'VOID'], ['VOID_REFUND', 'VOID']],
  ['FPS', [], []],
  ['OCTOPUS', [], []],
  ['EPS', [], []],
  ['CASH', [], []],
] as const satisfies (readonly [PaymentScheme, readonly string[], readonly string[]])[]) {
  test(`what may name a sale by ${method}, and a refund of one`, () => {
    const possible = offeredKinds(method, others);
    const naming = (original: 'SALE' | 'REFUND') =>
      transactionTypes.filter((type) => {
        const minor = type === 'TIP_ADJUST' ? 3001n : 3000n;
        const given = answer({ type, minor, possible }, tree(original));
        if (isReferenceRefusal(given) && originalsOf[type]?.includes(original)) {
          assert.deepEqual([given.result, given.pointer], ['INVALID_PARAMETER', '/transactionType'], type);
        }
        return !isReferenceRefusal(given);
      });
    assert.deepEqual(naming('SALE').toSorted(), sale.toSorted());
    assert.deepEqual(naming('REFUND').toSorted(), refund.toSorted());
  });
}

refuses('a sale of which nobody knows yet', { type: 'VOID_SALE' }, tree('SALE', { end: 'unknown' }), [
  status,
  /not approved/,
]);
allows('a sale that came out well', { type: 'VOID_SALE' }, tree('SALE', { end: 'resolved' }), 'VOID_SALE');
