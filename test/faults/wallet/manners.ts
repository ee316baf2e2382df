import type { Dice } from '../dice.ts';
import type { Digest } from './signing.ts';

/** As configured where nobody says otherwise. */
const queryLagMs = 60_000;

/** How the wallet's host behaves for a whole schedule. What its published pages leave open is drawn. */
export interface WalletManners {
  readonly declines: number;
  /** Percent of scanned codes whose customer is asked on the phone. */
  readonly asks: number;
  /** What an enquiry sees is that old. */
  readonly lagMs: number;
  /** An order that never came and was ended can't be paid when it comes; else the host has forgotten its own word. */
  readonly remembersClosing: boolean;
  /** Where it forgets: what was that long on its way is not taken any more. */
  readonly refusesAfterMs: number;
  /**
   * Ends every wallet's orders, or only those that the page of the reversal names: the others live until they expire.
   */
  readonly endsAll: boolean;
  /** What a number that it has already is answered with. */
  readonly duplicate: '1102' | '2011';
  /**
   * What a refund under a number that it has already is answered with: it looks at the money first, or at the number.
   */
  readonly refundAgain: 'duplicate' | '1269' | '1272';
  readonly noSuchOrder: '1136' | '1268';
  /** A refund that was carried out is taken back by a reversal; else a reversal ends only what has not succeeded. */
  readonly takesBackRefunds: boolean;
  /** X-QF-SIGN of answers, which may be there. */
  readonly signs: 'not' | 'body' | 'fields';
  readonly digest: Digest;
  /** Tells its time in a Date header. */
  readonly dates: boolean;
  /** Published examples give `txamt` as a number and as text. */
  readonly amountsAsNumbers: boolean;
  /** An interval that ends before it begins: nothing is in it, or it is no interval. */
  readonly refusesEmptyInterval: boolean;
  readonly currencies: readonly string[];
  /**
   * Percent of orders that are called over and paid a moment later all the same: the wallet had the customer's word
   * already.
   */
  readonly postsLate: number;
  /** Percent of calls that are carried out, or not, and answered with "no word yet". */
  readonly unsure: number;
}

/** What a host may be like: its pages allow all of it. */
export function drawnWallet(dice: Dice, currencies: readonly string[], forgetful: boolean): WalletManners {
  return {
    declines: dice.of([0, 20]),
    asks: dice.of([30, 60]),
    lagMs: dice.of([0, 0, 2_000, 20_000, 45_000]),
    remembersClosing: !forgetful && dice.odds(50),
    refusesAfterMs: forgetful ? 0 : queryLagMs,
    endsAll: dice.odds(50),
    duplicate: dice.of(['1102', '2011']),
    refundAgain: dice.of(['duplicate', '1269', '1272']),
    noSuchOrder: dice.of(['1136', '1268']),
    takesBackRefunds: dice.odds(50),
    signs: dice.of(['not', 'body', 'fields']),
    digest: dice.of(['MD5', 'SHA256']),
    dates: dice.odds(80),
    amountsAsNumbers: dice.odds(50),
    refusesEmptyInterval: dice.odds(50),
    currencies,
    unsure: dice.of([0, 0, 5, 20]),
    postsLate: dice.of([0, 0, 10, 40]),
  };
}

export const politeWallet: WalletManners = {
  declines: 0,
  asks: 30,
  lagMs: 0,
  remembersClosing: true,
  refusesAfterMs: 0,
  endsAll: true,
  duplicate: '1102',
  refundAgain: 'duplicate',
  noSuchOrder: '1136',
  takesBackRefunds: true,
  signs: 'not',
  digest: 'MD5',
  dates: true,
  amountsAsNumbers: false,
  refusesEmptyInterval: false,
  currencies: ['HKD'],
  unsure: 0,
  postsLate: 0,
};
