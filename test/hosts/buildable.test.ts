import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { dialects } from '../../src/hosts/iso8583/dialect.ts';
import { iso8583Limits } from '../../src/hosts/iso8583/host.ts';
import { Requests as CardRequests } from '../../src/hosts/iso8583/request.ts';
import { qfpayLimits } from '../../src/hosts/qfpay/limits.ts';
import { Requests as WalletRequests } from '../../src/hosts/qfpay/request.ts';
import { parseJson, isRefusal } from '../../src/pos/api/input.ts';
import { parsePosRequest, type PosRequest } from '../../src/pos/api/pos-request.ts';
import { paymentRefusal } from '../../src/pos/api/payment.ts';
import { majorText } from '../../src/base/domain/amount.ts';
import { instruments } from '../../src/base/domain/capability.ts';
import type { TransactionKind } from '../../src/base/domain/transaction-kind.ts';
import { currencyCodes } from '../../src/base/domain/currency.ts';
import { preferredEntryModes, cardBrands, walletSchemes } from '../../src/base/domain/payment-scheme.ts';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import { pack } from '../../src/codecs/iso8583/message.ts';
import { octopusLimits } from '../../src/base/ports/octopus-reader.ts';
import { selectAcquirer } from '../../src/payment/method/methods.ts';
import type { AcquirerProfile } from '../../src/payment/transaction/acquirer-profile.ts';
import { isPlanRefusal, planPayment } from '../../src/payment/transaction/plan.ts';
import { terminalCapabilitiesOf } from '../payment/transaction/terminal-capabilities.ts';
import { wallets } from '../support/wallets.ts';
import { offlineSaleOrder, chipWithPin } from './iso8583/orders.ts';
import { reversalOrder, saleOrder } from './iso8583/terminal.ts';
import { optionsFor, refundOrder, scannedOrder } from './qfpay/terminal.ts';

const equipment = { scanner: true, pinPad: true };
const profiles: readonly AcquirerProfile[] = [
  { id: acquirerId('EDC'), brands: ['VISA', 'MASTER', 'AMEX', 'JCB'], limits: iso8583Limits },
  { id: acquirerId('CUP'), brands: ['UNIONPAY'], limits: iso8583Limits },
  { id: acquirerId('EPS'), brands: ['EPS'], limits: iso8583Limits },
  {
    id: acquirerId('QR'),
    brands: [...walletSchemes],
    scanned: ['ALIPAY', 'WECHAT', 'UPI_QR'],
    presented: [...walletSchemes],
    limits: qfpayLimits,
  },
  { id: acquirerId('OCTOPUS'), brands: ['OCTOPUS'], limits: octopusLimits },
  { id: acquirerId('CASH'), brands: ['CASH'] },
];

const walletRequests = new WalletRequests(optionsFor(1));
const terminal = { tid: '00000001', mid: '000000000000001', nii: '003', timeZone: 'Asia/Hong_Kong' };

/** All that an adapter may have to send of a payment that was collected so: itself, and what gives it back. */
function built(request: PosRequest, offers: readonly AcquirerProfile[]): number {
  const { transactionType: type, amount, tipMinor } = request;
  const kind = type as TransactionKind;
  const plan = planPayment({ ...request, type: kind }, terminalCapabilitiesOf(offers, equipment));
  if (isPlanRefusal(plan)) return 0;
  const { collects, takers } = plan;
  let count = 0;
  const tip = tipMinor === undefined ? {} : { tipMinor };
  for (const mode of collects.modes) {
    if (mode === 'QR_SCAN' || mode === 'QR_PRESENT') {
      for (const scheme of walletSchemes) {
        const modal = takers.filter(({ scanned = [], presented = [] }) =>
          (mode === 'QR_SCAN' ? scanned : presented).includes(scheme),
        );
        if (!selectAcquirer({ kind, takers: modal }, scheme)) continue;
        const order = { ...scannedOrder, amount, scheme };
        const wallet = wallets.find((each) => each.scheme === scheme);
        if (mode === 'QR_SCAN') walletRequests.payment(order, wallet);
        else walletRequests.presentation(order, wallet);
        walletRequests.refund({ ...refundOrder, amount });
        walletRequests.closing(order);
        count += 1;
      }
    }
    for (const brand of mode === 'EPS' ? (['EPS'] as const) : mode === 'CARD' ? cardBrands : []) {
      const id = selectAcquirer({ kind, takers }, brand)?.id;
      if (!id) continue;
      const dialect = dialects[id as keyof typeof dialects];
      const requests = new CardRequests(dialect, terminal);
      const card = id === 'EPS' ? { ...chipWithPin, account: 'SAVINGS' as const } : saleOrder.card;
      const operation = kind === 'AUTH' ? 'auth' : kind === 'REFUND' ? 'refund' : 'sale';
      const messages =
        kind === 'OFFLINE_SALE'
          ? [requests.advice({ ...offlineSaleOrder, amount, ...tip }, true)]
          : [
              requests.online({ ...saleOrder, operation, amount, card, ...tip }),
              requests.reversal({ ...reversalOrder, operation, amount, card }, true),
            ];
      for (const message of messages) pack(dialect.spec, message);
      count += 1;
    }
  }
  return count;
}

