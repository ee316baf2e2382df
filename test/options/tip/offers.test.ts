import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assert as check, bigInt, nat, property } from 'fast-check';
import { acquirerId } from '../../../src/base/domain/identifiers.ts';
import { isPlanRefusal, planPayment } from '../../../src/payment/transaction/plan.ts';
import type { AcquirerProfile } from '../../../src/payment/transaction/acquirer-profile.ts';
import type { PaymentTerms } from '../../../src/payment/transaction/terminal-capabilities.ts';
import { planTips, type TipPlan, type TipTerms } from '../../../src/options/tip/offers.ts';
import { tipOption } from '../../../src/options/tip/option.ts';
import { terminalCapabilitiesOf } from '../../payment/transaction/terminal-capabilities.ts';

const terms: TipTerms = { percents: [10, 15], amounts: { HKD: [500] }, ownAmount: true, percentMax: 20 };
const edc: AcquirerProfile = { id: acquirerId('EDC'), brands: ['VISA'], limits: { mostMinor: 999_999_999_999n } };

/** The plan of a sale of 30.00 HKD at this acquirer. */
function planned(profile: AcquirerProfile, tips: TipTerms = terms, more: Partial<PaymentTerms> = {}) {
  const option = tipOption({ terms: tips, timeoutMs: 60_000 });
  const capabilities = { ...terminalCapabilitiesOf([profile], { scanner: false, pinPad: false }), options: [option] };
  return planPayment({ type: 'SALE', amount: { minor: 3000n, currency: 'HKD' }, askTip: true, ...more }, capabilities);
}

function tipsOf(plan: ReturnType<typeof planned>): TipPlan {
  if (isPlanRefusal(plan)) return assert.fail(plan.message);
  const { tips = [], ownTipMost } = plan.questions?.[0]?.question.begin().view ?? assert.fail('no question');
  const minorOf = (text: string) => BigInt(text.replace('.', ''));
  return {
    offers: tips.map(({ tip, percent }) => ({ tipMinor: minorOf(tip), ...(percent === undefined ? {} : { percent }) })),
    ...(ownTipMost === undefined ? {} : { ownMostMinor: minorOf(ownTipMost) }),
  };
}

describe('offers', () => {
  test('are the percentages, then the amounts, none twice and none above the greatest tip', () => {
    const amounts = { HKD: [300, 500, 601] };
    assert.deepEqual(tipsOf(planned(edc, { ...terms, amounts })), {
      offers: [{ percent: 10, tipMinor: 300n }, { percent: 15, tipMinor: 450n }, { tipMinor: 500n }],
      ownMostMinor: 600n,
    });
  });

  for (const [minor, percent, tipMinor] of [
    [995n, 10, 100n],
    [994n, 10, 99n],
    [1n, 50, 1n],
    [12_345n, 15, 1_852n],
  ] as const) {
    test(`${percent} % of ${minor} is ${tipMinor}: half a unit is rounded up`, () => {
      const plan = planned(
        edc,
        { ...terms, percents: [percent], amounts: {}, percentMax: 100 },
        { amount: { minor, currency: 'HKD' } },
      );
      assert.deepEqual(tipsOf(plan).offers, [{ percent, tipMinor }]);
    });
  }

  test('are within the limits of the acquirers, whoever sets them', () => {
    const bounded = { ...edc, bounds: { HKD: { mostMinor: 3400n } } };
    for (const profile of [bounded, { ...edc, limits: { mostMinor: 3400n } }]) {
      assert.deepEqual(tipsOf(planned(profile)), { offers: [{ percent: 10, tipMinor: 300n }], ownMostMinor: 400n });
    }
  });
});

describe('no question', () => {
  for (const [why, profile, tips, reason] of [
    ['where the payment is as large as it may be', { ...edc, limits: { mostMinor: 3000n } }, terms, 'tipNotTaken'],
    ['where the greatest tip is none', edc, { ...terms, percentMax: 0 }, 'tipNotTaken'],
    ['where nothing is offered', edc, { ...terms, percents: [], amounts: {}, ownAmount: false }, 'tipQuestionNotSetUp'],
  ] as const) {
    test(why, () => {
      const plan = planned(profile, tips);
      assert.partialDeepStrictEqual(plan, { pointer: '/askTip', reason, result: 'INVALID_PARAMETER' });
      assert.ok(isPlanRefusal(plan) && plan.possible.includes('SALE'));
    });
  }
});

test('whatever the amount and the limit, each tip that can be chosen is possible, and no greater one', () => {
  check(
    property(bigInt(1n, 10n ** 12n - 1n), bigInt(0n, 2n * 10n ** 12n), nat(1000), (minor, most, percentMax) => {
      const plan = planTips({ minor, currency: 'HKD' }, { ...terms, percentMax }, (tip) =>
        minor + tip > most
          ? { pointer: '/requestAmount', reason: 'amountNotPossible', message: 'is too high' }
          : undefined,
      );
      if ('pointer' in plan) return;
      const { offers, ownMostMinor = 0n } = plan;
      const isTaken = (tip: bigint) =>
        minor + tip < 10n ** 12n && minor + tip <= most && tip * 100n <= minor * BigInt(percentMax);
      assert.ok(offers.every(({ tipMinor }) => tipMinor > 0n && isTaken(tipMinor)));
      assert.ok(isTaken(ownMostMinor) && !isTaken(ownMostMinor + 1n));
    }),
  );
});
