import type { CardCompletion, CardDecision } from '../../../src/base/ports/card-reader.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { protocolError } from '../protocol-error.ts';
import { completionOf } from '../second-stage.ts';
import { keptObjects, readObjects } from './presented-card.ts';
import { command } from './commands.ts';
import type { Connection } from './connection.ts';
import { status, statusText } from './status.ts';

/** The two bytes before the objects: published result codes of the vendor's SDK. */
const results: ReadonlyMap<number, 'approved' | 'declined'> = new Map([
  [0x0002, 'approved'],
  [0x0003, 'declined'],
]);

export interface CompletionLimits {
  /** Time-out of the first answer, status 63. */
  readonly replyTimeoutMs: number;
  /** Time-out from the first answer to the second: the card may have to run scripts. */
  readonly completionTimeoutMs: number;
}

/**
 * Sends the decision to a waiting chip (60-12) and reads its answer. Afterwards the card never waits any more: if its
 * own answer does not end the transaction, 05-01 does. `frame` is the 60-12. Only inside `exclusively`.
 */
export async function completeCard(
  connection: Connection,
  frame: Uint8Array,
  decision: CardDecision,
  { replyTimeoutMs, completionTimeoutMs }: CompletionLimits,
): Promise<CardCompletion> {
  const reply = await connection.run(frame, command.contact, {
    timeoutMs: completionTimeoutMs,
    acknowledgement: { status: status.interim, timeoutMs: replyTimeoutMs },
  });
  switch (reply.kind) {
    case 'answer': {
      let completion: CardCompletion | undefined;
      try {
        completion = cardCompletion(reply, decision);
        return completion;
      } finally {
        reply.data.fill(0);
        if (!completion) await connection.disarm();
      }
    }
    case 'silent':
    case 'aborted':
      await connection.disarm();
      return { kind: 'lost' };
    case 'garbled':
      await connection.disarm();
      throw protocolError('the answer to 60-12 was damaged');
    case 'vanished':
      throw new DeviceError('vanished', `${connection.name} vanished while a card was waiting`);
    default:
      return reply satisfies never;
  }
}

interface CompletionAnswer {
  readonly status: number;
  readonly data: Uint8Array;
  readonly acknowledged: boolean;
}

/**
 * Reads the last answer to 60-12. Throws DeviceError 'protocol' if it breaks the protocol, 'refused' for a status that
 * is not about the card. The caller owns the data and overwrites it.
 */
export function cardCompletion(answer: CompletionAnswer, decision: CardDecision): CardCompletion {
  if (answer.status === status.failed) return { kind: 'lost' };
  if (answer.status !== status.ok) {
    throw new DeviceError('refused', `reader answered 60-12 with status ${statusText(answer.status)}`);
  }
  if (!answer.acknowledged) throw protocolError('an answer to 60-12 before its acknowledgement');
  const [high, low] = answer.data;
  if (high === undefined || low === undefined) throw protocolError('no result');
  return completionOf(keptObjects(readObjects(answer.data.subarray(2))), results.get((high << 8) | low), decision);
}
