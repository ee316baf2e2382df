/**
 * How the host treats the next online requests: every 0100 and 0200, that is sales, auths, refunds and voids.
 * up: answers. down: does not listen, open connections are closed; the port is kept.
 * silent: carries out and never answers — the worst case for a terminal, because the money moved. late: carries out and
 * answers after `delayMs`. garbage: carries out and answers with a frame that holds no message. duplicate: every answer
 * twice. closeAfterRequest: carries out and closes the connection without an answer. overtaken, of a card host alone: closes
 * the connection, and carries out only after it has answered the reversal.
 */
export const hostModeNames = ['up', 'down', 'silent', 'late', 'garbage', 'duplicate', 'closeAfterRequest'] as const;
export type HostModeName = (typeof hostModeNames)[number];
export const cardHostModeNames = [...hostModeNames, 'overtaken'] as const;
type CardHostModeName = (typeof cardHostModeNames)[number];

/** A batch of a currency that is settled, and comes again: acknowledged once more, unless one of these is wanted. */
export const settledManners = ['countedTwice', 'refused'] as const;
export type SettledManner = (typeof settledManners)[number];

/** What an advice may be approved with, in place of 00 (ISO 8583:1987, field 39; which of them an advice is answered with: assumed). */
export const adviceApprovals = ['08', '10', '11', '16'] as const;
export type AdviceApproval = (typeof adviceApprovals)[number];

export interface HostMode {
  readonly mode: CardHostModeName;
  /** With up: every answer waits so long. With late: the answer that is late does, 8000 when not given. At most 600000. */
  readonly delayMs?: number;
  /** Field 39 of every sale, auth and refund that would otherwise be approved. */
  readonly decline?: string;
  /** A chip's issuer sends a script with every answer to it: before or after its second cryptogram. */
  readonly script?: '71' | '72';
  /** Field 39 of every void that would otherwise be approved. */
  readonly declineVoids?: string;
  /** Field 39 of every reversal, none of which is carried out. */
  readonly refuseReversals?: string;
  /** With silent and late: reversals are carried out, but not answered either. */
  readonly reversals?: boolean;
  /** With silent, late, garbage and closeAfterRequest: the mode applies to advices too, 0220 and 0221. */
  readonly advices?: boolean;
  /** With the same: the mode applies to settlement and upload too, 0500 and 0320. */
  readonly settlement?: boolean;
  /**
   * With overtaken: the connection stays, and the request is carried out `delayMs` after the first reversal was answered, and then
   * answered through the connection that it came by. Until then a reversal finds no record.
   */
  readonly lateAnswer?: boolean;
  /** A trace number that was ever used is answered 94 for ever: reversed, settled, and advices too. */
  readonly duplicates?: '94';
  /** Field 39 of every advice that is posted; 00 when not given. */
  readonly approveAdvices?: AdviceApproval;
  /** Field 39 of every advice that would otherwise be posted. */
  readonly rejectAdvices?: string;
  /** What becomes of a batch that was settled in a currency, and of what was in it, under other totals or in another upload. */
  readonly settled?: SettledManner;
  /** With settled refused: field 39 of that; 12 when not given. No public source names one. */
  readonly settledCode?: string;
  /** With settled: that is so under the same totals as well. A repeat of them is acknowledged when not given. */
  readonly settledRepeats?: boolean;
  /** An empty frame (00 00) on every connection each time so long, and before every answer: the keep-alive of jPOS. */
  readonly keepAliveMs?: number;
  /** Every answer has a second bitmap in which no bit is set. */
  readonly secondBitmap?: boolean;
  /** The next comparison of totals is answered 95, whatever the totals; then it is over. */
  readonly mismatch?: boolean;
}

export const lateDelayMs = 8000;
const delayMsMax = 600_000;

/** Codes that a terminal takes for an approval: declining with them would approve without a posting. */
const approvals = new Set(['00', '08', '10', '11', '16']);

/** Codes that a terminal takes for the end of a reversal: done, or there is nothing to undo. */
const acknowledgements = new Set(['00', '25']);

/** Modes that do to some messages what they don't do to others. */
const selective: ReadonlySet<CardHostModeName> = new Set(['silent', 'late', 'garbage', 'closeAfterRequest']);

/** Throws RangeError with a sentence for whoever asked for this mode. */
export function checkMode(wanted: HostMode): void {
  const { mode, delayMs, advices, settlement, refuseReversals, keepAliveMs } = wanted;
  if (!cardHostModeNames.includes(mode)) throw new RangeError(`mode is one of ${cardHostModeNames.join(', ')}`);
  if (delayMs !== undefined && !(Number.isInteger(delayMs) && delayMs >= 0 && delayMs <= delayMsMax)) {
    throw new RangeError(`delayMs is a whole number from 0 to ${delayMsMax}`);
  }
  for (const name of ['decline', 'declineVoids', 'rejectAdvices', 'settledCode'] as const) {
    const code = wanted[name];
    if (code !== undefined && (!/^[0-9A-Z]{2}$/.test(code) || approvals.has(code))) {
      throw new RangeError(`${name} is a response code of two characters that does not approve`);
    }
  }
  if (
    refuseReversals !== undefined &&
    (!/^[0-9A-Z]{2}$/.test(refuseReversals) || acknowledgements.has(refuseReversals))
  ) {
    throw new RangeError('refuseReversals is a response code of two characters that ends no reversal');
  }
  if (keepAliveMs !== undefined && !(Number.isInteger(keepAliveMs) && keepAliveMs >= 1 && keepAliveMs <= delayMsMax)) {
    throw new RangeError(`keepAliveMs is a whole number from 1 to ${delayMsMax}`);
  }
  if (wanted.lateAnswer === true && mode !== 'overtaken') throw new RangeError('lateAnswer goes with overtaken');
  if (wanted.settledCode !== undefined && wanted.settled !== 'refused') {
    throw new RangeError('settledCode goes with settled refused');
  }
  if (wanted.settledRepeats === true && wanted.settled === undefined)
    throw new RangeError('settledRepeats goes with settled');
  checkOneOf('settled', wanted.settled, settledManners);
  checkOneOf('approveAdvices', wanted.approveAdvices, adviceApprovals);
  checkOneOf('duplicates', wanted.duplicates, ['94']);
  if ((advices === true || settlement === true) && !selective.has(mode)) {
    throw new RangeError(`advices and settlement go with ${[...selective].join(', ')}`);
  }
}

function checkOneOf(name: string, value: string | undefined, values: readonly string[]): void {
  if (value !== undefined && !values.includes(value)) throw new RangeError(`${name} is one of ${values.join(', ')}`);
}
