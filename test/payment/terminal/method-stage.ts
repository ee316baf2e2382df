import assert from 'node:assert/strict';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { financialImpact } from '../../../src/payment/records/impact.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import { settled } from '../../support/manual-clock.ts';
import { sale, type Stage } from './stage.ts';

/** A running payment: its answer is awaited separately. */
export interface Begun {
  readonly answer: Promise<PayAnswer>;
}

const steps = {
  QR_SCAN: 'scanner: armed',
  QR_PRESENT: 'QR: present',
  OCTOPUS: 'octopus: armed',
  CASH: 'screen: tenderCash',
  EPS: 'reader: armed',
  CARD: 'reader: armed',
} as const;
type Way = keyof typeof steps;

const preferences: Readonly<Record<Way, Partial<PaymentRequest>>> = {
  QR_SCAN: { preferredEntryMode: 'QR_SCAN' },
  QR_PRESENT: { preferredEntryMode: 'QR_PRESENT' },
  OCTOPUS: { preferredInstrument: 'OCTOPUS' },
  CASH: { preferredEntryMode: 'CASH' },
  EPS: { preferredInstrument: 'EPS' },
  CARD: { preferredEntryMode: 'CARD' },
};

/** Starts a sale of 30.00 HKD with this method, up to the customer's turn. */
export async function begun(
  stage: Stage,
  way: Way,
  messageId = 'M-1',
  fields: Partial<PaymentRequest> = {},
): Promise<Begun> {
  const turn = stage.trace.count(steps[way]) + 1;
  const answer = stage.terminal.pay(sale(messageId, { ...preferences[way], ...fields }));
  await Promise.race([stage.trace.seen(steps[way], turn), answer.catch(() => undefined)]);
  await settled();
  return { answer };
}

/** Its events in the journal's file. */
export function durable(stage: Stage, messageId = 'M-1'): TransactionRecord {
  const { store } = stage.journal;
  const id = store.find('POS-1', messageId) ?? assert.fail(`no ${messageId}`);
  return transactionRecord(id, store.read(id));
}

export function kindsOf(stage: Stage, messageId = 'M-1'): string[] {
  return stage.journal.store.read(durable(stage, messageId).id).map(({ event }) => event.kind);
}

/** Its answered result and financial impact. */
export function ending(record: TransactionRecord): string {
  const { result = 'none' } = record.conclusion ?? {};
  return result === 'SUCCESS' ? result : `${result} ${financialImpact(record)}`;
}

/** As an enquiry tells it now. */
export async function enquired(stage: Stage, messageId = 'M-1'): Promise<string> {
  const answer = await stage.terminal.enquire('POS-1', messageId);
  return answer.kind === 'ended' ? ending(answer.record) : answer.kind;
}

/** Waits until nothing is queued, unfinished or armed, and no order can be paid any more. */
export function assertClean(stage: Stage, at = ''): void {
  const { store } = stage.journal;
  assert.deepEqual(store.pending(), [], `${at}: something waits for ever`);
  assert.deepEqual(store.unfinished(), [], `${at}: left unfinished`);
  assertDisarmed(stage, at);
}

export function assertDisarmed(stage: Stage, at = ''): void {
  const { scanner, octopus, pinPad, wallet } = stage;
  assert.equal(scanner.wait.armed, false, `${at}: the scanner is armed`);
  assert.equal(octopus.wait.armed, false, `${at}: the Octopus reader is armed`);
  assert.equal(pinPad.wait.armed, false, `${at}: the PIN pad is armed`);
  assert.deepEqual(wallet.waiting, [], `${at}: a code can still be paid`);
}
