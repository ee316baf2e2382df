import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Fields, Identity, Outcome } from '../../pos/client/client.ts';
import { exitCodes, statusOf } from './exit-code.ts';
import { moneyText } from './money.ts';
import { followTransaction, progressTeller } from './progress.ts';
import { outcomeText, print, warn } from './said.ts';
import { SimulatedCustomer } from './simulated-customer.ts';
import { explain, type Till, type TillFlags } from './till.ts';
import { shownLines } from './shown.ts';

/** How soon a cancel is sent again that came before the payment, or got no answer. */
const cancelAgainMs = 500;

/**
 * Carries out one transaction to its end, and returns the exit code. The terminal is asked until the outcome is known,
 * always for the same identity: a second payment is never begun. Rejects with TillError if there is no terminal.
 */
export async function conduct(till: Till, request: Identity & Fields, flags: TillFlags): Promise<number> {
  const isNew = flags['id'] === undefined;
  // An earlier call with the same identity may have begun a payment.
  await till.reach(isNew ? exitCodes.refused : exitCodes.unknown);
  const { posId, messageId } = request;
  const over = new AbortController();
  const left = new AbortController();
  const { client, answerText } = till.client();
  print(`${describe(request)} at ${till.url}, ${posId} ${messageId}`);
  watch(till, request, flags, over.signal);
  const stopListening = listenForBreak(till, request, { over: over.signal, left });
  try {
    const outcome = await client.pay(request, left.signal);
    over.abort();
    if (left.signal.aborted) return leave(till, request);
    const code = await report(till, outcome, { flags, text: answerText() });
    return code === exitCodes.refused && !isNew ? await codeOfKnown(till, request) : code;
  } finally {
    over.abort();
    stopListening();
  }
}

/** A refusal does not cover an earlier call with the same identity. The exit code is 1 only if there was none. */
async function codeOfKnown(till: Till, request: Identity): Promise<number> {
  const answer = await till.client().client.enquiry(request).catch(sentenceOf);
  const isNone =
    typeof answer !== 'string' && answer.responseResult === 'NOT_FOUND' && answer.financialImpact === 'NONE';
  if (isNone) return exitCodes.refused;
  warn(`what ${request.messageId} was before: poid enquire ${request.messageId}${till.sameFlags}`);
  return exitCodes.unknown;
}

function describe({ transactionType, requestAmount, currency }: Fields): string {
  const amount = requestAmount === undefined ? '' : ` ${moneyText(requestAmount, currency)}`;
  return `${String(transactionType).replaceAll('_', ' ')}${amount}`;
}

/** Prints the progress, and lets the simulated customer act on it. */
function watch(till: Till, identity: Identity, flags: TillFlags, over: AbortSignal): void {
  const show = progressTeller();
  const customer =
    flags['sim'] === undefined
      ? undefined
      : new SimulatedCustomer(flags, over, () => void cancelUntilOver(till, identity, over));
  const meet = (state: Readonly<Record<string, string>>) => {
    if (over.aborted) return;
    show(state);
    customer?.meet(state);
  };
  // The answer does not depend on the stream.
  void followTransaction(till.client().client, identity, over, meet).catch(() => undefined);
}

/**
 * Ctrl-C cancels the payment, and its outcome is awaited; a second one ends the command. Returns a function that stops
 * listening.
 */
function listenForBreak(
  till: Till,
  identity: Identity,
  ends: { over: AbortSignal; left: AbortController },
): () => void {
  let count = 0;
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const listen = () => {
    count += 1;
    if (count > 1) return ends.left.abort();
    print('cancelling; Ctrl-C again leaves before the outcome is known');
    void cancelUntilOver(till, identity, ends.over);
  };
  for (const each of signals) process.on(each, listen);
  return () => {
    for (const each of signals) process.off(each, listen);
  };
}

/** The cancel may arrive before the payment. */
async function cancelUntilOver(till: Till, identity: Identity, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const answer = await till.client().client.cancel(identity).catch(sentenceOf);
    if (over.aborted) return;
    if (typeof answer === 'string') warn(`the cancel got no answer: ${answer}`);
    else if (answer.responseResult !== 'NOT_FOUND') {
      if (answer.responseResult !== 'SUCCESS') warn(lateText(answer));
      return;
    }
    await pause(cancelAgainMs, undefined, { signal: over }).catch(() => undefined);
  }
}

function lateText({ text, message }: Answer): string {
  return `not cancelled: ${text?.en ?? message ?? ''} Its outcome is awaited.`;
}

function leave(till: Till, { posId, messageId }: Identity): number {
  warn(`left before the outcome of ${posId} ${messageId} is known. Do not charge again before:`);
  warn(`  poid enquire ${messageId}${till.sameFlags}`);
  return exitCodes.unknown;
}

interface Reported {
  readonly flags: TillFlags;
  /** The terminal's answer as it came. */
  readonly text: string;
}

/** Prints the outcome, and returns its exit code even if the output can't be written. */
export async function report(till: Till, outcome: Outcome, reported: Reported): Promise<number> {
  const status = statusOf(outcome);
  await printOutcome(till, outcome, reported).catch((error: unknown) => warn(`poid: ${explain(error)}`));
  return exitCodes[status];
}

/** Prints the outcome, and the customer's receipt if it was approved. */
async function printOutcome(till: Till, outcome: Outcome, { flags, text }: Reported): Promise<void> {
  const status = statusOf(outcome);
  if (flags['json']) {
    if (outcome.answer) process.stdout.write(`${text}\n`);
    else warn(outcomeText(outcome));
  } else {
    console.log(outcomeText(outcome));
    const messageId = outcome.answer?.messageId;
    if (status === 'paid' && !flags['without-receipt'] && messageId !== undefined)
      await printReceipt(till, { posId: till.posId, messageId });
  }
  if (status === 'unknown' && outcome.answer?.messageId !== undefined)
    warn(`ask later: poid enquire ${outcome.answer.messageId}${till.sameFlags}`);
}

async function printReceipt(till: Till, identity: Identity): Promise<void> {
  const { client } = till.client();
  const answer = await client.receipt({ ...identity, copy: 'CUSTOMER', output: 'TEXT' }).catch(sentenceOf);
  if (typeof answer === 'string') warn(`the receipt could not be read: ${answer}`);
  else if (answer.responseResult === 'SUCCESS') console.log(`\n${shownLines(receiptText(answer))}`);
}

/** The text of a receipt; `text` of a refusal is another one. */
function receiptText({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === 'string' ? text.trimEnd() : '';
}

function sentenceOf(error: unknown): string {
  return explain(error);
}
