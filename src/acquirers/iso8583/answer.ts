import { parseTlv, TlvError } from '../../emv/tlv.ts';
import type {
  AdviceOutcome,
  HostOutcome,
  OriginalReference,
  ReversalOutcome,
  SettlementOutcome,
  UploadOutcome,
} from '../../ports/acquirer-host.ts';
import type { OnlineOperation } from '../../domain/host-operation.ts';
import type { EmvData } from '../../ports/card-reader.ts';
import type { Dialect, HostMessage } from './dialect.ts';
import { declineReason } from './response-codes.ts';

/** Issuer authentication data and issuer scripts: all that a card may get from its host's field 55. */
const issuerTags: readonly string[] = ['91', '71', '72'];

const garbled = { kind: 'unknown', reason: 'garbled-answer' } as const satisfies HostOutcome;
const unanswered = { kind: 'unanswered' } as const;

/** A request and the answer that matched it. */
export interface Answered {
  readonly request: HostMessage;
  readonly answer: HostMessage;
}

/**
 * Interprets a matching 0110 or 0210. Fail-safe: an answer that contradicts the request, or an approval without its
 * code, is neither approval nor decline; "duplicate" is neither as well. The transaction is then unknown, and gets
 * reversed.
 */
export function hostOutcome(dialect: Dialect, operation: OnlineOperation, answered: Answered): HostOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return garbled;
  const { 4: amount, 38: field38 = '', 55: chipData } = answered.answer.fields;
  const { rrn, ...hostTimes } = hostRecord(answered.answer);
  if (dialect.codes.duplicate.includes(code)) return { kind: 'unknown', reason: 'duplicate', responseCode: code };
  const issuerData = issuerDataOf(chipData);
  if (!dialect.codes.approved.includes(code)) {
    // A decline is valid whatever its field 55 holds. Data that can't be read is not passed to the card.
    const doubt = dialect.codes.undecided.includes(code) ? { undecided: true as const } : {};
    const reason = declineReason(code);
    return { kind: 'declined', reason, responseCode: code, rrn, ...doubt, ...(issuerData?.size ? { issuerData } : {}) };
  }
  const approvalCode = field38.trim() === '' ? '' : field38;
  // An approval must repeat its amount: code 10 approves only a part of it.
  if (amount === undefined) return garbled;
  if (approvalCode === '' && dialect.approvalCodeNeeded.includes(operation)) return garbled;
  return issuerData ? { kind: 'approved', responseCode: code, approvalCode, rrn, ...hostTimes, issuerData } : garbled;
}

/** Whether the host approved, whatever the amount: enough for a late answer to require a reversal. */
export function approves({ codes }: Dialect, { fields: { 39: code = '' } }: HostMessage): boolean {
  return codes.approved.includes(code);
}

/**
 * Interprets a matching 0230. "Duplicate" as the answer to a repeat says that the host has this advice. As the answer
 * to a first message it proves nothing, so that advice is sent again.
 */
export function adviceOutcome({ codes }: Dialect, answered: Answered, repeat: boolean): AdviceOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  const isDuplicate = codes.duplicate.includes(code);
  if (codes.approved.includes(code) || (isDuplicate && repeat)) {
    const duplicate = isDuplicate ? { reason: 'duplicate' as const } : {};
    return { kind: 'acknowledged', ...duplicate, responseCode: code, ...hostRecord(answered.answer) };
  }
  if (isDuplicate) return { kind: 'refused', reason: 'duplicate', responseCode: code };
  if (codes.tryAgain.includes(code)) return { kind: 'refused', reason: 'hostTrouble', responseCode: code };
  return { kind: 'rejected', reason: declineReason(code), responseCode: code };
}

/** Interprets a matching 0410. */
export function reversalOutcome({ codes }: Dialect, answered: Answered): ReversalOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  if (codes.reversed.includes(code)) return { kind: 'acknowledged', responseCode: code };
  return { kind: codes.noRecord.includes(code) ? 'noRecord' : 'refused', responseCode: code };
}

/** Interprets a matching 0510. */
export function settlementOutcome({ codes }: Dialect, answered: Answered): SettlementOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  if (codes.balanced.includes(code)) return { kind: 'balanced' };
  if (codes.mismatch.includes(code)) return { kind: 'mismatch' };
  return { kind: 'refused', responseCode: code };
}

/** Interprets a matching 0330. */
export function uploadOutcome({ codes }: Dialect, answered: Answered): UploadOutcome {
  const code = responseCodeOf(answered);
  if (code === undefined) return unanswered;
  if (codes.uploaded.includes(code)) return { kind: 'accepted' };
  return { kind: codes.tryAgain.includes(code) ? 'refused' : 'rejected', responseCode: code };
}

/** Field 39; undefined if it is malformed, or if the answer is about another amount or currency. */
function responseCodeOf({ request, answer }: Answered): string | undefined {
  const { 39: code = '' } = answer.fields;
  return /^[\dA-Z]{2}$/.test(code) && sameMoney(request, answer) ? code : undefined;
}

/** Whether fields 4 and 49 equal those of the request, where the answer has them. */
function sameMoney(request: HostMessage, answer: HostMessage): boolean {
  return ([4, 49] as const).every((field) => {
    const told = answer.fields[field];
    return told === undefined || told === request.fields[field];
  });
}

/** The host's identifiers of the transaction; empty where the answer has none. */
function hostRecord({ fields }: HostMessage): Pick<OriginalReference, 'rrn' | 'hostTime' | 'hostDate'> {
  const { 12: hostTime = '', 13: hostDate = '', 37: rrn = '' } = fields;
  return { rrn, hostTime, hostDate };
}

function issuerDataOf(chipData: Uint8Array | undefined): EmvData | undefined {
  const data = new Map<string, Uint8Array>();
  try {
    for (const { tag, value } of parseTlv(chipData ?? new Uint8Array(0))) {
      // The map holds one script template of each kind. A second one is left out: it does not affect the payment.
      if (issuerTags.includes(tag) && !data.has(tag)) data.set(tag, Uint8Array.from(value));
    }
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
  return data;
}
