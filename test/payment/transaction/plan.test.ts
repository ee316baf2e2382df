import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Instrument, instruments } from '../../../src/base/domain/capability.ts';
import type { TransactionKind } from '../../../src/base/domain/transaction-kind.ts';
import {
  type collectModes,
  type PreferredEntryMode,
  preferredEntryModes,
  paymentSchemes,
} from '../../../src/base/domain/payment-scheme.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { PaymentTerms } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { type Collectable, chooseModes } from '../../../src/payment/transaction/collectable.ts';
import { isPlanRefusal, planPayment } from '../../../src/payment/transaction/plan.ts';
import { type Equipment, terminalCapabilitiesOf } from './terminal-capabilities.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import { octopusLimits } from '../../../src/base/ports/octopus-reader.ts';
import { noteReason } from '../../support/reported-reasons.ts';

type CollectMode = (typeof collectModes)[number];
type Answer = ReturnType<typeof chooseModes>;

/** Of those whom the request may mean. */
function collectable(terms: PaymentTerms, own: readonly AcquirerProfile[], equipment: Equipment): Answer {
  const { forcedAcquirer: forced } = terms;
  const allowed = own.filter(({ id }) => forced === undefined || id === forced);
  const reported = chooseModes(terms, terminalCapabilitiesOf(allowed, equipment));
  if ('reason' in reported) noteReason(reported.reason);
  return reported;
}

function isUncollectable(answer: Answer): answer is Exclude<Answer, Collectable> {
  return 'pointer' in answer;
}

const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;
const everything: Equipment = { scanner: true, pinPad: true };

