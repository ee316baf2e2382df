import assert from 'node:assert/strict';
import {
  byCard,
  byCash,
  byEps,
  byOctopus,
  byScannedCode,
  byShownCode,
  choose,
  type Mode,
  modes,
  type OctopusName,
  type Way,
} from './customer.ts';
import { expect, type Shop } from './shop.ts';

const filledCents = { octopus: 50_000, 'octopus-other': 32_050 } as const satisfies Partial<
  Record<OctopusName, number>
>;
type Purse = keyof typeof filledCents;

/** In steps of ten cents; small, because these cards are never topped up. */
function octopusCents({ chance }: Shop): number {
  return 10 * (1 + chance.below(100));
}

/** The card's balance by the shop's own books. */
function leftCents({ postings }: Shop, purse: Purse): number {
  const spent = postings.filter(({ acquirer, way }) => acquirer === 'OCTOPUS' && way.instrument === purse);
  return filledCents[purse] - spent.reduce((sum, { cents }) => sum + cents, 0);
}

function somePurse({ chance }: Shop): Purse {
  return chance.of(['octopus', 'octopus-other'] as const);
}

export async function octopus(shop: Shop): Promise<void> {
  const purse = somePurse(shop);
  const cents = octopusCents(shop);
  const left = leftCents(shop, purse);
  const answer = await shop.paid('SALE', byOctopus(purse), { cents });
  expect(answer, cents <= left ? 'SUCCESS' : 'DECLINED', `Octopus with ${left} cents on it`);
  const balance = cents <= left ? left - cents : left;
  assert.equal(Math.round(answer.body.transactionResult.balanceAmount * 100), balance);
}

/** More than is on any card. */
export async function octopusTooLittle(shop: Shop): Promise<void> {
  expect(await shop.paid('SALE', byOctopus('octopus-low'), { cents: 100_000 }), 'DECLINED', 'Octopus with too little');
}

/** The card is pulled away and comes back; sometimes another one is tried first. */
export async function octopusTorn(shop: Shop): Promise<void> {
  const { chance } = shop;
  const purse = somePurse(shop);
  const cents = octopusCents(shop);
  if (cents > leftCents(shop, purse)) return;
  const way = byOctopus(purse);
  const answer = await shop.paid('SALE', way, {
    cents,
    present: async (stage) => {
      await stage.fault('octopus', { incompleteNext: chance.of(['deducted', 'notDeducted']) });
      await stage.tapOctopus(purse);
      await stage.view(({ hint }) => hint === 'sameOctopusCard');
      if (chance.once(3)) await stage.sim('POST', '/api/octopus/tap', { card: 'octopus-low' });
      await stage.tapOctopus(purse);
    },
  });
  expect(answer, 'SUCCESS', 'Octopus that came back');
}

/** The connection is lost just after the value was taken. */
export async function octopusCut(shop: Shop): Promise<void> {
  const purse = somePurse(shop);
  const cents = octopusCents(shop);
  if (cents > leftCents(shop, purse)) return;
  const way = byOctopus(purse);
  const answer = await shop.paid('SALE', way, {
    cents,
    present: async (stage) => {
      await stage.fault('octopus', { disconnectDuringDeduct: true });
      await way.present(stage);
    },
  });
  expect(answer, 'SUCCESS', 'Octopus whose connection went');
}

export async function cash(shop: Shop): Promise<void> {
  const { chance } = shop;
  const cents = shop.cents();
  const changeCents = chance.once(3) ? 0 : chance.below(50_000);
  const tendered = ((cents + changeCents) / 100).toFixed(2);
  const answer = await shop.paid('SALE', byCash(tendered), { cents });
  expect(answer, 'SUCCESS', 'cash');
  const { tenderedAmount, changeAmount } = answer.body.transactionResult;
  assert.deepEqual([tenderedAmount.toFixed(2), Math.round(changeAmount * 100)], [tendered, changeCents]);
}

/** The merchant changes the method several times; sometimes a bank card was swiped before. */
export async function change(shop: Shop): Promise<void> {
  const { chance } = shop;
  const way = someWay(shop);
  const cents = octopusCents(shop);
  const wasSwiped = chance.once(3);
  const others = modes.filter((mode) => mode !== 'OCTOPUS' && mode !== 'EPS');
  const path = Array.from({ length: 1 + chance.below(2) }, () => chance.of(others));
  const left = leftCents(shop, 'octopus');
  const answer = await shop.paid('SALE', way, {
    cents,
    // It starts with a choice, whatever the way would ask for.
    fields: { preferredEntryMode: '', preferredInstrument: '' },
    present: async (stage) => {
      if (wasSwiped) {
        await choose(stage, 'EPS');
        await stage.swipe('eps');
        await stage.view(({ scene }) => scene === 'chooseAccount');
      }
      for (const mode of [...path, modeOf(way)]) {
        const { mode: now } = await stage.view(({ modes: offered }) => offered !== undefined);
        if (now !== mode) await choose(stage, mode);
      }
      await way.present(stage);
    },
  });
  const enough = way.acquirer !== 'OCTOPUS' || cents <= left;
  expect(answer, enough ? 'SUCCESS' : 'DECLINED', `${path.join(', ')}, and then ${way.name}`);
}

function someWay({ chance }: Shop): Way {
  return chance.of([
    byCard('visa', 'insert'),
    byCard('unionpay'),
    byScannedCode('WECHAT'),
    byShownCode('ALIPAY'),
    byShownCode('FPS'),
    byOctopus(),
    byEps(),
    byCash(),
  ]);
}

function modeOf({ acquirer, entryMode }: Way): Mode {
  if (acquirer === 'QR') return entryMode === 'QR_SCAN' ? 'QR_SCAN' : 'QR_PRESENT';
  return acquirer === 'EDC' || acquirer === 'CUP' ? 'CARD' : acquirer;
}

const starts = [{}, ...['CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH'].map((preferredEntryMode) => ({ preferredEntryMode }))];

/** Cancels at once, at whatever moment that is. */
export async function cancel({ stage, chance }: Shop): Promise<void> {
  const { request, answer } = stage.begun(chance.of(starts));
  for (;;) {
    const { status } = await stage.cancel(request);
    if (status === 200) break;
    assert.equal(status, 404, 'the payment had not come in yet');
  }
  expect(await answer, 'TRANSACTION_ALREADY_CANCEL', 'cancelled');
}
