import type { Books, HostAction } from './books.ts';
import { currencyOf } from './currency.ts';
import type { Message } from './message.ts';
import type { Posting, PostingKind } from './posting.ts';
import { type Keys, readNumber } from './presented.ts';
import { traceOf } from './trace.ts';
import type { Refusal, Stamp } from './verdict.ts';

/** The data that a later request must match to refer to this one. */
export function asked(
  { fields }: Message,
  operation: HostAction['operation'],
  stamp: Stamp,
  posting: Posting,
): Omit<HostAction, 'undone' | 'content'> {
  const amountMinor = BigInt(fields.get(4) ?? '0');
  return { operation, processing: fields.get(3) ?? '', amountMinor, pan: posting.pan, posting, stamp };
}

const kindsByType: Readonly<Record<string, readonly PostingKind[]>> = {
  '0100': ['AUTH'],
  '0200': ['SALE', 'REFUND'],
  '0220': ['OFFLINE_SALE', 'AUTH_COMP'],
};

/** The posting that a void names: by field 37, or else by the message type and trace number in field 60. */
export function voidedBy(request: Message, books: Books): Posting | undefined {
  const { fields } = request;
  const trace = traceOf(request);
  const number = fields.get(37);
  if (number !== undefined) return books.named(number, trace);
  const named = fields.get(60) ?? '';
  const posting = books.effectiveAction({ ...trace, stan: named.slice(4) })?.posting;
  const isNamed = posting?.trace.invoice === trace.invoice && kindsByType[named.slice(0, 4)]?.includes(posting.kind);
  return isNamed ? posting : undefined;
}

/** Compares a void, completion or tip adjust with its original; undefined if all repeated fields agree. */
export function unlikeOriginal(
  request: Message,
  original: Posting,
  keys: Keys,
  note: (finding: string) => void,
): Refusal | undefined {
  const { fields } = request;
  const number = readNumber(request, keys);
  if ('refused' in number) return number;
  if (number.pan !== original.pan) return { refused: '14', finding: 'another card than that of the original' };
  if (currencyOf(fields.get(49) ?? '') !== original.currency) {
    return { refused: '12', finding: 'another currency than that of the original' };
  }
  if ((fields.get(38) ?? original.approvalCode) !== original.approvalCode) {
    return { refused: '25', finding: 'another approval code than that of the original' };
  }
  const { time, date } = original.stamp;
  // A void by trace number comes from a terminal that never had this answer.
  if (!fields.has(37)) return undefined;
  if (fields.get(12) !== time || fields.get(13) !== date) note('another time than that answered to the original');
  return undefined;
}
