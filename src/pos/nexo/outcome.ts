import type { Clock } from '../../base/ports/clock.ts';
import type { PosAnswer, PosCaller, PosCalls } from '../contracts/pos-calls.ts';
import type { MessageHeader } from './header.ts';
import type { KnownMessage, KnownMessages } from './known-messages.ts';
import { isOpen, type PosBody } from './response.ts';

/** What every handler of a message uses. */
export interface NexoParts {
  readonly calls: PosCalls;
  readonly messages: KnownMessages;
  readonly clock: Clock;
  /** For how long a payment of unknown outcome is held. */
  readonly holdMs: number;
  /** Aborted when the terminal stops: held payments are given up. */
  readonly closing: AbortSignal;
  /** Whether authorisationType=PreAuth is heeded. */
  readonly preAuth: boolean;
}

/** A message whose sender is known as far as it can be. */
export interface Asked {
  readonly header: MessageHeader;
  readonly posId: string;
  readonly caller: PosCaller;
  /** Of the whole message. */
  readonly digest: string;
}

const abortedAnswer: PosAnswer = {
  status: 409,
  body: {
    responseResult: 'TRANSACTION_ALREADY_CANCEL',
    reason: 'cancelledByPos',
    financialImpact: 'NONE',
    message: 'it was aborted before anything was started',
  },
};

/** How often an open outcome is asked for. */
const enquiryMs = 2_000;

export function bodyOf({ body }: PosAnswer): PosBody {
  return (body ?? {}) as PosBody;
}

/**
 * Calls for a message, and waits until the outcome is known. Undefined if it is still open: no answer may be sent then.
 */
export async function carryOut(
  message: KnownMessage,
  call: () => Promise<PosAnswer>,
  { caller }: Asked,
  parts: NexoParts,
): Promise<PosAnswer | undefined> {
  // Its abort has come while it was written.
  if (message.isAborted && !message.isStarted) return abortedAnswer;
  const isRepeat = message.isStarted;
  message.calls += 1;
  message.isStarted = true;
  let answer: PosAnswer | undefined;
  try {
    answer = await call();
    const body = bodyOf(answer);
    // A repeat may become another request where the configuration has changed. Its transaction is the same.
    const isSame = isRepeat && body.reason === 'messageIdReused';
    if (isSame || isOpen(body)) answer = await awaitOutcome(message, answer, caller, parts);
  } finally {
    message.calls -= 1;
  }
  if (answer && isNothingStarted(answer)) parts.messages.release(message);
  return answer;
}

/** The terminal has no transaction of it, and the same message may start one later. */
function isNothingStarted(answer: PosAnswer): boolean {
  const { financialImpact, reason } = bodyOf(answer);
  return answer.status >= 400 && financialImpact === 'NONE' && reason !== 'messageIdReused';
}

async function awaitOutcome(
  message: KnownMessage,
  first: PosAnswer,
  caller: PosCaller,
  { calls, clock, holdMs, closing }: NexoParts,
): Promise<PosAnswer | undefined> {
  const { posId, messageId } = message;
  const given = caller.connection?.gone;
  const ended = given ? AbortSignal.any([given, closing]) : closing;
  for (let heldMs = 0; heldMs < holdMs && !ended.aborted; heldMs += enquiryMs) {
    const answer = await calls.enquiry({ posId, messageId }, caller);
    const body = bodyOf(answer);
    const isUnknown = answer.status === 404 && body.financialImpact === 'NONE';
    // Another call for the same message may be on its way to the terminal.
    if (isUnknown && message.calls === 1) return { ...first, body: { ...bodyOf(first), financialImpact: 'NONE' } };
    // A refusal of the enquiry tells nothing of the payment.
    if (answer.status === 200 && !isOpen(body)) return answer;
    await pause(enquiryMs, clock, ended);
  }
  return undefined;
}

/** Resolves after that time, or once the signal is aborted. */
export function pause(ms: number, clock: Clock, ended: AbortSignal): Promise<void> {
  if (ended.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = clock.setTimeout(end, ms);
  ended.addEventListener('abort', end, { once: true });
  return promise.finally(() => {
    clock.clearTimeout(timer);
    ended.removeEventListener('abort', end);
  });
}
