import type { DeclineReason } from '../../../src/base/domain/decline-reason.ts';

/** Meaning of the operator's codes for a terminal (table in fixtures/README.md, Octopus). */
export type CodeMeaning =
  | 'reader-absent'
  | 'read-error'
  | 'card-unusable'
  | 'no-card'
  | 'incomplete'
  | 'insufficient'
  | 'over-limit'
  | 'wrong-controller'
  | 'other-card';

const meanings: ReadonlyMap<number, CodeMeaning> = new Map([
  [100001, 'reader-absent'],
  [100005, 'reader-absent'],
  [100016, 'read-error'],
  [100017, 'read-error'],
  [100034, 'read-error'],
  [100019, 'card-unusable'],
  [100021, 'card-unusable'],
  [100024, 'card-unusable'],
  [100020, 'no-card'],
  [100032, 'no-card'],
  [100022, 'incomplete'],
  [100025, 'incomplete'],
  [100048, 'insufficient'],
  [100049, 'over-limit'],
  [100051, 'wrong-controller'],
  [101005, 'other-card'],
]);

/** Undefined for a code that is not in the table: it proves neither that value has moved nor that it has not. */
export function meaningOf(code: number): CodeMeaning | undefined {
  return meanings.get(code);
}

/** Reasons of the codes that decline a card. */
const declineReasons: Readonly<Partial<Record<CodeMeaning, DeclineReason>>> = {
  insufficient: 'insufficientValue',
  'card-unusable': 'cardUnusable',
  'over-limit': 'amountLimitExceeded',
};

export function declineReason(code: number): DeclineReason {
  const meaning = meaningOf(code);
  return (meaning && declineReasons[meaning]) ?? 'declined';
}
