import type { HostMode } from './mode.ts';

/** What the last two digits of an amount make the host do, where its mode says that they decide. */
export interface AmountEnding {
  /** Two digits. */
  readonly cents: string;
  /** Field 39, for `declineByAmount`. */
  readonly decline?: string;
  /** How the answer goes out, for `faultByAmount`. */
  readonly fault?: Pick<HostMode, 'mode' | 'delayMs'>;
  /** In words. */
  readonly what: string;
}

const declines: Readonly<Record<string, string>> = {
  '01': 'refer to issuer',
  '03': 'invalid merchant',
  '05': 'do not honour',
  '14': 'invalid card number',
  '41': 'lost card',
  '43': 'stolen card',
  '51': 'insufficient funds',
  '54': 'expired card',
  '55': 'wrong PIN',
  '57': 'not permitted to the cardholder',
  '58': 'not permitted to the terminal',
  '61': 'exceeds the amount limit',
  '62': 'restricted card',
  '65': 'exceeds the count limit',
  '75': 'PIN tries exceeded',
  '89': 'bad terminal id',
};

/**
 * Reasons to decline that a till meets (bank, card, PIN, limits; the codes that a terminal reverses are not among them), and
 * the ways in which an answer does not come.
 */
export const amountEndings: readonly AmountEnding[] = [
  ...Object.entries(declines)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([cents, what]) => ({
      cents,
      decline: cents,
      what: `declined with ${cents}, ${what}`,
    })),
  { cents: '80', fault: { mode: 'silent' }, what: 'carried out, never answered: a time-out and a reversal' },
  { cents: '81', fault: { mode: 'closeAfterRequest' }, what: 'carried out, then the line breaks' },
  { cents: '82', fault: { mode: 'garbage' }, what: 'carried out, answered with garbage' },
  { cents: '83', fault: { mode: 'late', delayMs: 9000 }, what: 'carried out, answered after 9 seconds: too late' },
  { cents: '84', fault: { mode: 'duplicate' }, what: 'approved, and answered twice' },
  { cents: '85', fault: { mode: 'late', delayMs: 3000 }, what: 'approved after 3 seconds' },
];

const byCents = new Map(amountEndings.map((each) => [each.cents, each]));

/** 10.51 ends with 51; undefined for an amount that decides nothing. */
export function endingOf(amountMinor: bigint): AmountEnding | undefined {
  return byCents.get(String(amountMinor % 100n).padStart(2, '0'));
}
