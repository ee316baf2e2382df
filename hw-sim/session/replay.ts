import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { comparable, firstDifference } from './comparison.ts';
import {
  noAnswer,
  type Recording,
  recordingShape,
  statusOf,
  type TillStep,
  type RecordedAnswer,
  recordedAnswerOf,
  transactionOf,
} from './recording.ts';

/** How long a customer waits for the terminal's request: this machine may be slower than that of the recording. */
const holdMs = 20_000;
const pauseMs = 100;
/** The simulator's status if no terminal answers its till. */
const badGateway = 502;

const eventsShape = z.object({ events: recordingShape.shape.events, fault: z.string().optional() });
const answered = z.object({ status: z.int(), body: z.string() });

interface Asked {
  readonly step: TillStep;
  /** The identity by which later requests refer to it. */
  readonly identity: Readonly<Record<'posId' | 'messageId', string>>;
  readonly answer: Promise<Answer>;
}

interface Answer {
  readonly answered: RecordedAnswer | typeof noAnswer;
  readonly transaction: string | undefined;
}

export interface Replayed {
  readonly differences: readonly string[];
  /** Parts that can't be compared, and why. */
  readonly notCompared: readonly string[];
}

/**
 * Repeats the steps of a recording with a simulator and its terminal, and returns a sentence for each difference: in
 * the till's answers, in the journal's final statuses, and the first one in the card hosts' messages, in each request's
 * events and in each other line. Work after the last answer, such as a reversal, has `settleMs` to finish. Rejects if
 * the simulator refuses a step.
 */
export async function replay(given: unknown, simulator: string, settleMs = 30_000): Promise<Replayed> {
  const recorded = recordingShape.parse(given);
  const cut = recorded.leftOff.find(({ what }) => what === 'steps');
  if (cut) return { differences: [`not replayed: the recording lacks ${cut.why}`], notCompared: [] };
  await ask(simulator, 'POST', '/api/session', {});
  const requests = await play(recorded, simulator);
  const differences: string[] = [];
  for (const [at, { step, answer }] of requests.entries()) {
    const { answered } = await answer;
    if (!isDeepStrictEqual(step.told, answered))
      differences.push(difference(`request ${at + 1}, the till`, step.told, answered));
  }
  const until = Date.now() + settleMs;
  for (const [at, { step, identity }] of requests.entries()) {
    const wanted = step.journal;
    if (wanted === undefined) continue;
    let now = await journalOf(simulator, identity);
    for (; now !== wanted && Date.now() < until; now = await journalOf(simulator, identity)) await pause(pauseMs);
    if (now !== wanted) differences.push(difference(`request ${at + 1}, the journal`, wanted, now));
  }
  for (;;) {
    const { stories, notCompared } = comparable(recorded, await recordingOf(simulator));
    const found = stories.map(firstDifference).filter((each) => each !== undefined);
    if (found.length === 0 || Date.now() > until) return { differences: [...differences, ...found], notCompared };
    await pause(pauseMs);
  }
}

async function play({ steps, events }: Recording, simulator: string): Promise<Asked[]> {
  const begun: Asked[] = [];
  const caughtUp = listener(events, simulator);
  for (const step of steps) {
    // A request that had its answer before this step must have it now, too.
    for (const each of begun) if ((each.step.endedMs ?? Infinity) <= step.atMs) await each.answer;
    // Its events must have come as well: a cancel must not overtake its payment.
    await caughtUp(step.atMs);
    if ('till' in step) {
      const identity = begun[step.of ?? -1]?.identity ?? { posId: 'REPLAY', messageId: crypto.randomUUID() };
      const original = await begun[step.original ?? -1]?.answer;
      const answer = request(step, identity, original?.transaction, simulator);
      answer.catch(() => undefined);
      begun.push({ step, identity, answer });
    } else {
      const body = 'holdMs' in step.body ? { ...step.body, holdMs } : step.body;
      await ask(simulator, 'POST', step.call, body);
    }
  }
  return begun;
}

/**
 * Returns a function that waits until the terminal has sent as many events as it had at a moment of the recording. If
 * they do not come in time, the run differs, and no later call waits. Nor does any call wait if the recording lacks
 * events.
 */
function listener(events: Recording['events'], simulator: string): (atMs: number) => Promise<void> {
  let listens = !events.some(({ event }) => event === 'reset');
  const count = (given: Recording['events']) => given.filter(({ of }) => of !== undefined).length;
  return async (recordedMs) => {
    const wanted = count(events.filter(({ atMs }) => atMs < recordedMs));
    if (wanted === 0) return;
    const until = Date.now() + holdMs;
    while (listens) {
      const { events: reported, fault } = eventsShape.parse(await ask(simulator, 'GET', '/api/session/events'));
      if (count(reported) >= wanted) return;
      listens = fault === undefined && Date.now() < until;
      await pause(pauseMs);
    }
  };
}

async function recordingOf(simulator: string): Promise<Recording> {
  return recordingShape.parse(await ask(simulator, 'GET', '/api/session'));
}

async function request(
  { till }: TillStep,
  identity: Asked['identity'],
  original: string | undefined,
  simulator: string,
): Promise<Answer> {
  const { method, path, body } = till;
  const named = { ...identity, ...(original !== undefined && { originalTerminalTransactionId: original }), ...body };
  const call = { method, path, ...(body !== undefined && { body: named }) };
  const answer = await callTill(simulator, call);
  if (!answer) return { answered: noAnswer, transaction: undefined };
  return { answered: recordedAnswerOf(answer.status, answer.body), transaction: transactionOf(answer.body) };
}

async function journalOf(simulator: string, identity: Asked['identity']): Promise<string | undefined> {
  const enquiry = { path: 'enquiry', body: identity };
  const answer = await callTill(simulator, enquiry);
  return answer && statusOf(answer.body);
}

/** Undefined if the terminal did not answer: it may have no power. */
async function callTill(simulator: string, call: object): Promise<z.infer<typeof answered> | undefined> {
  const { status, body } = await send(simulator, 'POST', '/api/till/call', call);
  return status === badGateway ? undefined : answered.parse(body);
}

function difference(where: string, recorded: unknown, now: unknown): string {
  return `${where}: recorded ${JSON.stringify(recorded)}, now ${JSON.stringify(now)}`;
}

async function ask(simulator: string, method: string, path: string, call?: object): Promise<unknown> {
  return (await send(simulator, method, path, call)).body;
}

/** Rejects if the simulator refuses it, but not if only the terminal is missing. */
async function send(simulator: string, method: string, path: string, call?: object) {
  const response = await fetch(simulator + path, { method, ...(call && { body: JSON.stringify(call) }) });
  const body: unknown = await response.json();
  if (!response.ok && response.status !== badGateway) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return { status: response.status, body };
}
