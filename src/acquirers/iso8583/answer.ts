import { parseTlv, TlvError } from '../../emv/tlv.ts';
import type { HostOutcome, ReversalOutcome } from '../../ports/acquirer-host.ts';
import type { EmvData } from '../../ports/card-reader.ts';
import type { Dialect, HostMessage } from './dialect.ts';

/** Issuer authentication data and issuer scripts: all that a card may get from its host's field 55. */
const issuerTags: readonly string[] = ['91', '71', '72'];

const garbled = { kind: 'unknown', reason: 'garbled-answer' } as const satisfies HostOutcome;

/**
 * What a matching 0210 comes to. Fail-safe: an answer that contradicts the request, or an approval that lacks its code, is
 * neither approval nor decline; the sale is unknown and gets reversed.
 */
export function saleOutcome(dialect: Dialect, request: HostMessage, answer: HostMessage): HostOutcome {
  const { 4: amount, 37: rrn = '', 38: approvalCode = '', 39: code = '', 55: chipData } = answer.fields;
  if (!isResponseCode(code) || !sameMoney(request, answer)) return garbled;
  if (!dialect.approvedCodes.includes(code)) return { kind: 'declined', responseCode: code, rrn };
  // An approval must say which amount it approves: code 10 is for a part of it.
  if (amount === undefined || approvalCode.trim() === '') return garbled;
  const issuerData = issuerDataOf(chipData);
  return issuerData ? { kind: 'approved', responseCode: code, approvalCode, rrn, issuerData } : garbled;
}

/** What a matching 0410 comes to. */
export function reversalOutcome(dialect: Dialect, request: HostMessage, answer: HostMessage): ReversalOutcome {
  const { 39: code = '' } = answer.fields;
  if (!isResponseCode(code) || !sameMoney(request, answer)) return { kind: 'unanswered' };
  return { kind: dialect.acknowledgedCodes.includes(code) ? 'acknowledged' : 'refused', responseCode: code };
}

function isResponseCode(text: string): boolean {
  return /^[\dA-Z]{2}$/.test(text);
}

/** Fields 4 and 49 are those of the request, where the answer has them. */
function sameMoney(request: HostMessage, answer: HostMessage): boolean {
  return ([4, 49] as const).every((field) => {
    const told = answer.fields[field];
    return told === undefined || told === request.fields[field];
  });
}

function issuerDataOf(chipData: Uint8Array | undefined): EmvData | undefined {
  const data = new Map<string, Uint8Array>();
  try {
    for (const { tag, value } of parseTlv(chipData ?? new Uint8Array(0))) {
      // A second script template of one kind has no place in the map. It is left out: money does not hang on it.
      if (issuerTags.includes(tag) && !data.has(tag)) data.set(tag, Uint8Array.from(value));
    }
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
  return data;
}