const profiles: readonly AcquirerProfile[] = [
  { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'] },
  { id: acquirerId('CUP'), brands: ['UNIONPAY'] },
  { id: acquirerId('EPS'), brands: ['EPS'] },
  {
    id: acquirerId('QR'),
    brands: ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR'],
    scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
    presented: ['ALIPAY', 'WECHAT', 'FPS'],
  },
  { id: acquirerId('OCTOPUS'), brands: ['OCTOPUS'], limits: octopusLimits },
  { id: acquirerId('CASH'), brands: ['CASH'] },
];

const sale: PaymentTerms = { type: 'SALE', amount: hkd(3000n) };
const every = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'] as const;

interface Case {
  readonly name: string;
  readonly terms?: Partial<PaymentTerms>;
  readonly equipment?: Partial<Equipment>;
  readonly profiles?: readonly AcquirerProfile[];
  /** The field that is refused, or modes and start. */
  readonly is: string | readonly [modes: readonly CollectMode[], start?: CollectMode];
}

const without = (...ids: string[]) => profiles.filter(({ id }) => !ids.includes(id));
const only = (...ids: string[]) => profiles.filter(({ id }) => ids.includes(id));
const forced = (id: string) => ({ forcedAcquirer: acquirerId(id) });

const cases: readonly Case[] = [
  { name: 'nothing said', is: [every] },
  { name: 'nothing said, one mode alone', profiles: only('EDC'), is: [['CARD'], 'CARD'] },
  { name: 'CARD', terms: { preferredEntryMode: 'CARD' }, is: [every, 'CARD'] },
  { name: 'QR_SCAN', terms: { preferredEntryMode: 'QR_SCAN' }, is: [every, 'QR_SCAN'] },
  { name: 'QR_PRESENT', terms: { preferredEntryMode: 'QR_PRESENT' }, is: [every, 'QR_PRESENT'] },
  { name: 'CASH', terms: { preferredEntryMode: 'CASH' }, is: [every, 'CASH'] },
  { name: 'DEFAULT', terms: { preferredEntryMode: 'DEFAULT' }, is: [every] },
  { name: 'a card brand', terms: { preferredInstrument: 'VISA' }, is: [every, 'CARD'] },
  { name: 'any card', terms: { preferredInstrument: 'CARD' }, is: [every, 'CARD'] },
  { name: 'any code: scanned where it can be', terms: { preferredInstrument: 'QR' }, is: [every, 'QR_SCAN'] },
  { name: 'a wallet that is only shown', terms: { preferredInstrument: 'FPS' }, is: [every, 'QR_PRESENT'] },
  { name: 'a wallet that is only scanned', terms: { preferredInstrument: 'UPI_QR' }, is: [every, 'QR_SCAN'] },
  { name: 'Octopus', terms: { preferredInstrument: 'OCTOPUS' }, is: [every, 'OCTOPUS'] },
  { name: 'EPS', terms: { preferredInstrument: 'EPS' }, is: [every, 'EPS'] },
  {
    name: 'EPS as a card',
    terms: { preferredInstrument: 'EPS', preferredEntryMode: 'CARD' },
    is: [every, 'EPS'],
  },
  {
    name: 'a wallet and its own way',
    terms: { preferredInstrument: 'ALIPAY', preferredEntryMode: 'QR_PRESENT' },
    is: [every, 'QR_PRESENT'],
  },

  { name: 'a forced acquirer leaves no choice', terms: forced('EDC'), is: [['CARD'], 'CARD'] },
  { name: 'a forced wallet acquirer', terms: forced('QR'), is: [['QR_SCAN', 'QR_PRESENT']] },
  { name: 'a forced acquirer of cash', terms: forced('CASH'), is: [['CASH'], 'CASH'] },
  {
    name: 'a forced acquirer and another instrument',
    terms: { ...forced('EDC'), preferredInstrument: 'OCTOPUS' },
    is: '/preferredInstrument',
  },
  {
    name: 'a forced acquirer and another way',
    terms: { ...forced('EDC'), preferredEntryMode: 'CASH' },
    is: '/preferredEntryMode',
  },
  { name: 'a forced acquirer that is not here', terms: forced('AMEX'), is: '/transactionType' },

  {
    name: 'a card by code',
    terms: { preferredInstrument: 'VISA', preferredEntryMode: 'QR_SCAN' },
    is: '/preferredEntryMode',
  },
  {
    name: 'Octopus as a card',
    terms: { preferredInstrument: 'OCTOPUS', preferredEntryMode: 'CARD' },
    is: '/preferredEntryMode',
  },
  {
    name: 'a wallet that is never shown, shown',
    terms: { preferredInstrument: 'UPI_QR', preferredEntryMode: 'QR_PRESENT' },
    is: '/preferredEntryMode',
  },
  {
    name: 'a wallet that is never scanned, scanned',
    terms: { preferredInstrument: 'FPS', preferredEntryMode: 'QR_SCAN' },
    is: '/preferredEntryMode',
  },
  {
    name: 'Octopus where there is none',
    terms: { preferredInstrument: 'OCTOPUS' },
    profiles: without('OCTOPUS'),
    is: '/preferredInstrument',
  },

  { name: 'no scanner', equipment: { scanner: false }, is: [['CARD', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH']] },
  {
    name: 'no scanner, to be scanned',
    terms: { preferredEntryMode: 'QR_SCAN' },
    equipment: { scanner: false },
    is: '/preferredEntryMode',
  },
  {
    name: 'no scanner, a code: shown',
    terms: { preferredInstrument: 'QR' },
    equipment: { scanner: false },
    is: [['CARD', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'], 'QR_PRESENT'],
  },
  {
    name: 'no scanner, a wallet that is only scanned',
    terms: { preferredInstrument: 'UPI_QR' },
    equipment: { scanner: false },
    is: '/preferredInstrument',
  },
  { name: 'no PIN pad', equipment: { pinPad: false }, is: [['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'CASH']] },
  {
    name: 'no PIN pad, EPS',
    terms: { preferredInstrument: 'EPS' },
    equipment: { pinPad: false },
    is: '/preferredInstrument',
  },

  {
    name: 'an amount between two steps of Octopus',
    terms: { amount: hkd(3001n) },
    is: [['CARD', 'QR_SCAN', 'QR_PRESENT', 'EPS', 'CASH']],
  },
  {
    name: 'an amount between two steps of Octopus, by Octopus',
    terms: { amount: hkd(3005n), preferredInstrument: 'OCTOPUS' },
    is: '/preferredInstrument',
  },
  { name: 'ten cents', terms: { amount: hkd(10n), preferredInstrument: 'OCTOPUS' }, is: [every, 'OCTOPUS'] },
  {
    name: 'another currency by Octopus',
    terms: { amount: { minor: 3000n, currency: 'CNY' }, preferredInstrument: 'OCTOPUS' },
    is: '/preferredInstrument',
  },
  {
    name: 'a forced Octopus and an amount that it has not',
    terms: { ...forced('OCTOPUS'), amount: hkd(1n) },
    is: '/transactionType',
  },

  { name: 'cash back: EPS alone', terms: { cashbackMinor: 1000n }, is: [['EPS'], 'EPS'] },
  {
    name: 'cash back by card: EPS',
    terms: { cashbackMinor: 1000n, preferredEntryMode: 'CARD' },
    is: [['EPS'], 'EPS'],
  },
  {
    name: 'cash back and another instrument',
    terms: { cashbackMinor: 1000n, preferredInstrument: 'VISA' },
    is: '/preferredInstrument',
  },
  {
    name: 'cash back and no PIN pad',
    terms: { cashbackMinor: 1000n },
    equipment: { pinPad: false },
    is: '/transactionType',
  },

  { name: 'AUTH', terms: { type: 'AUTH' }, is: [['CARD'], 'CARD'] },
  { name: 'OFFLINE_SALE', terms: { type: 'OFFLINE_SALE' }, is: [['CARD'], 'CARD'] },
  {
    name: 'OFFLINE_SALE where there is none',
    terms: { type: 'OFFLINE_SALE', ...forced('CUP') },
    is: '/transactionType',
  },
  { name: 'AUTH by wallet', terms: { type: 'AUTH', ...forced('QR') }, is: '/transactionType' },
  { name: 'AUTH, cash', terms: { type: 'AUTH', preferredEntryMode: 'CASH' }, is: '/preferredEntryMode' },
  { name: 'AUTH, a wallet', terms: { type: 'AUTH', preferredInstrument: 'ALIPAY' }, is: '/preferredInstrument' },
  { name: 'a refund to a card', terms: { type: 'REFUND' }, is: [['CARD'], 'CARD'] },
  {
    name: 'a refund to a wallet needs its original',
    terms: { type: 'REFUND', preferredInstrument: 'ALIPAY' },
    is: '/originalTerminalTransactionId',
  },
  {
    name: 'kinds that an acquirer was denied',
    terms: { type: 'AUTH' },
    profiles: [{ id: acquirerId('EDC'), brands: ['VISA'], kinds: ['SALE'] }],
    is: '/transactionType',
  },
];

for (const { name, terms, equipment, profiles: own = profiles, is } of cases) {
  test(`${name}: ${typeof is === 'string' ? `${is} is refused` : `starts at ${is[1] ?? 'the choice'}`}`, () => {
    const answer = collectable({ ...sale, ...terms }, own, { ...everything, ...equipment });
    if (isUncollectable(answer)) return assert.equal(answer.pointer, is);
    assert.deepEqual([answer.modes, answer.start], typeof is === 'string' ? is : [is[0], is[1]]);
  });
}

for (const type of ['VOID', 'VOID_SALE', 'VOID_AUTH', 'VOID_REFUND', 'TIP_ADJUST', 'AUTH_COMP'] as const) {
  test(`${type} without its original has no plan`, () => {
    const plan = planPayment({ ...sale, type }, terminalCapabilitiesOf(profiles, everything));
    assert.equal('pointer' in plan && plan.pointer, '/originalTerminalTransactionId');
  });
}

test('a refusal says what would be possible', () => {
  const answer = collectable({ ...sale, ...forced('QR'), preferredEntryMode: 'CASH' }, profiles, everything);
  assert.ok(isUncollectable(answer));
  assert.match(answer.message, /QR_SCAN, QR_PRESENT/);
  const contradiction = { ...sale, preferredInstrument: 'VISA', preferredEntryMode: 'CASH' } as const;
  const other = collectable(contradiction, profiles, everything);
  assert.ok(isUncollectable(other));
  assert.match(other.message, /contradicts preferredInstrument VISA/);
});

test('wallets whose code can be shown: the preferred one first, the others in their order', () => {
  const wallets = (terms: Partial<PaymentTerms>, own = profiles) => {
    const answer = collectable({ ...sale, ...terms }, own, everything);
    return isUncollectable(answer) ? assert.fail(answer.message) : answer.wallets;
  };
  assert.deepEqual(wallets({}), ['ALIPAY', 'WECHAT', 'FPS']);
  assert.deepEqual(wallets({ preferredInstrument: 'FPS' }), ['FPS', 'ALIPAY', 'WECHAT']);
  assert.deepEqual(wallets({ preferredInstrument: 'WECHAT' }), ['WECHAT', 'ALIPAY', 'FPS']);
  assert.deepEqual(wallets({ preferredInstrument: 'QR' }), ['ALIPAY', 'WECHAT', 'FPS']);
  assert.deepEqual(wallets(forced('EDC')), []);
  assert.deepEqual(wallets({}, without('QR')), []);
});

/** What each mode can come to with the acquirers above, written down a second time. */
const methodsOf: Readonly<Record<CollectMode, readonly Instrument[]>> = {
  CARD: ['VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY', 'CARD'],
  QR_SCAN: ['ALIPAY', 'WECHAT', 'UPI_QR', 'QR'],
  QR_PRESENT: ['ALIPAY', 'WECHAT', 'FPS', 'QR'],
  OCTOPUS: ['OCTOPUS'],
  EPS: ['EPS'],
  CASH: ['CASH'],
};
const acquirerOf: Readonly<Record<CollectMode, readonly string[]>> = {
  CARD: ['EDC', 'CUP'],
  QR_SCAN: ['QR'],
  QR_PRESENT: ['QR'],
  OCTOPUS: ['OCTOPUS'],
  EPS: ['EPS'],
  CASH: ['CASH'],
};

function* requests(): Generator<readonly [PaymentTerms & { readonly entry: PreferredEntryMode }, Equipment]> {
  const kinds = ['SALE', 'AUTH', 'REFUND', 'OFFLINE_SALE'] as const satisfies TransactionKind[];
  for (const type of kinds)
    for (const entry of preferredEntryModes)
      for (const preferredInstrument of [undefined, ...instruments])
        for (const id of [undefined, 'EDC', 'CUP', 'QR', 'OCTOPUS', 'EPS', 'CASH'])
          for (const scanner of [true, false])
            for (const pinPad of [true, false])
              for (const minor of [3000n, 3001n])
                for (const cashbackMinor of [undefined, 100n]) {
                  const forcedAcquirer = id === undefined ? undefined : acquirerId(id);
                  const terms = { type, amount: hkd(minor), preferredInstrument, forcedAcquirer, cashbackMinor };
                  yield [
                    { ...terms, preferredEntryMode: entry, entry },
                    { scanner, pinPad },
                  ];
                }
}

test('over all requests: what is answered can be collected and fits, and what is refused could not', () => {
  let answers = 0;
  let refusals = 0;
  for (const [terms, equipment] of requests()) {
    const { type, amount, preferredInstrument: instrument, forcedAcquirer, entry, cashbackMinor } = terms;
    const possible = every.filter(
      (mode) =>
        (type === 'SALE' || (mode === 'CARD' && !(type === 'OFFLINE_SALE' && forcedAcquirer === 'CUP'))) &&
        (forcedAcquirer === undefined || acquirerOf[mode].includes(forcedAcquirer)) &&
        (mode !== 'QR_SCAN' || equipment.scanner) &&
        (mode !== 'EPS' || equipment.pinPad) &&
        (mode !== 'OCTOPUS' || amount.minor % 10n === 0n) &&
        (cashbackMinor === undefined || mode === 'EPS'),
    );
    const brands = forcedAcquirer && profiles.find(({ id }) => id === forcedAcquirer)?.brands;
    const takes = (mode: CollectMode) =>
      instrument === undefined ||
      (methodsOf[mode].includes(instrument) &&
        (!brands ||
          !(paymentSchemes as readonly string[]).includes(instrument) ||
          brands.some((each) => each === instrument)) &&
        !(instrument === 'CARD' && forcedAcquirer === 'EPS'));
    const fitting = possible.filter(takes);
    const begins = fitting.filter(
      (mode) => entry === 'DEFAULT' || mode === entry || (entry === 'CARD' && mode === 'EPS'),
    );
    const answer = collectable(terms, profiles, equipment);
    const about = JSON.stringify(terms, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
    if (isUncollectable(answer)) {
      refusals += 1;
      assert.deepEqual(begins, [], about);
      const expected =
        possible.length === 0
          ? '/transactionType'
          : fitting.length > 0
            ? '/preferredEntryMode'
            : type === 'REFUND'
              ? '/originalTerminalTransactionId'
              : '/preferredInstrument';
      assert.equal(answer.pointer, expected, about);
      continue;
    }
    answers += 1;
    assert.deepEqual(answer.modes, possible, about);
    if (answer.start === undefined) {
      assert.ok(entry === 'DEFAULT' && instrument === undefined && possible.length > 1, about);
    } else {
      assert.equal(answer.start, begins[0], about);
    }
  }
  assert.ok(answers > 1000 && refusals > 1000, `${answers} answers, ${refusals} refusals`);
});

describe('currencies', () => {
  const mostMinor = 999_999n;
  const limited: readonly AcquirerProfile[] = profiles.map((profile) => {
    if (profile.id === acquirerId('EDC')) return { ...profile, limits: { mostMinor, currencies: ['HKD', 'JPY'] } };
    if (profile.id === acquirerId('QR')) {
      const schemeCurrencies = { ALIPAY: ['HKD'], WECHAT: ['HKD'], UPI_QR: ['HKD'], FPS: ['HKD', 'CNY'] } as const;
      return { ...profile, limits: { mostMinor, currencies: ['HKD', 'CNY'] }, schemeCurrencies };
    }
    return profile.id === acquirerId('CASH') ? profile : { ...profile, limits: { mostMinor, currencies: ['HKD'] } };
  });
  const plan = (terms: Partial<PaymentTerms>) =>
    planPayment({ ...sale, ...terms }, terminalCapabilitiesOf(limited, everything));
  const yen = { minor: 3000n, currency: 'JPY' } as const;
  const yuan = { minor: 3000n, currency: 'CNY' } as const;

  for (const [terms, currencies] of [
    [{ amount: yen, preferredInstrument: 'EPS' }, 'HKD'],
    [{ amount: yen, preferredInstrument: 'OCTOPUS' }, 'HKD'],
    [{ amount: yen, preferredInstrument: 'FPS' }, 'HKD, CNY'],
    [{ amount: yuan, preferredInstrument: 'ALIPAY' }, 'HKD'],
    [{ amount: yuan, preferredInstrument: 'CARD' }, 'HKD, JPY'],
    [{ amount: yuan, preferredEntryMode: 'QR_SCAN' }, 'HKD'],
    [{ amount: yen, ...forced('QR') }, 'HKD, CNY'],
    // An amount that is too large in every currency does not hide that the currency is wrong.
    [{ amount: { ...yen, minor: 10_000_000n }, preferredInstrument: 'EPS' }, 'HKD'],
  ] as const satisfies [Partial<PaymentTerms>, string][]) {
    const { amount, ...how } = terms;
    test(`${amount.minor} ${amount.currency} ${JSON.stringify(how)}: only ${currencies}`, () => {
      const reported = plan(terms);
      assert.ok(isPlanRefusal(reported));
      assert.deepEqual([reported.result, reported.pointer], ['INVALID_CURRENCY', '/currency']);
      assert.equal(reported.message, `is not taken for this payment; possible are ${currencies}`);
    });
  }

  test('what takes the currency is offered, and nothing else', () => {
    const inYen = plan({ amount: yen });
    assert.ok(!isPlanRefusal(inYen));
    assert.deepEqual(inYen.collects.modes, ['CARD', 'CASH']);
    assert.deepEqual(
      inYen.takers.map(({ id }) => id),
      ['EDC', 'CASH'],
    );
    const inYuan = plan({ amount: yuan, preferredInstrument: 'FPS' });
    assert.ok(!isPlanRefusal(inYuan));
    assert.deepEqual(inYuan.collects.wallets, ['FPS']);
    const [wallets] = inYuan.takers.filter(({ id }) => id === acquirerId('QR'));
    assert.deepEqual([wallets?.brands, wallets?.scanned, wallets?.presented], [['FPS'], [], ['FPS']]);
  });

  test('an amount above the limit is no fault of its currency', () => {
    const reported = plan({ amount: hkd(10_000_000n), preferredInstrument: 'EPS' });
    assert.ok(isPlanRefusal(reported));
    assert.deepEqual([reported.result, reported.pointer], ['INVALID_PARAMETER', '/preferredInstrument']);
  });
});

describe('the merchant’s own limits', () => {
  const bounded = profiles.map((profile) =>
    profile.id === acquirerId('EDC')
      ? { ...profile, bounds: { HKD: { leastMinor: 1_000n, mostMinor: 50_000n } } }
      : profile,
  );
  const card = { preferredInstrument: 'VISA' } as const;
  const plan = (terms: Partial<PaymentTerms>) =>
    planPayment({ ...sale, ...card, ...terms }, terminalCapabilitiesOf(bounded, everything));

  for (const minor of [1_000n, 3_000n, 50_000n]) {
    test(`${minor}: within`, () => assert.ok(!isPlanRefusal(plan({ amount: hkd(minor) }))));
  }

  for (const [minor, reported] of [
    [999n, 'at least 10.00 HKD'],
    [50_001n, 'at most 500.00 HKD'],
  ] as const) {
    test(`${minor}: ${reported}`, () => {
      const no = plan({ amount: hkd(minor) });
      assert.ok(isPlanRefusal(no));
      assert.deepEqual([no.pointer, no.reason], ['/preferredInstrument', 'instrumentNotPossible']);
      assert.ok(no.message.includes(reported), no.message);
    });
  }

  test('another acquirer takes it, a refund is not limited, and the currency is not to blame', () => {
    const other = planPayment({ ...sale, amount: hkd(50_001n) }, terminalCapabilitiesOf(bounded, everything));
    assert.ok(!isPlanRefusal(other));
    assert.ok(!other.takers.some(({ id }) => id === acquirerId('EDC')));
    assert.ok(!isPlanRefusal(plan({ type: 'REFUND', amount: hkd(1n) })));
    assert.ok(!isPlanRefusal(plan({ amount: { minor: 1n, currency: 'JPY' } })));
  });
});
