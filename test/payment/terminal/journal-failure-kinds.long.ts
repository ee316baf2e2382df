import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PaymentRequest } from '../../../src/payment/terminal/request.ts';
import type { PayAnswer } from '../../../src/payment/terminal/answers.ts';
import { type TransactionRecord, transactionRecord } from '../../../src/payment/records/record.ts';
import { transactionStatus } from '../../../src/payment/records/transaction-status.ts';
import { settled } from '../../support/manual-clock.ts';
import { approves, type HostScript, postsAndIsSilent, type ScriptedHost } from './scripted-host.ts';
import { about, ended, sale, Stage } from './stage.ts';
import type { JournalFault } from './store-journal.ts';

interface Case {
  readonly script: HostScript;
  /** What it refers to, done before the journal fails. */
  readonly before?: PaymentRequest;
  readonly request: (original: TransactionRecord | undefined) => PaymentRequest;
  readonly host: 'edc' | 'cup';
  /** How the original says that it happened. */
  readonly took?: (now: ReturnType<typeof transactionStatus>) => boolean;
}

function byReference(type: 'VOID_SALE' | 'AUTH_COMP' | 'TIP_ADJUST', minor = 3000n) {
  return (original: TransactionRecord | undefined) =>
    about(type, 'M-1', original ?? assert.fail('no original'), { amount: { minor, currency: 'HKD' } });
}

const original = sale('M-0');
const auth = sale('M-0', { type: 'AUTH' });
const cases: Readonly<Record<string, Case>> = {
  'a void': {
    script: approves,
    before: original,
    request: byReference('VOID_SALE'),
    host: 'edc',
    took: ({ voided }) => voided,
  },
  'a void of unknown outcome': {
    script: postsAndIsSilent,
    before: original,
    request: byReference('VOID_SALE'),
    host: 'edc',
    took: ({ voided }) => voided,
  },
  'an offline sale': { script: approves, request: () => sale('M-1', { type: 'OFFLINE_SALE' }), host: 'edc' },
  'a completion': {
    script: approves,
    before: auth,
    request: byReference('AUTH_COMP'),
    host: 'cup',
    took: ({ completed }) => completed,
  },
  'a tip adjust': {
    script: approves,
    before: original,
    request: byReference('TIP_ADJUST', 3300n),
    host: 'edc',
    took: ({ adjusted }) => adjusted,
  },
};

const failures = [
  { length: 1, misreported: false, restarts: false },
  { length: 1, misreported: true, restarts: false },
  { length: 1, misreported: true, restarts: true },
  { length: 2, misreported: false, restarts: true },
  { length: Number.POSITIVE_INFINITY, misreported: false, restarts: false },
  { length: Number.POSITIVE_INFINITY, misreported: false, restarts: true },
] as const;

for (const [name, each] of Object.entries(cases)) {
  test(`${name}: whichever call of the journal fails, the books agree with the journal in the end`, async () => {
    for (let first = 1; ; first++) {
      let reached = false;
      for (const failure of failures) reached = (await failedAt(each, { first, ...failure })) || reached;
      if (reached) continue;
      assert.ok(first > 5, 'it takes some calls');
      return;
    }
  });
}

interface Failure {
  readonly first: number;
  readonly length: number;
  readonly misreported: boolean;
  readonly restarts: boolean;
}

/** Whether the journal was called as often as that. */
async function failedAt(each: Case, { first, length, misreported, restarts }: Failure): Promise<boolean> {
  const at = `call ${first}, ${length} times, ${misreported ? 'misreported' : 'failed'}${restarts ? ', restart' : ''}`;
  const stage = new Stage();
  const host: ScriptedHost = stage[each.host];
  const scheme = each.host === 'cup' ? 'unionpay' : 'visa';
  const earlier = each.before && ended(await stage.paid(each.before, scheme));
  const before = { calls: stage.journal.calls, posted: host.posted };
  const fault: JournalFault = (call) => call >= before.calls + first && call < before.calls + first + length;
  if (misreported) stage.journal.misreport = fault;
  else stage.journal.fault = fault;
  host.onRequest = () => each.script;

  const answer = await stage.paid(each.request(earlier), scheme).catch((error: unknown) => error as Error);
  await settled();
  const reached = stage.journal.calls >= before.calls + first;
  if (isSuccess(answer)) assert.equal(written(stage), 'SUCCESS', `${at}: SUCCESS was told and is not written`);
  if (restarts) {
    await stage.restart();
  } else {
    stage.journal.fault = () => false;
    stage.journal.misreport = () => false;
  }
  await stage.clock.advance(10 * 60_000);
  await settled();

  const success = written(stage) === 'SUCCESS';
  assert.equal(host.posted - before.posted, success ? 1 : 0, `${at}: written ${written(stage)}, told ${words(answer)}`);
  if (!(answer instanceof Error) && answer.kind === 'ended' && answer.record.conclusion) {
    assert.equal(answer.record.conclusion.result === 'SUCCESS', success, `${at}: told ${words(answer)}`);
  }
  assert.deepEqual(stage.journal.store.pending(), [], `${at}: something waits for ever`);
  assert.deepEqual(stage.journal.store.unfinished(), [], `${at}: left unfinished`);
  assert.ok(new Set(host.advices.map(({ order }) => order.trace.stan)).size <= 1, `${at}: two advices`);
  // The first that leaves may be marked too: where its count stands and was said to have failed, it did not leave
  // then.
  host.advices.slice(1).forEach(({ repeat }) => assert.equal(repeat, true, `${at}: repeats are marked`));
  if (earlier && each.took) {
    const tree = (await stage.terminal.recall(earlier.id)) ?? assert.fail(at);
    assert.equal(each.took(transactionStatus(tree)), success, at);
  }
  stage.close();
  return reached;
}

function written(stage: Stage): string | undefined {
  const { store } = stage.journal;
  const id = store.find('POS-1', 'M-1');
  return id && transactionRecord(id, store.read(id)).conclusion?.result;
}

function isSuccess(answer: PayAnswer | Error): boolean {
  return !(answer instanceof Error) && answer.kind === 'ended' && answer.record.conclusion?.result === 'SUCCESS';
}

function words(answer: PayAnswer | Error): string {
  if (answer instanceof Error) return `${answer.name} ${answer.message}`;
  return answer.kind === 'ended' ? (answer.record.conclusion?.result ?? 'no conclusion') : answer.kind;
}
