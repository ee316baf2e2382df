import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countsAnew,
  type Finding,
  type Position,
  positionOf,
  type Source,
  sourceOf,
  sources,
  viewsOf,
  weigh,
} from '../../../src/payment/records/evidence.ts';

/** Who decided a position; the others are no verdict. Not read from the code. */
const decidedBy: Readonly<Record<Position, Source | undefined>> = {
  none: undefined,
  answered: 'host',
  reversing: undefined,
  reversed: 'host',
  advising: undefined,
  advised: 'host',
  rejected: 'host',
  posted: 'operator',
  notPosted: 'operator',
  resolved: 'card',
};

const verdicts: readonly Finding[] = [
  'hostReversed',
  'hostAdvised',
  'hostRejected',
  'hostUndecided',
  'bankPosted',
  'bankNotPosted',
  'becameKnown',
];

const positions = Object.keys(decidedBy) as Position[];
const rank = (source: Source) => sources.indexOf(source);

test('the sources are ranked as published', () => {
  assert.deepEqual(sources, ['host', 'settlement', 'card', 'operator', 'terminal']);
});

test('no verdict overrides one of a higher rank; only the bank may post what the host has rejected', () => {
  const overridden = positions.flatMap((position) =>
    verdicts.flatMap((finding) => {
      const by = decidedBy[position];
      const isWeaker = by !== undefined && rank(sourceOf(finding)) > rank(by);
      return isWeaker && weigh(position, finding) !== position ? [`${finding} after ${position}`] : [];
    }),
  );
  assert.deepEqual(overridden.toSorted(), [
    'bankNotPosted after rejected',
    'bankPosted after rejected',
    // An unknown outcome that was taken for an answer becomes known by the enquiry.
    'becameKnown after advised',
    'becameKnown after answered',
    'becameKnown after rejected',
    'becameKnown after reversed',
  ]);
});

test('the host’s word overrides the operator’s, unless the host leaves it open', () => {
  for (const word of ['posted', 'notPosted'] as const) {
    assert.equal(weigh(word, 'hostReversed'), 'reversed');
    assert.equal(weigh(word, 'hostAdvised'), 'advised');
    assert.equal(weigh(word, 'hostRejected'), 'rejected');
    assert.equal(weigh(word, 'becameKnown'), 'resolved');
    assert.equal(weigh(word, 'hostUndecided'), word);
  }
});

test('a message that is queued opens every position again', () => {
  for (const position of positions) assert.equal(weigh(position, 'reversalDue'), 'reversing');
});

test('views lead back to their position, but for what no column shows', () => {
  const shown = positions.filter((position) => !['none', 'answered', 'resolved'].includes(position));
  for (const position of shown) assert.equal(positionOf(viewsOf(position, false)), position);
  for (const position of ['posted', 'notPosted'] as const) {
    assert.equal(positionOf(viewsOf(position, true)), position);
  }
  assert.equal(positionOf({}), 'none');
});

test('what became known, or was decided with the bank, counts in the open batch; what changes nothing stays', () => {
  assert.ok(countsAnew('reversing', 'becameKnown'));
  assert.ok(countsAnew('reversing', 'bankPosted'));
  assert.ok(!countsAnew('reversed', 'bankPosted'));
  assert.ok(!countsAnew('advising', 'hostAdvised'));
  assert.ok(countsAnew('rejected', 'hostAdvised'));
  assert.ok(!countsAnew('posted', 'hostUndecided'));
});
