import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, asyncProperty, constantFrom } from 'fast-check';
import { posResponse } from '../../../src/pos/api/pos-response.ts';
import { acquirerId, type TerminalTransactionId } from '../../../src/base/domain/identifiers.ts';
import { LateAnswers } from '../../../src/methods/card/late-answers.ts';
import { openMatters } from '../../../src/operator/customer-matters.ts';
import { setAside, waitingOnes } from '../../../src/operator/waiting.ts';
import type { LateAnswer } from '../../../src/payment/contracts/late-answer.ts';
import { readBatch, readOpenBatch } from '../../../src/payment/records/batch-reader.ts';
import { printParts } from '../../pos/api/served.ts';
import { decidesAtOnce } from '../../support/decides-at-once.ts';
import { settled } from '../../support/manual-clock.ts';
import { acknowledges, approves, isSilent, postsAndIsSilent } from './scripted-host.ts';
import { ended, sale, Stage } from './stage.ts';

/**
 * A sale whose answer is lost, followed by random sequences of later evidence. Once all evidence has arrived, the
 * terminal reports what the host's books have, lists what is to be settled with the customer, and leaves settled batches
 * as they were.
 */

const EDC = acquirerId('EDC');
const minuteMs = 61_000;

const steps = [
  'the link is down',
  'the link loses answers',
  'the link is slow',
  'the link is good',
  'a message on its way arrives',
  'a message on its way is lost',
  'an approval is heard',
  'an answer to a reversal is heard',
  'the operator asks the bank',
  'a minute passes',
  'the POS refunds',
  'the batch is settled',
  'the terminal restarts',
] as const;
type Step = (typeof steps)[number];

/** A message on its way to the host, or an answer on its way back. */
interface Sent {
  readonly stan: number;
  readonly what: 'request' | 'reversal';
}

class World {
  readonly stage = new Stage();
  /** Settled batches, with what they had. */
  readonly settled: { readonly batch: number; readonly items: readonly string[] }[] = [];
  saleId = '' as TerminalTransactionId;
  saleStan = 0;
  readonly refunds: TerminalTransactionId[] = [];
  bankSaid: 'POSTED' | 'NOT_POSTED' | undefined;
  #requests = 0;
  #link: 'down' | 'losing' | 'slow' | 'good' = 'losing';
  readonly #onTheWay: Sent[] = [];
  readonly #answers: Sent[] = [];
  #late = this.#hearing();

