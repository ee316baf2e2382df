import type { DeclineReason } from '../../../src/domain/decline-reason.ts';

/** What the operator's codes mean to a terminal (the table of fixtures/README.md, Octopus). */
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

/** Nothing for a code that is not in the table: it says neither that value has moved nor that it has not. */
export function meaningOf(code: number): CodeMeaning | undefined {
  return meanings.get(code);
}

/** Why a card was declined. Codes that decline no card have no reason of their own. */
const declineReasons: Readonly<Partial<Record<CodeMeaning, DeclineReason>>> = {
  insufficient: 'insufficientValue',
  'card-unusable': 'cardUnusable',
  'over-limit': 'amountLimitExceeded',
};

export function declineReason(code: number): DeclineReason {
  const meaning = meaningOf(code);
  return (meaning && declineReasons[meaning]) ?? 'declined';
}
