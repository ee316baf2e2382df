import assert from 'node:assert/strict';
import { booked, bookVoid, type Posting, type PostingKind } from '../e2e/books.ts';
import type { Chance } from '../e2e/chance.ts';
import type { AcquirerName, Way } from '../e2e/customer.ts';
import type { Json } from '../e2e/stage.ts';

/** A request of a till, and how it changes the till's own books. */
export interface Deal {
  /** Fields of the request besides its identity. */
  readonly fields: Json;
  /** The cashier may cancel, because the customer must present something. */
  readonly isPresented: boolean;
  /** The original at a wallet, of its refund or void. */
  readonly wallets?: Posting;
  /** Books the success. */
  done(body: Json): void;
  /** Books the refusal: the original is settled by now. */
  refused(): void;
}

const ways: readonly Json[] = [
  {},
  { preferredEntryMode: 'CARD' },
  { preferredEntryMode: 'CARD' },
  { preferredEntryMode: 'QR_SCAN' },
  { preferredEntryMode: 'QR_PRESENT' },
  { preferredInstrument: 'OCTOPUS' },
];

/** The next request of a till that has these postings. */
export function nextDeal(postings: Posting[], chance: Chance): Deal {
  const some = (allowed: (posting: Posting) => boolean) => {
    const choice = postings.filter(allowed);
    return choice.length > 0 ? chance.of(choice) : undefined;
  };
  const voidable = chance.once(6) ? some(isVoidable) : undefined;
  if (voidable) return voided(voidable);
  const adjustable = chance.once(6) ? some(isAdjustable) : undefined;
  if (adjustable) return adjusted(adjustable, chance);
  const refundable = chance.once(6) ? some(isRefundable) : undefined;
  if (refundable) return refundedTo(refundable, postings, chance);
  if (chance.once(12)) return refunded(postings, chance);
  if (chance.once(10)) return presented('OFFLINE_SALE', { preferredEntryMode: 'CARD' }, postings, chance);
  return presented('SALE', chance.of(ways), postings, chance);
}

function presented(kind: PostingKind, way: Json, postings: Posting[], chance: Chance): Deal {
  // Small amounts: the value of the Octopus card must last for the whole run.
  const cents = 10 * (1 + chance.below(way.preferredInstrument === 'OCTOPUS' ? 10 : 10_000));
  // Only card sales allow a tip.
  const tipCents = way.preferredEntryMode === 'CARD' && chance.once(4) ? 1 + chance.below(cents - 1) : 0;
  return {
    fields: {
      ...way,
      transactionType: kind,
      ...money(cents),
      ...(tipCents === 0 ? {} : { tipAmount: tipCents / 100 }),
    },
    isPresented: true,
    done(body) {
      assertSum(body, cents);
      postings.push(booked(kind, wayOf(body.transactionResult), cents, body, { tipCents }));
    },
    refused: () => assert.fail(`a ${kind} was refused`),
  };
}

/** A refund to any presented card. */
function refunded(postings: Posting[], chance: Chance): Deal {
  const cents = 1 + chance.below(5_000);
  return {
    fields: { transactionType: 'REFUND', preferredEntryMode: 'CARD', ...money(cents) },
    isPresented: true,
    done(body) {
      assertSum(body, cents);
      postings.push(booked('REFUND', wayOf(body.transactionResult), cents, body));
    },
    refused: () => assert.fail('a refund without an original was refused'),
  };
}

/** A refund to the wallet that paid, in parts. */
function refundedTo(original: Posting, postings: Posting[], chance: Chance): Deal {
  const left = original.cents - original.refundedCents;
  const cents = chance.once(3) ? left : 1 + chance.below(left);
  return {
    fields: { transactionType: 'REFUND', ...money(cents), originalTerminalTransactionId: original.id },
    isPresented: false,
    wallets: original,
    done(body) {
      assertSum(body, cents);
      original.refundedCents += cents;
      postings.push(booked('REFUND', original.way, cents, body, { refundOf: original }));
    },
    refused: () => assert.fail(`a refund of ${cents} to ${original.id} was refused`),
  };
}

function voided(original: Posting): Deal {
  return {
    fields: { transactionType: 'VOID', ...money(original.cents), originalTerminalTransactionId: original.id },
    isPresented: false,
    ...(original.acquirer === 'QR' ? { wallets: original } : {}),
    done: (body) => bookVoid(original, body),
    refused: () => (original.settled = true),
  };
}

function adjusted(original: Posting, chance: Chance): Deal {
  const base = original.cents - original.tipCents;
  const tipCents = 1 + chance.below(base);
  return {
    fields: { transactionType: 'TIP_ADJUST', ...money(base + tipCents), originalTerminalTransactionId: original.id },
    isPresented: false,
    done(body) {
      assertSum(body, base + tipCents);
      original.cents = base + tipCents;
      original.tipCents = tipCents;
      original.adjusted = true;
    },
    refused: () => (original.settled = true),
  };
}

function money(cents: number): Json {
  return { requestAmount: cents / 100, currency: 'HKD' };
}

function assertSum({ transactionResult }: Json, cents: number): void {
  assert.equal(Math.round(transactionResult.totalAmount * 100), cents, 'another sum was told than asked for');
}

/** Only the answer says how it was paid: the till does not know which card was presented. */
function wayOf({ paymentMethod: method, entryMode, acquirerId }: Json): Way {
  return {
    name: `${method} ${entryMode}`,
    method,
    entryMode,
    acquirer: acquirerId as AcquirerName,
    instrument: method === 'OCTOPUS' ? 'octopus' : method,
    request: {},
    present: () => Promise.resolve(),
  };
}

function isVoidable({ acquirer, kind, status, settled, refundedCents, undecided }: Posting): boolean {
  if (undecided) return false;
  if (acquirer === 'CUP' && kind === 'OFFLINE_SALE') return false;
  return acquirer !== 'OCTOPUS' && status === 'POSTED' && !settled && refundedCents === 0;
}

/** A tip is possible once, and not after a refund; these runs need no signature. */
function isAdjustable({ acquirer, kind, status, settled, adjusted: was, cents, tipCents }: Posting): boolean {
  const isCard = acquirer === 'EDC' || acquirer === 'CUP';
  const isSale = kind === 'SALE' || kind === 'OFFLINE_SALE';
  return isCard && isSale && status === 'POSTED' && !settled && was !== true && cents > tipCents;
}

function isRefundable({ acquirer, kind, way, status, cents, refundedCents, undecided }: Posting): boolean {
  if (undecided) return false;
  return acquirer === 'QR' && kind === 'SALE' && way.method !== 'FPS' && status === 'POSTED' && refundedCents < cents;
}