  constructor(first: 'down' | 'losing' | 'slow') {
    this.#link = first;
    const { edc } = this.stage;
    edc.onRequest = ({ trace: { stan } }) => {
      if (this.#link === 'good') return approves;
      if (this.#link === 'slow') this.#onTheWay.push({ stan, what: 'request' });
      if (this.#link !== 'losing') return isSilent;
      this.#answers.push({ stan, what: 'request' });
      return postsAndIsSilent;
    };
    edc.onReversal = ({ trace: { stan } }) => {
      if (this.#link === 'slow') this.#onTheWay.push({ stan, what: 'reversal' });
      if (this.#link === 'losing') this.#reverse(stan);
      if (this.#link !== 'good') return { kind: 'unanswered' };
      return edc.books.has(stan) ? acknowledges : { kind: 'noRecord', responseCode: '25' };
    };
  }

  async take(step: Step): Promise<void> {
    switch (step) {
      case 'the link is down':
        this.#link = 'down';
        break;
      case 'the link loses answers':
        this.#link = 'losing';
        break;
      case 'the link is slow':
        this.#link = 'slow';
        break;
      case 'the link is good':
        this.#link = 'good';
        break;
      case 'a message on its way arrives':
        this.#arrive(this.#onTheWay.splice(0, 1));
        break;
      case 'a message on its way is lost':
        this.#onTheWay.shift();
        break;
      case 'an approval is heard':
        await this.#hear('request');
        break;
      case 'an answer to a reversal is heard':
        await this.#hear('reversal');
        break;
      case 'the operator asks the bank':
        await this.#askBank();
        break;
      case 'the POS refunds':
        await this.#refund();
        break;
      case 'the batch is settled':
        await this.#settle();
        break;
      case 'a minute passes':
        await this.stage.clock.advance(minuteMs);
        break;
      default:
        // The previous process has ended and must not act any more.
        await Promise.all([this.stage.forwarder.close(), this.#late.close()]);
        await this.stage.restart();
        this.#late = this.#hearing();
    }
    await settled();
  }

  /** Every message reaches the host, and every answer reaches the terminal. */
  async end(): Promise<void> {
    this.#link = 'good';
    for (let round = 0; round < 4; round++) {
      this.#arrive(this.#onTheWay.splice(0));
      while (this.#answers.length > 0) await this.#hear(this.#answers[0]?.what ?? 'request');
      await this.stage.clock.advance(3 * minuteMs);
      await settled();
    }
  }

  #arrive(messages: readonly Sent[]): void {
    for (const { stan, what } of messages) {
      if (what === 'reversal') this.#reverse(stan);
      else {
        this.stage.edc.books.set(stan, 'POSTED');
        this.#answers.push({ stan, what });
      }
    }
  }

  /** The host reverses a posting that it has. Without a posting nothing happens. */
  #reverse(stan: number): void {
    const { books } = this.stage.edc;
    if (!books.has(stan)) return;
    books.set(stan, 'REVERSED');
    this.#answers.push({ stan, what: 'reversal' });
  }

  async #hear(what: Sent['what']): Promise<void> {
    const at = this.#answers.findIndex((each) => each.what === what);
    const [sent] = at < 0 ? [] : this.#answers.splice(at, 1);
    if (!sent) return;
    const { stan } = sent;
    const isApproval = what === 'request';
    const answer: LateAnswer = {
      acquirerId: EDC,
      mti: isApproval ? '0210' : '0410',
      stan: String(stan).padStart(6, '0'),
      rrn: '000000000009',
      responseCode: '00',
      isOurs: true,
      reversing: false,
      isApproval,
      approves: (order) => isApproval && order.trace.stan === stan,
      adviceOutcome: () => ({ kind: 'unanswered' }),
      reversalOutcome: (order) => (!isApproval && order.trace.stan === stan ? acknowledges : { kind: 'unanswered' }),
      settlementOutcome: () => ({ kind: 'unanswered' }),
    };
    this.#late.hear(answer);
    await settled();
  }

  /** The host always accepts a refund. The terminal refuses it unless the sale stands. */
  async #refund(): Promise<void> {
    const { stage } = this;
    const { onRequest } = stage.edc;
    stage.edc.onRequest = () => approves;
    const messageId = `R-${(this.#requests += 1)}`;
    const answer = await stage.paid(sale(messageId, { type: 'REFUND', originalId: this.saleId }));
    stage.edc.onRequest = onRequest;
    if (answer.kind === 'ended' && answer.record.conclusion?.result === 'SUCCESS') this.refunds.push(answer.record.id);
  }

  async #settle(): Promise<void> {
    const messageId = `S-${(this.#requests += 1)}`;
    const batch = await this.stage.journal.openBatch(EDC);
    const before = await itemsOf(this.stage, batch);
    const settling = this.stage.terminal.settle({ posId: 'POS-1', messageId, digest: messageId, acquirerId: EDC });
    const answer = await settling.catch(() => undefined);
    const isSettled =
      answer?.kind === 'ended' && answer.settlement.results?.some(({ result }) => result === 'BALANCED');
    if (isSettled) this.settled.push({ batch, items: before });
  }

  /** The bank answers by the host's books of that moment. */
  async #askBank(): Promise<void> {
    const { stage } = this;
    const parts = {
      journal: stage.journal,
      acquirers: ['EDC', 'CUP'],
      isUnsendable: () => true,
      takesBatch: stage.terminal.room.takesBatch,
      decide: decidesAtOnce,
    };
    for (const { id, trace } of await waitingOnes(parts)) {
      const isPosted = stage.edc.books.get(Number(trace)) === 'POSTED';
      const answer = await setAside(id, isPosted ? 'POSTED' : 'NOT_POSTED', parts);
      if (!('refused' in answer)) this.bankSaid = isPosted ? 'POSTED' : 'NOT_POSTED';
    }
  }

  #hearing(): LateAnswers {
    const { journal, forwarder, clock, random, acquirers } = this.stage;
    const onFailure = (error: unknown) => this.stage.failures.push(error);
    return new LateAnswers({ journal, forwarder, acquirers: acquirers.cardAcquirers, clock, random, onFailure });
  }
}

const itemsOf = async ({ journal }: Stage, batch: number) =>
  (await readBatch(journal, EDC, batch)).batch.items.map(({ record }) => record.id);

async function report({ stage, saleId }: World) {
  const answer = await stage.terminal.enquire('POS-1', 'M-1');
  if (answer.kind !== 'ended') return assert.fail(answer.kind);
  const body = posResponse(answer.record, printParts, answer);
  const open = (await readOpenBatch(stage.journal, EDC)).batch.items;
  const items = open.filter(({ record }) => record.id === saleId).length;
  return { body, items, text: String(body['message']) };
}

/** At any time, the answer, its text and the batch agree, and what was settled stays as it was. */
async function agree(world: World): Promise<void> {
  const { stage, settled: batches, refunds } = world;
  const { body, items, text } = await report(world);
  if (items > 0) assert.equal(body['financialImpact'], refunds.length > 0 ? 'REVERSED' : 'UNKNOWN', text);
  if (body['financialImpact'] === 'REVERSAL_PENDING') assert.equal(body['retryable'], 'ENQUIRE', text);
  if (body['financialImpact'] === 'REVERSED') assert.doesNotMatch(text, /not reversed|being reversed/);
  for (const each of batches) assert.deepEqual(await itemsOf(stage, each.batch), each.items, 'a settled batch changed');
}

async function judge(world: World): Promise<void> {
  const { stage, saleId, refunds, settled: batches } = world;
  await agree(world);
  const { body, items, text } = await report(world);
  const isPosted = stage.edc.books.get(world.saleStan) === 'POSTED';
  const isSettled = batches.some((each) => each.items.includes(saleId));
  assert.equal(items, isPosted && !isSettled ? 1 : 0, `the open batch has ${items}, the host ${isPosted}: ${text}`);
  const listed = (await openMatters({ journal: stage.journal })).map(({ matter, id }) => `${matter} ${id}`);
  assert.deepEqual(listed.toSorted(), expectedMatters(world, isPosted, isSettled), text);
  if (isPosted) {
    assert.equal(body['financialImpact'], refunds.length > 0 ? 'REVERSED' : 'UNKNOWN', text);
    assert.doesNotMatch(text, /is reversed|being reversed/);
    if (refunds.length === 0) assert.equal(body['retryable'], 'CALL_OPERATOR', text);
  } else {
    const isDoubtful = listed.some((each) => each.startsWith('reversedAfterSettlement'));
    const possible = isDoubtful ? ['UNKNOWN'] : ['REVERSED', 'NONE'];
    assert.ok(possible.includes(String(body['financialImpact'])), `${String(body['financialImpact'])}: ${text}`);
    assert.doesNotMatch(text, /not reversed/);
    assert.notEqual(body['retryable'], 'ENQUIRE', text);
  }
  assert.deepEqual(stage.journal.store.pending(), []);
}

/** By the host's books, and by what the bank has said last: all refunds are of the whole amount. */
function expectedMatters({ saleId, refunds, bankSaid }: World, isPosted: boolean, isSettled: boolean): string[] {
  if (isPosted) return [];
  if (refunds.length > 0) return refunds.map((id) => `refundOfReversed ${id}`).toSorted();
  if (bankSaid !== 'POSTED') return [];
  return [`${isSettled ? 'reversedAfterSettlement' : 'reversedLate'} ${saleId}`];
}

const confirmedInTime = ['a message on its way arrives', 'the operator asks the bank'] as const;
/** Link slow: the reversal of the late approval is still on its way when the operator asks the bank. */
const reversedAgain = [
  'a message on its way arrives',
  'an approval is heard',
  'the operator asks the bank',
  'the batch is settled',
] as const;
const reversedLate = ['a message on its way arrives', 'an answer to a reversal is heard'] as const;

/** Orders that chance rarely makes. */
const certain: readonly (readonly Step[])[] = [
  [...confirmedInTime, ...reversedLate],
  [...confirmedInTime, 'the POS refunds', ...reversedLate],
  [...reversedAgain],
  [...reversedAgain, ...reversedLate],
  [...reversedAgain, ...reversedLate, 'the operator asks the bank', 'the batch is settled'],
  [...reversedAgain, 'the POS refunds', ...reversedLate, 'the batch is settled'],
  [...confirmedInTime, 'the batch is settled', ...reversedLate],
  [...confirmedInTime, 'the POS refunds', 'the batch is settled', ...reversedLate, 'the terminal restarts'],
  [...confirmedInTime, 'the batch is settled', 'the POS refunds', ...reversedLate, 'the batch is settled'],
];

for (const first of ['down', 'losing', 'slow'] as const) {
  test(`once all evidence on a card payment has arrived, the host's books are reported: link ${first}`, async () => {
    await check(
      asyncProperty(array(constantFrom(...steps), { maxLength: 18 }), async (taken) => {
        const world = new World(first);
        try {
          const { id, conclusion, intent } = ended(await world.stage.paid());
          assert.equal(conclusion?.result, 'ERROR');
          world.saleId = id;
          world.saleStan = intent?.trace.stan ?? 0;
          for (const step of taken) {
            await world.take(step);
            await agree(world);
          }
          await world.end();
          await judge(world);
          // The timers of the previous process run on the same clock, and find its journal closed.
          const failures = world.stage.failures.filter(
            (error) => !/database is not open|finalized/.test(String(error)),
          );
          assert.deepEqual(failures, []);
        } finally {
          await world.stage.forwarder.close();
          world.stage.close();
        }
      }),
      { numRuns: 200, examples: certain.map((taken) => [[...taken]]) },
    );
  });
}
