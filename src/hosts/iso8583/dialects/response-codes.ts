import type { DeclineReason } from '../../../base/domain/decline-reason.ts';
import type { DialectFile } from './dialect-schema.ts';

/** The values of field 39 that this terminal distinguishes. Any other value is a decline. */
export interface ResponseCodes {
  /**
   * A request is approved, or an advice is posted. One list, because a host posts everything that it answers with one
   * of these.
   */
  readonly approved: readonly string[];
  /** The host already has a message with this number. Its answer to the first one is not known here. */
  readonly duplicate: readonly string[];
  /**
   * The host could not decide a request, and does not know whether a system behind it has posted it. The request is
   * reversed.
   */
  readonly undecided: readonly string[];
  /** A reversal was carried out. */
  readonly reversed: readonly string[];
  /** The host has no record of the original. */
  readonly noRecord: readonly string[];
  /** An advice could not be processed now, and must be sent again. */
  readonly tryAgain: readonly string[];
  /** The host could not read the message. An upload of the same transaction would get the same answer. */
  readonly unreadable: readonly string[];
  /** The host's books agree with a settlement. */
  readonly balanced: readonly string[];
  /** The host's books differ from a settlement: the batch must be uploaded. */
  readonly mismatch: readonly string[];
  /** A message of a batch upload is accepted. */
  readonly uploaded: readonly string[];
  /** The host does not know this terminal, or its merchant: every message of it gets this answer. */
  readonly terminalUnknown: readonly string[];
  /**
   * The host has another working key. A request with this answer is declined, an advice or a reversal is sent again.
   */
  readonly keysOutOfStep: readonly string[];
  /** Why a request or an advice was declined, by code, if the host has other reasons than the usual ones. */
  readonly reasons?: Readonly<Record<string, DeclineReason>>;
}

export const responseCodes: ResponseCodes = {
  // 08, 10, 11 and 16 as approvals are recalled. 10 is a partial approval. If the acquirer has no `partialApproval`,
  // the different amount in field 4 makes it invalid.
  approved: ['00', '08', '10', '11', '16'],
  // A network may carry a request twice and lose the first answer, which may have been an approval.
  duplicate: ['94'],
  // 09: the request is in progress; 68: no reply, or a late one, behind the host; 91: the issuer can't be reached; 96:
  // the system fails (names: emv-utils, Lyra). None of them excludes that the request was posted. 30 is not included:
  // after a format error the host has not read the message, and would not read its reversal.
  undecided: ['09', '68', '91', '96'],
  reversed: ['00'],
  // 25, no record: there is nothing to reverse, unless the original may still arrive (fixtures/README.md).
  noRecord: ['25'],
  tryAgain: ['09', '30', '68', '91', '96'],
  unreadable: ['30'],
  balanced: ['00'],
  mismatch: ['95'],
  uploaded: ['00'],
  // 03 invalid merchant (emv-utils; Visa); 89 bad terminal id (Hypercom's ISO terminals, BasicHost.cpp); 97 a terminal
  // that is not registered (UnionPay's table for terminals). An acquirer's own list is configuration.
  terminalUnknown: ['03', '89', '97'],
  // No public source gives a code.
  keysOutOfStep: [],
};

/** Why a request or an advice was declined, by field 39. Names: emv-utils, emv_strings.c. */
export const declineReasons: Readonly<Record<string, DeclineReason>> = {
  '01': 'referToIssuer',
  '05': 'doNotHonour',
  '12': 'invalidTransaction',
  '13': 'invalidAmount',
  '14': 'invalidCardNumber',
  '09': 'hostTrouble',
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

/** The codes of a dialect: its own lists, and the defaults for absent ones. */
export function codesOf(own: DialectFile['codes']): ResponseCodes {
  const lists = Object.entries(own).filter(([, list]) => list !== undefined);
  const all = { ...responseCodes, ...(Object.fromEntries(lists) as Partial<ResponseCodes>) };
  return { ...all, tryAgain: [...all.tryAgain, ...all.keysOutOfStep] };
}
