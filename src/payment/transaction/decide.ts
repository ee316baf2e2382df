import type { DeclineReason } from '../../base/domain/decline-reason.ts';
import { type Reason, declineCode, responseCode } from '../../base/domain/reason.ts';
import { partText } from '../../base/domain/contradicted-amount.ts';
import type { JournalledOutcome } from '../events/answer.ts';
import { type Conclusion, failure } from '../events/conclusion.ts';
import type { JournalEvent } from '../events/event.ts';

/** With these reasons the host could not decide. The card was not refused. */
const hostTroubles: readonly DeclineReason[] = ['hostTrouble', 'duplicate'];

/** A reason without a text is reported as "declined by the issuer". */
const declineTexts: Readonly<Partial<Record<DeclineReason, string>>> = {
  referToIssuer: 'refer to the issuer',
  doNotHonour: 'do not honour',
  invalidTransaction: 'invalid transaction',
  invalidAmount: 'invalid amount',
  invalidCardNumber: 'invalid card number',
  lostCard: 'lost card',
  stolenCard: 'stolen card',
  insufficientFunds: 'insufficient funds',
  expiredCard: 'expired card',
  wrongPin: 'wrong PIN',
  notPermittedToCardholder: 'not permitted to the cardholder',
  notPermittedToTerminal: 'not permitted to the terminal',
  terminalUnknown: 'the host does not know this terminal',
  amountLimitExceeded: 'amount limit exceeded',
  securityViolation: 'security violation',
  countLimitExceeded: 'count limit exceeded',
  pinTriesExceeded: 'PIN tries exceeded',
};

/** By the word of the outcome in the journal. */
const undecided: Readonly<Record<string, Reason>> = {
  'no-answer': 'noAnswer',
  'link-closed': 'linkClosed',
  'garbled-answer': 'garbledAnswer',
  duplicate: 'duplicate',
  interrupted: 'interrupted',
  'covers-only': 'cardCoversOnly',
  'unknown-at-host': 'undecidedAtHost',
  'not-closed': 'codeNotClosed',
};

const unsent: Readonly<Record<string, Reason>> = {
  'host-down': 'hostDown',
  'not-signed-on': 'notSignedOn',
  'keys-unusable': 'keysUnusable',
  'reversals-pending': 'reversalsPending',
  'advices-pending': 'advicesPending',
  unsendable: 'unsendable',
  closed: 'walletClosed',
  'not-deducted': 'nothingDeducted',
};

/** How a transaction ends, given the host's outcome. */
export function conclusionOf(outcome: JournalledOutcome): Conclusion {
  switch (outcome.kind) {
    case 'approved':
    case 'offline':
      return { outcome: 'approved', result: 'SUCCESS', code: responseCode('SUCCESS'), message: '' };
    case 'declined':
      return hostDecline(outcome.reason, outcome.responseCode);
    case 'unknown':
      if (outcome.covered) {
        const covers = `the card covers only ${partText(outcome.covered)}, the payment is reversed`;
        return failure('ERROR', 'cardCoversOnly', covers);
      }
      return failure(
        'ERROR',
        undecided[outcome.reason] ?? 'unspecified',
        `the outcome at the host is unknown (${outcome.reason}), the payment is reversed`,
      );
    case 'notSent':
      return failure(
        'ERROR',
        unsent[outcome.reason] ?? 'unspecified',
        `the payment was not sent to the host (${outcome.reason})`,
      );
    default:
      return outcome satisfies never;
  }
}

function hostDecline(reason: DeclineReason, hostCode: string): Conclusion {
  if (hostTroubles.includes(reason))
    return failure('ERROR', reason, `the host could not process the payment (code ${hostCode})`);
  const text = declineTexts[reason] ?? 'declined by the issuer';
  return {
    outcome: 'declined',
    result: 'DECLINED',
    code: declineCode(hostCode),
    message: `${text} (host code ${hostCode})`,
    reason,
  };
}

/** Why collecting ended without a card that can be sent to a host. */
export type CollectFailure =
  | { readonly kind: 'cancelled'; readonly by: 'pos' | 'merchant' | 'customer' | 'restart' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly why: string }
  /** `device`: its name in a message. `code`: its fault. */
  | { readonly kind: 'device'; readonly device: string; readonly code: string };

/** Not cancelled by a person: the customer may pay again once the terminal is back. */
const restarting = failure(
  'TRANSACTION_ALREADY_CANCEL',
  'terminalRestarting',
  'the terminal is being restarted: the payment was not taken',
);

const cancellers = {
  pos: { name: 'POS', reason: 'cancelledByPos' },
  merchant: { name: 'merchant', reason: 'cancelledByMerchant' },
  customer: { name: 'customer', reason: 'cancelledByCustomer' },
} as const;

/** A device is named by its method, for a message. */
const deviceReasons: Readonly<Record<string, Reason>> = {
  'card reader': 'cardReaderFailed',
  'PIN pad': 'pinPadFailed',
  scanner: 'scannerFailed',
  'Octopus reader': 'octopusReaderFailed',
};

export function collectConclusion(end: CollectFailure): Conclusion {
  switch (end.kind) {
    case 'cancelled': {
      if (end.by === 'restart') return restarting;
      const { name, reason } = cancellers[end.by];
      return failure('TRANSACTION_ALREADY_CANCEL', reason, `cancelled by the ${name}`);
    }
    case 'timeout':
      return failure('TIMEOUT', 'customerTimeout', 'the customer did not pay in time');
    case 'refused':
      return localDecline(end.reason, `the card can't be used here (${end.why})`);
    case 'device':
      return failure('ERROR', deviceReasons[end.device] ?? 'deviceFailed', `the ${end.device} failed (${end.code})`);
    default:
      return end satisfies never;
  }
}

/** The code of a device fault; 'fault' for any other error. */
export function faultCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'fault';
}

/** A decline that no host decided. */
export function localDecline(reason: Reason, message: string): Conclusion {
  return { outcome: 'declined', result: 'DECLINED', code: responseCode('DECLINED'), message, reason };
}

interface Ending {
  readonly printsReceipt: boolean;
  /** Where the outcome alone does not determine it. */
  readonly conclusion?: Conclusion;
  /** Queued with the outcome: the advice of an approval without the host. */
  readonly queued?: readonly JournalEvent[];
}

/**
 * The events that end a transaction in one commit: the outcome, its conclusion, and the receipt of an approval. An
 * unknown outcome has its reversal in place of the conclusion.
 */
export function conclusionEvents(
  outcome: JournalledOutcome,
  { printsReceipt, conclusion = conclusionOf(outcome), queued = [] }: Ending,
): JournalEvent[] {
  const end: JournalEvent =
    outcome.kind === 'unknown' ? { kind: 'reversalQueued', reason: outcome.reason } : { kind: 'ended', ...conclusion };
  const isApproved = outcome.kind === 'approved' || outcome.kind === 'offline';
  return [{ kind: 'answered', outcome }, ...queued, end, ...(isApproved ? receiptEvents(printsReceipt) : [])];
}

/** Queues the receipt, if the terminal prints. */
export function receiptEvents(printsReceipt: boolean): JournalEvent[] {
  return printsReceipt ? [{ kind: 'receiptQueued' }] : [];
}
