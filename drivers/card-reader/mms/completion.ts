import type { CardCompletion, CardDecision } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { protocolError } from '../protocol-error.ts';
import { completionOf } from '../second-stage.ts';
import { readCardData } from './card-data.ts';
import { notification } from './commands.ts';
import type { Connection } from './connection.ts';
import type { Notification } from './exchange.ts';
import type { Command } from './message.ts';
import { endingOf } from './ending.ts';
import { cardEvent, isTaken, refusal } from './status.ts';

/** DFDF1A: approved; declined, or an error of the device (DynaPro Go Programmer's Manual D998200136, p.135). */
const results: ReadonlyMap<number | undefined, 'approved' | 'declined'> = new Map([
  [0x00, 'approved'],
  [0x01, 'declined'],
  [0x02, 'declined'],
]);

export interface CompletionLimits {
  /** Time-out from the answer to 1004 to the card's batch data: the card may have to run scripts. */
  readonly completionTimeoutMs: number;
  /** Time-out from the batch data to the end of the transaction. */
  readonly endTimeoutMs: number;
}

/**
 * Sends the decision to a waiting chip (1004) and reads its answer. Afterwards the card never waits any more: if the
 * reader does not end the transaction, 1008 does. `command` is the 1004. Only inside `exclusively`.
 */
export async function completeCard(
  connection: Connection,
  command: Command,
  decision: CardDecision,
  { completionTimeoutMs, endTimeoutMs }: CompletionLimits,
): Promise<CardCompletion> {
  const reply = await connection.request(command);
  if (reply.kind !== 'response') return noWord(connection, reply.kind);
  if (!isTaken(reply.summary)) {
    // The card was taken out earlier, which ended the transaction.
    if (reply.detail === refusal.noTransaction) return { kind: 'lost' };
    await connection.disarm();
    throw new DeviceError('refused', `reader answered 1004 with ${reply.detail}`);
  }
  let word: CardCompletion;
  try {
    const heard = await connection.listen({ timeoutMs: completionTimeoutMs }, (event) => {
      if (event.id === notification.transactionOver) return endWithoutWord(event);
      if (event.id !== notification.card || event.detail !== cardEvent.batchData) return undefined;
      return { completion: cardCompletion(event.technology, event.data, decision), over: false };
    });
    if (heard.kind !== 'heard') return await noWord(connection, heard.kind);
    if (heard.heard.over) return heard.heard.completion;
    word = heard.heard.completion;
  } catch (error) {
    await connection.disarm();
    throw error;
  }
  await awaitEnd(connection, word, endTimeoutMs);
  return word;
}

/** 0105 instead of batch data: the card was taken out, or the reader gave up. */
function endWithoutWord(end: Notification): { readonly completion: CardCompletion; readonly over: true } {
  if (endingOf(end.technology, end.detail) === 'approved')
    throw protocolError('the transaction ended without batch data');
  return { completion: { kind: 'lost' }, over: true };
}

/** Waits for the end after the batch data. Throws if it contradicts the card's approval: then neither counts. */
async function awaitEnd(connection: Connection, word: CardCompletion, endTimeoutMs: number): Promise<void> {
  const end = await connection.listen({ timeoutMs: endTimeoutMs, ignoreGarble: true }, ({ id, technology, detail }) =>
    id === notification.transactionOver ? { ending: endingOf(technology, detail), technology } : undefined,
  );
  if (end.kind === 'heard') {
    const approved = end.heard.technology === contact && end.heard.ending === 'approved';
    if (word.kind === 'agreed' && !approved) throw protocolError('the end of the transaction contradicts the card');
    return;
  }
  // The card's answer stands, even if the reader can't be disarmed afterwards and is prepared again.
  if (end.kind !== 'vanished') await connection.disarm().catch(() => {});
}

async function noWord(
  connection: Connection,
  kind: 'garbled' | 'silent' | 'aborted' | 'vanished',
): Promise<CardCompletion> {
  if (kind === 'vanished') throw new DeviceError('vanished', `${connection.name} vanished while a card was waiting`);
  await connection.disarm();
  if (kind === 'garbled') throw protocolError('the batch data was damaged');
  return { kind: 'lost' };
}

const contact = 0x10;

/** Reads the batch data after a 1004. Throws DeviceError 'protocol'. The caller owns the payload and overwrites it. */
export function cardCompletion(technology: number, payload: Uint8Array, decision: CardDecision): CardCompletion {
  if (technology !== contact) throw protocolError('batch data of another interface');
  const card = readCardData(payload);
  return completionOf(card.emv, results.get(card.result), decision);
}
