import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import { posDetailsOf } from '../../base/domain/pos-details.ts';
import type { Accepted } from '../events/accepted.ts';
import type { Order } from '../method/order.ts';
import type { PaymentRequest } from './request.ts';

/** What the journal keeps of a request, before anything of it is shown, told or sent. */
export function acceptanceOf(
  { kind, amount, tipMinor, cashbackMinor }: Order,
  request: PaymentRequest,
  clockDoubt: ClockDoubt | undefined,
): Accepted {
  const { posId, messageId, digest, shape, printedBy, originalId, approvalCode } = request;
  return {
    kind: 'accepted',
    posId,
    messageId,
    digest,
    type: kind,
    amountMinor: amount.minor.toString(),
    currency: amount.currency,
    shape,
    printedBy,
    ...(tipMinor === 0n ? {} : { tipMinor: tipMinor.toString() }),
    ...(originalId === undefined ? {} : { originalId }),
    ...(approvalCode === undefined ? {} : { approvalCode }),
    ...(cashbackMinor === undefined ? {} : { cashbackMinor: cashbackMinor.toString() }),
    ...posDetailsOf(request),
    ...(clockDoubt === undefined ? {} : { clockDoubt }),
  };
}
