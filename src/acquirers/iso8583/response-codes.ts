import type { DeclineReason } from '../../domain/decline-reason.ts';

/** Values of field 39 that mean something to this terminal. What stands in no list is the host's no. */
export interface ResponseCodes {
  /** A request is approved, an advice is posted: one table, because a host posts whatever it answers with one of these. */
  readonly approved: readonly string[];
  /** A message with this number is there already: what was answered to it the first time is not known here. */
  readonly duplicate: readonly string[];
  /** A request could not be decided: whether something behind the host has posted it, the host does not know. It is reversed to be sure. */
  readonly undecided: readonly string[];
  /** A reversal is over. */
  readonly reversed: readonly string[];
  /** The host has not seen what is to be reversed. */
  readonly noRecord: readonly string[];
  /** An advice could not be processed now, and is to come again. */
  readonly tryAgain: readonly string[];
  /** The host's books agree with a settlement. */
  readonly balanced: readonly string[];
  /** They do not: the batch is to be uploaded. */
  readonly mismatch: readonly string[];
  /** A message of a batch upload is taken. */
  readonly uploaded: readonly string[];
}

export const responseCodes: ResponseCodes = {
  // 08, 10, 11 and 16 as approvals are recalled. 10 approves a part: its other amount in field 4 makes it no approval.
  approved: ['00', '08', '10', '11', '16'],
  // A line may carry a request twice and lose the first answer, which may have been an approval.
  duplicate: ['94'],
  // 68: no reply, or one too late, behind the host; 91: the issuer can't be reached; 96: the system fails (names: emv-utils, Lyra). That
  // nothing was posted none of them says. 30, a format error, was not read, and its reversal would be as little.
  undecided: ['68', '91', '96'],
  reversed: ['00'],
  // 25, no record: there is nothing to reverse, unless the original is still on its way (fixtures/README.md).
  noRecord: ['25'],
  tryAgain: ['30', '68', '91', '96'],
  balanced: ['00'],
  mismatch: ['95'],
  uploaded: ['00'],
};

/** Why a request or an advice was declined, by field 39. Names: emv-utils emv_strings.c. */
const declineReasons: Readonly<Record<string, DeclineReason>> = {
  '01': 'referToIssuer',
  '05': 'doNotHonour',
  '12': 'invalidTransaction',
  '13': 'invalidAmount',
  '14': 'invalidCardNumber',
  '30': 'hostTrouble',
  '41': 'lostCard',
  '43': 'stolenCard',
  '51': 'insufficientFunds',
  '54': 'expiredCard',
  '55': 'wrongPin',
  '57': 'notPermittedToCardholder',
  '58': 'notPermittedToTerminal',
  '61': 'amountLimitExceeded',
  '63': 'securityViolation',
  '65': 'countLimitExceeded',
  '68': 'hostTrouble',
  '70': 'pinRequired',
  '75': 'pinTriesExceeded',
  '91': 'hostTrouble',
  '94': 'duplicate',
  '96': 'hostTrouble',
};

export function declineReason(field39: string): DeclineReason {
  return declineReasons[field39] ?? 'declined';
}
