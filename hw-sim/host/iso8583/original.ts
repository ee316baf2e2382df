import type { Deed } from './books.ts';
import { currencyOf } from './currency.ts';
import type { Message } from './message.ts';
import type { Posting } from './posting.ts';
import { type Keys, readNumber } from './presented.ts';
import type { Refusal, Stamp } from './verdict.ts';

/** The data that a later request must match to refer to this one. */
export function asked(
  { fields }: Message,
  operation: Deed['operation'],
  stamp: Stamp,
  posting: Posting,
): Omit<Deed, 'undone' | 'content'> {
  const amountMinor = BigInt(fields.get(4) ?? '0');
  return { operation, processing: fields.get(3) ?? '', amountMinor, pan: posting.pan, posting, stamp };
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
  if (fields.get(12) !== time || fields.get(13) !== date) note('another time than that answered to the original');
  return undefined;
}
