import assert from 'node:assert/strict';
import { bookVoid } from './books.ts';
import { byCard, byEps, type CardEntry, type CardName, epsPin, type Way } from './customer.ts';
import { expect, type Shop } from './shop.ts';
import { isVoidable } from './walk-references.ts';

const cards: readonly CardName[] = ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'];
const entries: readonly CardEntry[] = ['tap', 'tap', 'tap', 'insert', 'insert', 'fallback'];

const outages = ['silent', 'closeAfterRequest', 'garbage', 'down', 'duplicate'];

function someCard({ chance }: Shop): Way {
  return byCard(chance.of(cards), chance.of(entries));
}

/** Below the default floor limit. */
function offlineCents({ chance }: Shop): number {
  return 1 + chance.below(50_000);
}

export async function sale(shop: Shop): Promise<void> {
  expect(await shop.paid('SALE', someCard(shop)), 'SUCCESS', 'sale');
}

export async function auth(shop: Shop): Promise<void> {
  expect(await shop.paid('AUTH', someCard(shop)), 'SUCCESS', 'auth');
}

export async function refund(shop: Shop): Promise<void> {
  expect(await shop.paid('REFUND', someCard(shop)), 'SUCCESS', 'refund');
}

export async function offline(shop: Shop): Promise<void> {
  const way = byCard(shop.chance.of(cards.slice(0, 4)), shop.chance.of(entries));
  expect(await shop.paid('OFFLINE_SALE', way, { cents: offlineCents(shop) }), 'SUCCESS', 'offline sale');
}

export async function decline(shop: Shop): Promise<void> {
  const way = shop.chance.once(4) ? byEps() : someCard(shop);
  const kind = way.acquirer === 'EPS' ? 'SALE' : shop.chance.of(['SALE', 'AUTH', 'REFUND'] as const);
  if (way.acquirer === 'OCTOPUS' || way.acquirer === 'CASH') throw new Error('no host to decline');
  const answer = await shop.during(way.acquirer, { decline: '51' }, () => shop.paid(kind, way));
  assert.equal(answer.body.responseCode, 1051, answer.body.message);
}

/** One operation while its host fails: whatever the outcome, the books agree. */
export async function outage(shop: Shop): Promise<void> {
  const { chance } = shop;
  const mode = chance.of(outages);
  const works = mode === 'duplicate';
  const original = chance.once(2)
    ? shop.some((posting) => isVoidable(posting) && (posting.acquirer === 'EDC' || posting.acquirer === 'CUP'))
    : undefined;
  if (original) {
    const id = original.acquirer === 'CUP' ? 'CUP' : 'EDC';
    const answer = await shop.during(id, { mode }, () => shop.refer('VOID', original, original.cents));
    expect(answer, works ? 'SUCCESS' : 'ERROR', `void with the host ${mode}`);
    if (works) bookVoid(original, answer.body);
    return;
  }
  const kind = chance.of(['SALE', 'AUTH', 'REFUND', 'OFFLINE_SALE'] as const);
  const way = byCard(kind === 'OFFLINE_SALE' ? chance.of(cards.slice(0, 4)) : chance.of(cards), chance.of(entries));
  const id = way.acquirer === 'CUP' ? 'CUP' : 'EDC';
  const presented = kind === 'OFFLINE_SALE' ? { cents: offlineCents(shop) } : {};
  const answer = await shop.during(id, { mode }, () => shop.paid(kind, way, presented));
  expect(answer, works || kind === 'OFFLINE_SALE' ? 'SUCCESS' : 'ERROR', `${kind} with the host ${mode}`);
}

/** The host approves, and the chip declines. */
export async function chipRefuses(shop: Shop): Promise<void> {
  const way = byCard(shop.chance.of(cards), 'insert');
  const answer = await shop.paid('SALE', way, {
    present: async (stage) => {
      await stage.fault('reader', { cardRefuses: true });
      await way.present(stage);
    },
  });
  expect(answer, 'DECLINED', 'a chip that refuses');
}

export async function eps(shop: Shop): Promise<void> {
  const { chance } = shop;
  const way = byEps(chance.of(['SAVINGS', 'CURRENT'] as const));
  const cents = shop.cents() + 1;
  const cashbackCents = chance.once(3) ? 1 + chance.below(cents - 1) : 0;
  const fields = cashbackCents === 0 ? {} : { cashbackAmount: cashbackCents / 100 };
  const answer = await shop.paid('SALE', way, { cents, fields, more: { cashbackCents } });
  expect(answer, 'SUCCESS', 'EPS');
}

export async function epsWrongPin(shop: Shop): Promise<void> {
  const way = byEps('CURRENT', '0000');
  const answer = await shop.paid('SALE', way, {
    present: async (stage) => {
      await way.present(stage);
      await stage.view(({ hint }) => hint === 'wrongPin');
      await stage.enterPin(epsPin);
    },
  });
  expect(answer, 'SUCCESS', 'EPS with the right PIN at last');
}

export async function epsCancelled(shop: Shop): Promise<void> {
  const answer = await shop.paid('SALE', byEps(), {
    present: async (stage) => {
      await stage.swipe('eps');
      await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
      await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
    },
  });
  expect(answer, 'TRANSACTION_ALREADY_CANCEL', 'EPS without a PIN');
}

export async function epsOutage(shop: Shop): Promise<void> {
  const mode = shop.chance.of(outages);
  const answer = await shop.during('EPS', { mode }, () => shop.paid('SALE', byEps()));
  expect(answer, mode === 'duplicate' ? 'SUCCESS' : 'ERROR', `EPS with the host ${mode}`);
}
