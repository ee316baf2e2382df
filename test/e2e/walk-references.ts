import { booked, bookVoid, type Posting } from './books.ts';
import { byCard } from './customer.ts';
import { expect, refusedAs, type Shop } from './shop.ts';

const voidKinds = {
  SALE: 'VOID_SALE',
  AUTH: 'VOID_AUTH',
  OFFLINE_SALE: 'VOID_OFFLINE',
  AUTH_COMP: 'VOID_AUTH_COMP',
  REFUND: 'VOID_REFUND',
} as const satisfies Record<Posting['kind'], string>;

/** The name of its void. Cards of EDC have none for an authorization, and complete it by an offline sale. */
function nameVoid({ kind, acquirer }: Posting): string {
  if (acquirer !== 'EDC') return voidKinds[kind];
  if (kind === 'AUTH') return 'VOID';
  return voidKinds[kind === 'AUTH_COMP' ? 'OFFLINE_SALE' : kind];
}

/** The kinds of the method, from its row of the capability table; VOID releases an authorization of any card. */
function canBeVoided({ kind, acquirer, way }: Posting): boolean {
  switch (acquirer) {
    case 'EDC':
      return true;
    case 'CUP':
      return kind !== 'OFFLINE_SALE';
    case 'QR':
      return way.method !== 'FPS';
    default:
      return false;
  }
}

export function isVoidable(posting: Posting): boolean {
  const { kind, status, settled, refundedCents } = posting;
  return canBeVoided(posting) && status === 'POSTED' && refundedCents === 0 && (!settled || kind === 'AUTH');
}

export async function voids(shop: Shop): Promise<void> {
  const original = shop.some(isVoidable);
  if (!original) return;
  const kind = shop.chance.once(2) ? 'VOID' : nameVoid(original);
  const answer = await shop.refer(kind, original, original.cents);
  expect(answer, 'SUCCESS', `void of ${original.way.name} ${original.kind} ${original.stan}`);
  bookVoid(original, answer.body);
}

/**
 * Voids that must be refused: already voided, settled, refunded, completed, not possible for the method, another
 * amount.
 */
export async function wrongVoid(shop: Shop): Promise<void> {
  const original = shop.some((posting) => !isVoidable(posting));
  if (original) {
    const answer = await shop.refer('VOID', original, original.cents);
    const pointer = canBeVoided(original) ? '/originalTerminalTransactionId' : '/transactionType';
    refusedAs(answer, pointer, `a wrong void of ${original.way.name} ${original.kind} ${original.stan}`);
  }
  const voidable = shop.some(isVoidable);
  if (!voidable) return;
  refusedAs(await shop.refer('VOID', voidable, voidable.cents + 1), '/requestAmount', 'a void of more than there is');
}

export async function tip(shop: Shop): Promise<void> {
  const signs: readonly string[] = ['visa', 'amex', 'unionpay'];
  const original = shop.some(
    ({ kind, status, settled, acquirer }) =>
      ['SALE', 'OFFLINE_SALE'].includes(kind) &&
      status === 'POSTED' &&
      !settled &&
      (acquirer === 'EDC' || acquirer === 'CUP'),
  );
  if (!original) return;
  const base = original.cents - original.tipCents;
  const amount = 1 + shop.chance.below(base);
  const answer = await shop.refer('TIP_ADJUST', original, base + amount);
  const { instrument, entryMode } = original.way;
  const signed = entryMode === 'FALLBACK' || signs.includes(instrument);
  if (original.tipCents > 0 || original.refundedCents > 0 || !signed) {
    refusedAs(answer, '/originalTerminalTransactionId', `a tip on ${original.kind} ${original.stan}`);
    return;
  }
  expect(answer, 'SUCCESS', `tip on ${original.kind} ${original.stan}`);
  original.cents = base + amount;
  original.tipCents = amount;
}

export async function completion(shop: Shop): Promise<void> {
  const auth = shop.some(({ kind, status }) => kind === 'AUTH' && status === 'POSTED');
  if (!auth) return;
  const completes = auth.acquirer === 'CUP' ? 'AUTH_COMP' : 'OFFLINE_SALE';
  refusedAs(await shop.refer(completes, auth, auth.cents * 2), '/requestAmount', 'a completion above its auth');
  const cents = 1 + shop.chance.below(auth.cents);
  const answer = await shop.refer(completes, auth, cents);
  expect(answer, 'SUCCESS', `completion of ${auth.stan}`);
  auth.status = 'COMPLETED';
  shop.postings.push(booked('AUTH_COMP', auth.way, cents, answer.body, { completes: auth }));
}

/** Refunds to the card that paid, which must be presented, or to the wallet, which need not. */
export async function linkedRefund(shop: Shop): Promise<void> {
  const { chance } = shop;
  const original = shop.some(
    ({ kind, status }) => ['SALE', 'OFFLINE_SALE', 'AUTH_COMP'].includes(kind) && status === 'POSTED',
  );
  if (!original) return;
  const { way, acquirer } = original;
  if (acquirer === 'OCTOPUS' || acquirer === 'EPS' || acquirer === 'CASH' || way.method === 'FPS') {
    refusedAs(await shop.refer('REFUND', original, original.cents), '/transactionType', `a refund of ${way.name}`);
    return;
  }
  const left = original.cents - original.refundedCents;
  refusedAs(await shop.refer('REFUND', original, left + 1), '/requestAmount', 'a refund above the rest');
  if (left === 0) return;
  const cents = chance.once(3) ? left : 1 + chance.below(left);
  const more = { refundOf: original };
  const answer =
    acquirer === 'QR'
      ? await shop.refer('REFUND', original, cents)
      : await shop.paid(
          'REFUND',
          byCard(way.instrument as Parameters<typeof byCard>[0], chance.of(['tap', 'insert'])),
          {
            cents,
            fields: { originalTerminalTransactionId: original.id },
            more,
          },
        );
  expect(answer, 'SUCCESS', `refund of ${way.name} ${original.stan}`);
  if (acquirer === 'QR') shop.postings.push(booked('REFUND', way, cents, answer.body, more));
  original.refundedCents += cents;
}
