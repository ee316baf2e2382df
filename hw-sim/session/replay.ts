import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import {
  hostStory,
  type Recording,
  recordingShape,
  statusOf,
  type TillStep,
  type Told,
  toldOf,
  transactionOf,
} from './recording.ts';

/** How long a customer waits until the terminal asks: the machine may be slower than the one of the recording. */
const holdMs = 20_000;
const pauseMs = 200;

const began = z.object({ after: z.int() });
const answered = z.object({ status: z.int(), body: z.string() });
const frame = z.object({ line: z.string(), protocol: z.string(), kind: z.string(), summary: z.string() });
const listed = z.object({ frames: z.array(frame) });

interface Asked {
  readonly step: TillStep;
  /** What later requests of the recording name it by. */
  readonly identity: Readonly<Record<'posId' | 'messageId', string>>;
  readonly answer: Promise<Answer>;
}

interface Answer {
  readonly told: Told;
  readonly transaction: string | undefined;
}

/**
 * Does again what a recording tells, with a simulator and its terminal, and returns a sentence for each difference: in what
 * the till was told, in what the journal says in the end, in what the card hosts heard. What goes on after the last answer,
 * such as a reversal, has `settleMs`. Rejects if the simulator refuses a step.
 */
export async function replay(given: unknown, simulator: string, settleMs = 30_000): Promise<string[]> {
  const { steps, hosts } = recordingShape.parse(given);
  const { after } = began.parse(await ask(simulator, 'POST', '/api/session', {}));
  const requests = await play(steps, simulator);
  const differences: string[] = [];
  for (const [at, { step, answer }] of requests.entries()) {
    differences.push(...difference(`request ${at + 1}, the till`, step.told, (await answer).told));
  }
  const until = Date.now() + settleMs;
  for (const [at, { step, identity }] of requests.entries()) {
    const wanted = step.journal;
    if (wanted === undefined) continue;
    differences.push(
      ...(await settled(`request ${at + 1}, the journal`, wanted, until, () => journalOf(simulator, identity))),
    );
  }
  return [...differences, ...(await settled('the card hosts', hosts, until, () => heard(simulator, after)))];
}

async function play(steps: Recording['steps'], simulator: string): Promise<Asked[]> {
  const begun: Asked[] = [];
  for (const step of steps) {
    // What had its answer before this step must have it now, too.
    for (const each of begun) if ((each.step.endedMs ?? Infinity) <= step.atMs) await each.answer;
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

async function request(
  { till }: TillStep,
  identity: Asked['identity'],
  original: string | undefined,
  simulator: string,
): Promise<Answer> {
  const { method, path, body } = till;
  const named = { ...identity, ...(original !== undefined && { originalTerminalTransactionId: original }), ...body };
  const call = { method, path, ...(body !== undefined && { body: named }) };
  const { status, body: text } = answered.parse(await ask(simulator, 'POST', '/api/till/call', call));
  return { told: toldOf(status, text), transaction: transactionOf(text) };
}

async function journalOf(simulator: string, identity: Asked['identity']): Promise<string | undefined> {
  const enquiry = { path: 'enquiry', body: identity };
  return statusOf(answered.parse(await ask(simulator, 'POST', '/api/till/call', enquiry)).body);
}

async function heard(simulator: string, after: number): Promise<string[]> {
  return hostStory(listed.parse(await ask(simulator, 'GET', `/api/wires?after=${after}`)).frames);
}

/** Asks until it is as recorded: what is repeated until a host answers takes a while. */
async function settled(
  where: string,
  recorded: unknown,
  until: number,
  now: () => Promise<unknown>,
): Promise<string[]> {
  for (;;) {
    const found = difference(where, recorded, await now());
    if (found.length === 0 || Date.now() > until) return found;
    await pause(pauseMs);
  }
}

function difference(where: string, recorded: unknown, now: unknown): string[] {
  if (isDeepStrictEqual(recorded, now)) return [];
  return [`${where}: recorded ${JSON.stringify(recorded)}, now ${JSON.stringify(now)}`];
}

async function ask(simulator: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(simulator + path, { method, ...(body && { body: JSON.stringify(body) }) });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}
