import type { CollectOutcome, CollectRequest } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { waitSeconds } from '../transaction-request.ts';
import { notification, start } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Notification, Response } from './exchange.ts';
import { readPresentedCard, type Presented } from './presented-card.ts';
import { endingOf } from './ending.ts';
import { transactionEnd, vanishedError } from './transaction-end.ts';
import { cardEvent, isTaken, refusal } from './status.ts';

export interface CollectLimits {
  /** How much longer than the reader this side waits for a card. */
  readonly answerMarginMs: number;
  /** Time-out from the card's data to the end of its transaction. */
  readonly endTimeoutMs: number;
}

type Heard =
  | ({ readonly kind: 'card' } & Presented)
  | { readonly kind: 'over'; readonly outcome: CollectOutcome | undefined }
  | { readonly kind: 'collision' };

/**
 * Sends 1001, and 1008 when the signal aborts. Settles once the reader is disarmed, or with a card that waits for its
 * decision (1004). Only inside `exclusively`.
 */
export async function collectCard(
  connection: Connection,
  request: CollectRequest,
  limits: CollectLimits,
  signal: AbortSignal,
): Promise<CollectOutcome> {
  const reply = await connection.request(start(request), signal);
  if (reply.kind === 'response') {
    if (!isTaken(reply.summary)) return refuseStart(connection, reply);
    return hearCard(connection, request, limits, signal);
  }
  return concludeUnheard(connection, reply.kind, signal);
}

async function refuseStart(connection: Connection, { summary, detail }: Response): Promise<never> {
  if (detail === refusal.inProgress) await connection.disarm();
  throw new DeviceError('refused', `reader answered 1001 with ${summary.toString(16).padStart(2, '0')} ${detail}`);
}

async function hearCard(
  connection: Connection,
  request: CollectRequest,
  limits: CollectLimits,
  signal: AbortSignal,
): Promise<CollectOutcome> {
  const timeoutMs = waitSeconds(request.timeoutMs) * 1_000 + limits.answerMarginMs;
  const event = await disarmOnError(connection, () =>
    connection.listen({ timeoutMs, signal }, (notification) => interpret(notification, request)),
  );
  if (event.kind !== 'heard') return concludeUnheard(connection, event.kind, signal);
  const outcome = await concludeHeard(connection, event.heard, limits.endTimeoutMs);
  // The abort came after the card: even so, no card is returned.
  if (!signal.aborted) return outcome;
  if (awaits(outcome)) await connection.disarm();
  return { kind: 'cancelled' };
}

/** Undefined for a progress notification: a card was detected, inserted or removed. */
function interpret({ id, technology, detail, data }: Notification, request: CollectRequest): Heard | undefined {
  if (id === notification.transactionOver) return { kind: 'over', outcome: outcomeOfEnd(technology, detail) };
  if (id !== notification.card) return undefined;
  switch (detail) {
    case cardEvent.collision:
      return { kind: 'collision' };
    case cardEvent.authorizationRequest:
      return { kind: 'card', ...readPresentedCard(technology, 'asks', data, request) };
    case cardEvent.batchData:
      return { kind: 'card', ...readPresentedCard(technology, 'ended', data, request) };
    default:
      return undefined;
  }
}

/** Undefined if the transaction ended normally: its outcome came before. */
function outcomeOfEnd(technology: number, detail: string): CollectOutcome | undefined {
  const ending = endingOf(technology, detail);
  switch (ending) {
    case 'approved':
      return undefined;
    case 'declined':
      return { kind: 'refused', reason: 'declined' };
    case 'notAccepted':
      return { kind: 'refused', reason: 'unsupported' };
    case 'timedOut':
      return { kind: 'timeout' };
    case 'useChip':
      return { kind: 'tryAgain', reason: 'use-chip' };
    case 'useMagstripe':
      return { kind: 'tryAgain', reason: 'use-magstripe' };
    case 'other':
      // An unknown end allows another try: the request's own time-out ends the tries.
      return { kind: 'tryAgain', reason: 'read-error' };
    default:
      return ending satisfies never;
  }
}

async function concludeHeard(connection: Connection, heard: Heard, endTimeoutMs: number): Promise<CollectOutcome> {
  switch (heard.kind) {
    case 'over':
      if (heard.outcome) return heard.outcome;
      throw new DeviceError('protocol', 'the transaction ended without a card');
    case 'collision':
      await connection.disarm();
      return { kind: 'tryAgain', reason: 'collision' };
    case 'card': {
      connection.serial = heard.serial;
      if (!heard.waits) {
        const end = await transactionEnd(connection, endTimeoutMs);
        // The reader reads the magstripe of a chip card first, and refuses it afterwards.
        const outcome = end && outcomeOfEnd(end.technology, end.detail);
        return heard.outcome.kind === 'card' && outcome ? outcome : heard.outcome;
      }
      if (!awaits(heard.outcome)) await connection.disarm();
      return heard.outcome;
    }
    default:
      return heard satisfies never;
  }
}

function awaits(outcome: CollectOutcome): boolean {
  return outcome.kind === 'card' && (outcome.card.awaitsDecision ?? outcome.card.awaitsOutcome) === true;
}

async function concludeUnheard(
  connection: Connection,
  kind: 'garbled' | 'silent' | 'aborted' | 'vanished',
  signal: AbortSignal,
): Promise<CollectOutcome> {
  if (kind === 'vanished') throw vanishedError(connection);
  await connection.disarm();
  switch (kind) {
    case 'aborted':
      return { kind: 'cancelled' };
    case 'garbled':
      return signal.aborted ? { kind: 'cancelled' } : { kind: 'tryAgain', reason: 'read-error' };
    case 'silent':
      throw new DeviceError('timeout', `${connection.name} gave no answer to 1001`);
    default:
      return kind satisfies never;
  }
}

/** After an error the reader may still process the card, so it is disarmed. */
async function disarmOnError<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await connection.disarm();
    throw error;
  }
}
