import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ReversalOrder } from '../../../src/payment/contracts/acquirer-host.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves, type HostScript, isSilent } from './scripted-host.ts';
import { card } from './scripted-reader.ts';
import { everything, sale, Stage } from './stage.ts';

/** Why the terminal reverses a request, and the number of its answer if there was one. */

let stage: Stage;
let reversals: (readonly [reason: string | undefined, rrn: string | undefined])[];
beforeEach(() => {
  stage = new Stage(undefined, everything);
  reversals = [];
  stage.edc.onReversal = ({ reason, rrn }: ReversalOrder) => {
    reversals.push([reason, rrn]);
    return acknowledges;
  };
});
afterEach(() => stage.close());

async function paidBy(script: HostScript): Promise<void> {
  stage.edc.onRequest = () => script;
  const answer = stage.terminal.pay(sale('M-1'));
  await stage.trace.seen('reader: armed', 1);
  stage.reader.answer({ kind: 'card', card: { ...card(), entryMode: 'CHIP', awaitsDecision: true } });
  await answer;
  await settled();
}

test('no answer', async () => {
  await paidBy(isSilent);
  assert.deepEqual(reversals, [['noAnswer', undefined]]);
});

test('an answer that can’t be read, or has a wrong authentication code', async () => {
  await paidBy({ posted: true, outcome: { kind: 'unknown', reason: 'garbled-answer' } });
  assert.deepEqual(reversals, [['invalidAnswer', undefined]]);
});

test('the card refuses after the approval: the number of the approval is named', async () => {
  stage.equipped.onComplete = () => ({ kind: 'refused', emv: new Map([['9F27', Uint8Array.of(0)]]) });
  await paidBy(approves);
  assert.ok(approves.outcome.kind === 'approved' && approves.outcome.rrn !== '');
  assert.deepEqual(reversals, [['cardRefused', approves.outcome.rrn]]);
});

test('a code by which the host has not decided', async () => {
  const outcome = {
    kind: 'declined',
    reason: 'hostTrouble',
    responseCode: '96',
    rrn: '633317000009',
    undecided: true,
  } as const;
  await paidBy({ posted: false, outcome });
  assert.deepEqual(reversals, [['other', '633317000009']]);
});
