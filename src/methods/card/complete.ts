import { secondCryptogramText, faultsSince } from '../../codecs/emv/second-generate-ac.ts';
import { DeviceError } from '../../base/ports/device.ts';
import type { CardCompletion } from '../../base/ports/card-reader.ts';
import type { JournalEvent } from '../../payment/events/event.ts';
import { receiptEvents, conclusionOf, localDecline } from '../../payment/transaction/decide.ts';
import { failure } from '../../payment/events/conclusion.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import { hexByTag } from './description.ts';
import type { Collected } from './collected.ts';
import type { Order } from '../../payment/method/order.ts';
import type { CardParts } from './parts.ts';

/**
 * The second stage of a contact chip. The payment is approved only if the card agrees. In every other case, also
 * without an answer from the card, the host's approval is reversed.
 */
export async function completeCard(order: Order, collected: Collected, parts: CardParts): Promise<Authorization> {
  const { reader, journal, onFailure } = parts;
  const { decision } = collected;
  const completion: CardCompletion = await (reader.complete && decision
    ? reader.complete(decision)
    : Promise.resolve({ kind: 'lost' } as const)
  ).catch((error: unknown) => {
    onFailure?.(error);
    return { kind: 'lost' } as const;
  });
  const first = collected.card?.emv ?? new Map();
  if (collected.card) collected.card = { ...collected.card, awaitsDecision: undefined };
  const agreed = completion.kind === 'agreed';
  const last: JournalEvent = {
    kind: 'cardCompleted',
    agreed,
    emv: completion.kind === 'lost' ? {} : hexByTag(completion.emv),
  };
  if (agreed) {
    const conclusion = conclusionOf({ kind: 'offline', approvalCode: '' });
    const ended = [last, { kind: 'ended', ...conclusion } as const, ...receiptEvents(order.printsReceipt)];
    return { kind: 'concluded', conclusion, stored: await journal.append(order.id, ended) };
  }
  await journal.append(order.id, [last, { kind: 'reversalQueued', reason: `card ${completion.kind}` }]);
  if (completion.kind === 'refused') {
    onFailure?.(
      new DeviceError(
        'refused',
        `the card refused what its issuer approved: ${secondCryptogramText(first, completion.emv)}`,
      ),
    );
  }
  const conclusion =
    completion.kind === 'refused'
      ? localDecline('refusedByCardAfterApproval', refusalText(faultsSince(first, completion.emv)))
      : failure('ERROR', 'cardRemovedEarly', 'the card was taken out too early, the payment is reversed');
  return { kind: 'unknown', conclusion };
}

/** Text for the merchant, with what the card itself found wrong, if it says so. */
function refusalText(fault: readonly string[]): string {
  const why = fault.length === 0 ? '' : ` (${fault.join(', ')})`;
  return `the card refused what its issuer approved${why}, the payment is reversed`;
}