const edges = [1n, 2n, 99n, 10n ** 10n, 99_999_999_999n, 10n ** 11n, 10n ** 12n - 1n, 10n ** 12n];
const requests = fc.record({
  minor: fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 1n, max: 10n ** 12n })),
  currency: fc.constantFrom(...currencyCodes, 'HKD', 'HKD', 'HKD'),
  transactionType: fc.constantFrom('SALE', 'SALE', 'AUTH', 'OFFLINE_SALE', 'REFUND'),
  preferredEntryMode: fc.constantFrom(undefined, ...preferredEntryModes),
  preferredInstrument: fc.constantFrom(undefined, ...instruments),
  tipped: fc.boolean(),
});

test('every payment that is accepted can be built by every adapter that it is offered to', () => {
  let accepted = 0;
  let messages = 0;
  fc.assert(
    fc.property(requests, ({ minor, currency, tipped, ...rest }) => {
      const amount = majorText({ minor, currency });
      const tip = tipped && minor > 1n ? `,"tipAmount":${majorText({ minor: 1n, currency })}` : '';
      const text = JSON.stringify({ posId: 'P', messageId: 'M', currency, ...rest });
      const request = parsePosRequest(parseJson(`${text.slice(0, -1)},"requestAmount":${amount}${tip}}`));
      if (isRefusal(request)) return;
      if (paymentRefusal(request, terminalCapabilitiesOf(profiles, equipment))) return;
      accepted += 1;
      messages += built(request, profiles);
    }),
    { numRuns: 3000, seed: 11 },
  );
  assert.ok(accepted > 500 && messages > 2000, `${accepted} accepted, ${messages} built`);
});

/** One wallet, and nothing beside it. */
const only = (id: string) => profiles.filter((profile) => profile.id === acquirerId(id));
const sale = (amount: string, fields: object = {}) => {
  const text = JSON.stringify({ posId: 'P', messageId: 'M', transactionType: 'SALE', currency: 'HKD', ...fields });
  const request = parsePosRequest(parseJson(`${text.slice(0, -1)},"requestAmount":${amount}}`));
  return isRefusal(request) ? assert.fail(JSON.stringify(request)) : request;
};

for (const [what, amount, fields, offers, message] of [
  ['11 digits', '999999999.99', { preferredEntryMode: 'QR_PRESENT' }, profiles, undefined],
  [
    '12 digits, shown as a code',
    '1000000000.00',
    { preferredEntryMode: 'QR_PRESENT' },
    profiles,
    ['/preferredEntryMode', /at most 999999999\.99 HKD; possible are CARD, OCTOPUS, EPS, CASH$/],
  ],
  [
    '12 digits, by any wallet',
    '1000000000.00',
    { preferredInstrument: 'QR' },
    profiles,
    ['/preferredInstrument', /at most 999999999\.99 HKD; possible are CARD, OCTOPUS, EPS, CASH$/],
  ],
  [
    '12 digits, where there is nothing else',
    '1000000000.00',
    {},
    only('QR'),
    ['/transactionType', /^is not possible with this amount: at most 999999999\.99 HKD$/],
  ],
  ['12 digits, where there are cards', '1000000000.00', {}, profiles, undefined],
  [
    'a currency that no wallet has',
    '10.00',
    { currency: 'CHF', preferredInstrument: 'ALIPAY' },
    profiles,
    ['/currency', /^is not taken for this payment; possible are AED, AUD, .*, USD$/],
  ],
  ['cents, by Octopus', '10.05', {}, only('OCTOPUS'), ['/transactionType', /in steps of 0\.10 HKD$/]],
] as const) {
  test(`which limit: ${what}`, () => {
    const [error] = paymentRefusal(sale(amount, fields), terminalCapabilitiesOf(offers, equipment))?.errors ?? [];
    if (!message) return assert.equal(error, undefined);
    assert.equal(error?.pointer, message[0]);
    assert.match(error.message, message[1]);
  });
}

test('what is too much for a wallet is not offered by it', () => {
  const request = sale('1000000000.00');
  const plan = planPayment({ ...request, type: 'SALE' }, terminalCapabilitiesOf(profiles, equipment));
  assert.ok(!isPlanRefusal(plan));
  assert.deepEqual(plan.collects.modes, ['CARD', 'OCTOPUS', 'EPS', 'CASH']);
  assert.deepEqual(plan.collects.wallets, []);
});
