import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseJson, isRefusal } from '../../../src/pos/api/input.ts';
import { parsePosRequest, type PosRequest } from '../../../src/pos/api/pos-request.ts';
import { capabilityReport } from '../../../src/pos/api/capabilities.ts';
import { paymentRefusal } from '../../../src/pos/api/payment.ts';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import type { EnquiryAnswer } from '../../../src/payment/terminal/answers.ts';
import { type Equipment, terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import { approved, authorizedRecord, success } from './records.ts';
import { bare, collectTimes, everyMethod, profiles, sale, served } from './served.ts';
import { noCounter } from '../../support/no-counter.ts';

/** The marks of SPEC §1 as this terminal places them, word for word: the kinds of each method, payments and voids. */
const card = 'SALE TIP_ADJUST AUTH OFFLINE_SALE REFUND VOID_SALE VOID_OFFLINE VOID_REFUND'.split(' ');
const unionPay = 'SALE TIP_ADJUST AUTH AUTH_COMP REFUND VOID_SALE VOID_AUTH VOID_AUTH_COMP VOID_REFUND'.split(' ');
const both = [...new Set([...card, ...unionPay])];
const none: string[] = [];

const referring = 'TIP_ADJUST AUTH_COMP VOID_SALE VOID_AUTH VOID_OFFLINE VOID_AUTH_COMP VOID_REFUND VOID'.split(' ');
const types = ['SALE', 'AUTH', 'OFFLINE_SALE', 'REFUND', ...referring];

const brandsOfEdc = ['VISA', 'MASTER', 'AMEX', 'JCB'];
const elsewhere = ['QR', 'ALIPAY', 'WECHAT', 'FPS', 'UPI_QR', 'OCTOPUS', 'EPS', 'CASH'];
const rows: readonly [forced: string, instruments: readonly string[], kinds: readonly string[]][] = [
  ['', ['', 'CARD'], both],
  ['', brandsOfEdc, card],
  ['', ['UNIONPAY'], unionPay],
  ['', elsewhere, none],
  ['EDC', ['', 'CARD', ...brandsOfEdc], card],
  ['EDC', ['UNIONPAY', ...elsewhere], none],
  ['CUP', ['', 'CARD', 'UNIONPAY'], unionPay],
  ['CUP', [...brandsOfEdc, ...elsewhere], none],
];
const absent = ['QR', 'EPS', 'DCC'];

function request(fields: Record<string, unknown>): PosRequest {
  const original = referring.includes(String(fields['transactionType']))
    ? { originalTerminalTransactionId: 'T-1' }
    : {};
  const parsed = parsePosRequest(parseJson(JSON.stringify({ ...sale, ...original, ...fields })));
  return isRefusal(parsed) ? assert.fail(JSON.stringify(parsed)) : parsed;
}

function refusalOf(fields: Record<string, unknown>, offers = profiles) {
  const answer = paymentRefusal(request(fields), terminalCapabilitiesOf(offers, bare));
  return answer && { pointers: answer.errors.map(({ pointer }) => pointer), possible: answer.possible.toSorted() };
}

/** Where it is refused, and nothing where it goes. */
function expected(type: string, forced: string, instrument: string, kinds: readonly string[]): string | undefined {
  if (kinds.length === 0) return '/preferredInstrument';
  if (type !== 'VOID' && !kinds.includes(type)) return '/transactionType';
  // A void, a tip and a completion go where their original went.
  if (!referring.includes(type)) return undefined;
  if (instrument !== '') return '/preferredInstrument';
  return forced === '' ? undefined : '/forceAcquirer';
}

describe('kinds × instruments × forced acquirers', () => {
  for (const [forceAcquirer, instruments, kinds] of rows) {
    for (const preferredInstrument of instruments) {
      test(`instrument '${preferredInstrument}', acquirer '${forceAcquirer}'`, () => {
        for (const transactionType of types) {
          const pointer = expected(transactionType, forceAcquirer, preferredInstrument, kinds);
          assert.deepEqual(
            refusalOf({ transactionType, preferredInstrument, forceAcquirer }),
            pointer && { pointers: [pointer], possible: kinds.toSorted() },
            transactionType,
          );
        }
      });
    }
  }

  for (const forceAcquirer of absent) {
    test(`${forceAcquirer} is no acquirer of this terminal`, () => {
      for (const preferredInstrument of ['', 'CARD', 'UNIONPAY', ...elsewhere]) {
        for (const transactionType of types) {
          const answer = refusalOf({ transactionType, preferredInstrument, forceAcquirer });
          assert.deepEqual(answer, { pointers: ['/forceAcquirer'], possible: [] });
        }
      }
    });
  }

  for (const preferredEntryMode of ['QR_SCAN', 'QR_PRESENT', 'CASH']) {
    test(`entry mode ${preferredEntryMode}`, () => {
      for (const transactionType of types) {
        const answer = refusalOf({ transactionType, preferredEntryMode });
        assert.deepEqual(
          answer,
          { pointers: ['/preferredEntryMode'], possible: both.toSorted() },
          `${transactionType} by ${preferredEntryMode}`,
        );
      }
    });
  }

  test('CARD and DEFAULT go for every kind, as they always did', () => {
    for (const preferredEntryMode of ['CARD', 'DEFAULT', '']) {
      for (const transactionType of types) assert.equal(refusalOf({ transactionType, preferredEntryMode }), undefined);
    }
  });

  test('an acquirer can only take away', () => {
    const few: readonly AcquirerProfile[] = [
      { id: acquirerId('EDC'), brands: ['VISA'], kinds: ['SALE', 'VOID_SALE', 'AUTH_COMP'] },
    ];
    const possible = ['SALE', 'VOID_SALE'];
    assert.equal(refusalOf({}, few), undefined);
    for (const transactionType of ['AUTH', 'REFUND', 'AUTH_COMP', 'VOID_REFUND']) {
      assert.deepEqual(refusalOf({ transactionType }, few), { pointers: ['/transactionType'], possible });
    }
    assert.deepEqual(refusalOf({ preferredInstrument: 'MASTER' }, few)?.pointers, ['/preferredInstrument']);
  });

  test('over the wire: 422, what could be asked for instead, and the terminal is not asked', async (t) => {
    const { terminal, pay } = await served(t);
    const { status, json } = await pay({ transactionType: 'OFFLINE_SALE', preferredInstrument: 'UNIONPAY' });
    assert.equal(status, 422);
    assert.partialDeepStrictEqual(json, {
      posId: sale.posId,
      messageId: sale.messageId,
      responseResult: 'INVALID_PARAMETER',
      responseCode: 4,
      financialImpact: 'NONE',
      errors: [{ pointer: '/transactionType' }],
    });
    assert.deepEqual(json.possible.toSorted(), unionPay.toSorted());
    for (const kind of unionPay) assert.ok(json.message.includes(kind), kind);
    assert.equal(terminal.paid.length, 0);
  });
});

/** What a terminal says of a request that contradicts itself, or what stands on the counter. */
function fault(
  fields: Record<string, unknown>,
  { profiles: offers, equipment }: { profiles: readonly AcquirerProfile[]; equipment: Equipment },
): string | undefined {
  const answer = paymentRefusal(request(fields), terminalCapabilitiesOf(offers, equipment));
  if (!answer) return undefined;
  assert.equal(answer.result, answer.errors[0]?.pointer === '/currency' ? 'INVALID_CURRENCY' : 'INVALID_PARAMETER');
  assert.equal(answer.errors.length, 1);
  return `${answer.errors[0]?.pointer} ${answer.errors[0]?.message}`;
}

describe('a terminal that takes every method', () => {
  for (const fields of [
    {},
    { preferredEntryMode: 'DEFAULT' },
    { preferredEntryMode: 'CARD' },
    { preferredEntryMode: 'QR_SCAN' },
    { preferredEntryMode: 'QR_PRESENT' },
    { preferredEntryMode: 'CASH' },
    ...['CARD', 'QR', ...brandsOfEdc, 'UNIONPAY', ...elsewhere].map((preferredInstrument) => ({ preferredInstrument })),
    ...['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS', 'CASH'].map((forceAcquirer) => ({ forceAcquirer })),
    { preferredEntryMode: 'CARD', preferredInstrument: 'VISA', forceAcquirer: 'EDC' },
    { preferredEntryMode: 'CARD', preferredInstrument: 'UNIONPAY', forceAcquirer: 'CUP' },
    { preferredEntryMode: 'CARD', preferredInstrument: 'EPS', forceAcquirer: 'EPS' },
    { preferredEntryMode: 'CARD', forceAcquirer: 'EPS' },
    { preferredEntryMode: 'QR_SCAN', preferredInstrument: 'QR', forceAcquirer: 'QR' },
    { preferredEntryMode: 'QR_SCAN', preferredInstrument: 'UPI_QR' },
    { preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'FPS', forceAcquirer: 'QR' },
    { preferredEntryMode: 'CASH', preferredInstrument: 'CASH', forceAcquirer: 'CASH' },
    { preferredInstrument: 'OCTOPUS', requestAmount: 30.1 },
    { cashbackAmount: 10 },
    { cashbackAmount: 10, preferredInstrument: 'EPS' },
    { cashbackAmount: 10, preferredEntryMode: 'CARD' },
    { cashbackAmount: 10, forceAcquirer: 'EPS', preferredEntryMode: 'CARD', preferredInstrument: 'EPS' },
    { cashbackAmount: 0, preferredInstrument: 'CASH' },
    { transactionType: 'REFUND' },
    { transactionType: 'REFUND', preferredEntryMode: 'CARD', preferredInstrument: 'VISA' },
    { transactionType: 'REFUND', preferredInstrument: 'ALIPAY', originalTerminalTransactionId: 'T-1' },
    { transactionType: 'REFUND', forceAcquirer: 'QR', originalTerminalTransactionId: 'T-1' },
    { transactionType: 'REFUND', preferredEntryMode: 'QR_SCAN', originalTerminalTransactionId: 'T-1' },
    { transactionType: 'VOID_SALE', preferredEntryMode: 'CARD' },
    { currency: 'USD' },
  ]) {
    test(`takes ${JSON.stringify(fields)}`, () => assert.equal(fault(fields, everyMethod), undefined));
  }

  const sixModes = 'CARD, QR_SCAN, QR_PRESENT, OCTOPUS, EPS, CASH';
  for (const [fields, pointer, message] of [
    // the entry mode against the instrument
    [{ preferredEntryMode: 'CARD', preferredInstrument: 'QR' }, '/preferredEntryMode', /^contradicts .*QR; .*EPS/],
    [{ preferredEntryMode: 'CARD', preferredInstrument: 'OCTOPUS' }, '/preferredEntryMode', /contradicts .*OCTOPUS/],
    [{ preferredEntryMode: 'CARD', preferredInstrument: 'CASH' }, '/preferredEntryMode', /contradicts .* CASH/],
    [{ preferredEntryMode: 'QR_SCAN', preferredInstrument: 'CARD' }, '/preferredEntryMode', /contradicts .* CARD/],
    [{ preferredEntryMode: 'QR_SCAN', preferredInstrument: 'FPS' }, '/preferredEntryMode', /contradicts .* FPS/],
    [
      { preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'UPI_QR' },
      '/preferredEntryMode',
      /contradicts .*UPI_QR/,
    ],
    [{ preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'EPS' }, '/preferredEntryMode', /contradicts .* EPS/],
    [{ preferredEntryMode: 'CASH', preferredInstrument: 'VISA' }, '/preferredEntryMode', /contradicts .* VISA/],
    [{ preferredEntryMode: 'CASH', preferredInstrument: 'OCTOPUS' }, '/preferredEntryMode', /contradicts .*OCTOPUS/],
    // the entry mode against the acquirer, the kind and the cash
    [
      { preferredEntryMode: 'QR_SCAN', forceAcquirer: 'EDC' },
      '/preferredEntryMode',
      /not possible.*; possible are CARD$/,
    ],
    [{ preferredEntryMode: 'CASH', forceAcquirer: 'QR' }, '/preferredEntryMode', /are QR_SCAN, QR_PRESENT$/],
    [{ preferredEntryMode: 'CARD', forceAcquirer: 'OCTOPUS' }, '/preferredEntryMode', /possible are OCTOPUS$/],
    [{ preferredEntryMode: 'QR_PRESENT', transactionType: 'AUTH' }, '/preferredEntryMode', /possible are CARD$/],
    [{ preferredEntryMode: 'CASH', transactionType: 'REFUND' }, '/preferredEntryMode', /possible are CARD$/],
    [{ preferredEntryMode: 'QR_SCAN', cashbackAmount: 10 }, '/preferredEntryMode', /possible are EPS$/],
    [{ preferredEntryMode: 'CASH', cashbackAmount: 10 }, '/preferredEntryMode', /possible are EPS$/],
    // what goes by its original takes none
    [{ preferredEntryMode: 'QR_SCAN', transactionType: 'VOID' }, '/preferredEntryMode', /the original decides/],
    [{ preferredEntryMode: 'CASH', transactionType: 'VOID_REFUND' }, '/preferredEntryMode', /the original decides/],
    [{ preferredInstrument: 'ALIPAY', transactionType: 'VOID_SALE' }, '/preferredInstrument', /the original decides/],
    [{ forceAcquirer: 'QR', transactionType: 'VOID_SALE' }, '/forceAcquirer', /the original decides/],
    // the instrument against the acquirer, the amount, the kind and the cash
    [{ preferredInstrument: 'ALIPAY', forceAcquirer: 'EDC' }, '/preferredInstrument', /not the forced one/],
    [{ preferredInstrument: 'EPS', forceAcquirer: 'CASH' }, '/preferredInstrument', /not the forced one/],
    [{ preferredInstrument: 'CASH', forceAcquirer: 'EPS' }, '/preferredInstrument', /not the forced one/],
    [
      { preferredInstrument: 'OCTOPUS', requestAmount: 30.05 },
      '/preferredInstrument',
      /are CARD, QR_SCAN, QR_PRESENT, EPS, CASH$/,
    ],
    [{ preferredInstrument: 'OCTOPUS', currency: 'USD' }, '/currency', /not taken for this payment; possible are HKD$/],
    [{ preferredInstrument: 'VISA', cashbackAmount: 10 }, '/preferredInstrument', /possible are EPS$/],
    [{ preferredInstrument: 'CASH', cashbackAmount: 10 }, '/preferredInstrument', /possible are EPS$/],
    [{ preferredInstrument: 'QR', transactionType: 'REFUND' }, '/originalTerminalTransactionId', /is required/],
    [{ preferredInstrument: 'WECHAT', transactionType: 'REFUND' }, '/originalTerminalTransactionId', /is required/],
    [{ forceAcquirer: 'QR', transactionType: 'REFUND' }, '/originalTerminalTransactionId', /is required/],
    [{ preferredInstrument: 'FPS', transactionType: 'REFUND' }, '/transactionType', /possible are SALE$/],
    [{ preferredInstrument: 'EPS', transactionType: 'REFUND' }, '/transactionType', /possible are SALE$/],
    [
      { preferredInstrument: 'QR', transactionType: 'AUTH' },
      '/transactionType',
      /SALE, REFUND, VOID_SALE, VOID_REFUND$/,
    ],
    [{ preferredInstrument: 'CASH', transactionType: 'OFFLINE_SALE' }, '/transactionType', /possible are SALE$/],
    // the acquirer against the kind, the amount and the cash
    [{ forceAcquirer: 'OCTOPUS', transactionType: 'AUTH' }, '/transactionType', /possible are SALE$/],
    [{ forceAcquirer: 'OCTOPUS', requestAmount: 30.01 }, '/transactionType', /not possible with this amount/],
    [{ forceAcquirer: 'OCTOPUS', currency: 'USD' }, '/currency', /not taken for this payment; possible are HKD$/],
    [{ forceAcquirer: 'DCC' }, '/forceAcquirer', /EDC, CUP, EPS, QR, OCTOPUS, CASH$/],
    [{ forceAcquirer: 'EDC', cashbackAmount: 10 }, '/cashbackAmount', /only EPS/],
    [{ forceAcquirer: 'CASH', cashbackAmount: 10 }, '/cashbackAmount', /only EPS/],
    [{ forceAcquirer: 'QR', cashbackAmount: 10, preferredInstrument: 'FPS' }, '/cashbackAmount', /only EPS/],
    [{ tipAmount: 3, cashbackAmount: 10 }, '/cashbackAmount', /only EPS/],
    [
      { tipAmount: 3, preferredInstrument: 'EPS' },
      '/preferredInstrument',
      /are CARD, QR_SCAN, QR_PRESENT, OCTOPUS, CASH$/,
    ],
  ] as const) {
    test(`refuses ${JSON.stringify(fields)}: ${pointer}`, () => {
      const reported = fault(fields, everyMethod);
      assert.equal(reported?.split(' ')[0], pointer);
      assert.match(reported.slice(pointer.length + 1), message);
    });
  }

  test(`offers ${sixModes}, and says so where a mode contradicts`, () => {
    const reported = fault({ preferredEntryMode: 'CASH', preferredInstrument: 'QR' }, everyMethod);
    assert.equal(reported, `/preferredEntryMode contradicts preferredInstrument QR; possible are ${sixModes}`);
  });
});

describe('what is not on the counter', () => {
  const without = (equipment: Partial<Equipment>) => ({
    ...everyMethod,
    equipment: { ...everyMethod.equipment, ...equipment },
  });
  const noScanner = without({ scanner: false });
  const noPinPad = without({ pinPad: false });

  for (const [what, counter, fields, pointer, message] of [
    [
      'scanner',
      noScanner,
      { preferredEntryMode: 'QR_SCAN' },
      '/preferredEntryMode',
      /CARD, QR_PRESENT, OCTOPUS, EPS, CASH$/,
    ],
    ['scanner', noScanner, { preferredInstrument: 'UPI_QR' }, '/preferredInstrument', /not possible for this payment/],
    ['scanner', noScanner, { preferredInstrument: 'QR' }, undefined, undefined],
    ['scanner', noScanner, { preferredEntryMode: 'QR_PRESENT' }, undefined, undefined],
    [
      'scanner',
      noScanner,
      { forceAcquirer: 'QR', preferredEntryMode: 'QR_SCAN' },
      '/preferredEntryMode',
      /are QR_PRESENT$/,
    ],
    [
      'PIN pad',
      noPinPad,
      { preferredInstrument: 'EPS' },
      '/preferredInstrument',
      /not possible for this payment.*CARD/,
    ],
    ['PIN pad', noPinPad, { forceAcquirer: 'EPS' }, '/transactionType', /or on this terminal$/],
    ['PIN pad', noPinPad, { cashbackAmount: 10 }, '/cashbackAmount', /only EPS/],
    [
      'PIN pad',
      noPinPad,
      { cashbackAmount: 10, preferredInstrument: 'EPS' },
      '/preferredInstrument',
      /not possible for this payment/,
    ],
    ['PIN pad', noPinPad, { cashbackAmount: 10, forceAcquirer: 'EPS' }, '/transactionType', /or on this terminal$/],
    ['PIN pad', noPinPad, { preferredInstrument: 'CARD' }, undefined, undefined],
    [
      'cash back',
      { profiles, equipment: everyMethod.equipment },
      { cashbackAmount: 10 },
      '/cashbackAmount',
      /only EPS/,
    ],
  ] as const) {
    test(`no ${what}: ${JSON.stringify(fields)}: ${pointer ?? 'goes'}`, () => {
      const reported = fault(fields, counter);
      if (pointer === undefined) return assert.equal(reported, undefined);
      assert.equal(reported?.split(' ')[0], pointer);
      assert.match(reported.slice(pointer.length + 1), message);
    });
  }
});

describe('what was asked once, and is not possible any more', () => {
  const octopus = { preferredInstrument: 'OCTOPUS' };

  for (const known of [
    { kind: 'running', state: 'collecting' },
    { kind: 'ended', record: authorizedRecord({ outcome: approved, conclusion: success }), status: 'APPROVED' },
  ] as const satisfies EnquiryAnswer[]) {
    test(`is answered all the same: ${known.kind}`, async (t) => {
      const { terminal, pay } = await served(t);
      terminal.enquiryAnswer = known;
      const record = authorizedRecord({ outcome: approved, conclusion: success });
      terminal.payAnswer = async () => ({ kind: 'ended', record });
      const { status, json } = await pay(octopus);
      assert.equal(status, 200);
      assert.equal(json.responseResult, 'SUCCESS');
      assert.deepEqual(terminal.asked, [{ call: 'enquire', posId: sale.posId, messageId: sale.messageId }]);
    });
  }

  test('another one is refused', async (t) => {
    const { terminal, pay } = await served(t);
    assert.equal((await pay(octopus)).status, 422);
    assert.equal(terminal.paid.length, 0);
  });
});

describe('the capability report', () => {
  /** Each method, without what it tells of now. */
  const report = (offers: readonly AcquirerProfile[]) =>
    Object.fromEntries(
      capabilityReport(terminalCapabilitiesOf(offers, bare), collectTimes, noCounter).methods.map(
        ({ method, ready: _now, schemes: _each, ...rest }) => [method, rest],
      ),
    );
  const nothing = { paymentMethods: [], kinds: [], acquirers: [], currencies: [] };

  test('names the six methods of SPEC 1, in order, and what each can do here', () => {
    assert.deepEqual(Object.entries(report(profiles)), [
      ['CARD', { paymentMethods: brandsOfEdc, kinds: card, acquirers: ['EDC'] }],
      ['UNIONPAY', { paymentMethods: ['UNIONPAY'], kinds: unionPay, acquirers: ['CUP'] }],
      ['QR', nothing],
      ['OCTOPUS', nothing],
      ['EPS', nothing],
      ['CASH', nothing],
    ]);
  });

  test('of a card that two acquirers take names both', () => {
    const dual: readonly AcquirerProfile[] = [
      { id: acquirerId('EDC'), brands: ['VISA', 'UNIONPAY'], kinds: ['SALE'] },
      { id: acquirerId('CUP'), brands: ['UNIONPAY'], kinds: ['REFUND'] },
    ];
    const { CARD, UNIONPAY } = report(dual);
    assert.deepEqual(CARD, { paymentMethods: ['VISA'], kinds: ['SALE'], acquirers: ['EDC'] });
    assert.deepEqual(UNIONPAY, {
      paymentMethods: ['UNIONPAY'],
      kinds: ['SALE', 'REFUND'],
      acquirers: ['EDC', 'CUP'],
    });
  });

  test('the currencies that some acquirer takes; none are told where one takes all', () => {
    const wallets: readonly AcquirerProfile[] = [
      {
        id: acquirerId('QR'),
        brands: ['ALIPAY', 'FPS'],
        limits: { mostMinor: 1_000n, currencies: ['HKD', 'CNY', 'USD'] },
        schemeCurrencies: { ALIPAY: ['HKD'], FPS: ['HKD', 'CNY'] },
      },
      { id: acquirerId('EDC'), brands: ['VISA'], limits: { mostMinor: 1_000n, currencies: ['JPY', 'HKD'] } },
      { id: acquirerId('CASH'), brands: ['CASH'] },
    ];
    const { QR, CARD, CASH } = report(wallets);
    assert.deepEqual(QR?.currencies, ['CNY', 'HKD']);
    assert.deepEqual(CARD?.currencies, ['HKD', 'JPY']);
    assert.equal(CASH?.currencies, undefined);
  });

  test('each scheme has its kinds, entry modes and limits, and what is missing now', () => {
    const limits = { mostMinor: 9_999_999_999n, currencies: ['HKD'], stepMinor: 10n } as const;
    const offers = everyMethod.profiles.map((each) =>
      each.brands.includes('ALIPAY' as never) ? { ...each, limits } : each,
    );
    const { modes, profiles: all } = terminalCapabilitiesOf(offers, everyMethod.equipment);
    const away = { reason: 'scannerAbsent', message: 'the scanner is not connected' } as const;
    const now = modes.map((mode) => (mode.mode === 'QR_SCAN' ? { ...mode, notReady: () => away } : mode));
    const schemes = Object.fromEntries(
      capabilityReport({ profiles: all, modes: now }, collectTimes, noCounter)
        .methods.flatMap((method) => method.schemes)
        .map(({ paymentMethod, ...rest }) => [paymentMethod, rest]),
    );
    assert.deepEqual(schemes['ALIPAY'], {
      kinds: ['SALE', 'REFUND', 'VOID_SALE', 'VOID_REFUND'],
      entryModes: ['QR_SCAN', 'QR_PRESENT'],
      currencies: ['HKD'],
      limits: [{ acquirer: 'QR', currency: 'HKD', amountMax: 99_999_999.99, amountStep: 0.1 }],
      ready: true,
      missing: [{ mode: 'QR_SCAN', ...away }],
    });
    assert.deepEqual([schemes['UPI_QR']?.ready, schemes['UPI_QR']?.entryModes], [false, ['QR_SCAN']]);
    assert.deepEqual([schemes['CASH']?.ready, schemes['CASH']?.missing], [true, undefined]);
  });

  test('without acquirers there is nothing', () => {
    for (const method of Object.values(report([]))) assert.deepEqual(method, nothing);
  });
});
