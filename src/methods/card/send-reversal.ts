import type { AcquirerHost } from '../../payment/contracts/acquirer-host.ts';
import type { TransactionRecord } from '../../payment/records/record.ts';
import type { SendAttempt, SendResult } from '../../payment/method/acquirer.ts';
import type { NoRecordWindow } from './no-record-window.ts';
import { buildOrder, reversalOrder } from './message.ts';

interface ReversalParts {
  readonly host: Pick<AcquirerHost, 'reverse'>;
  readonly noRecordWindow: NoRecordWindow;
}

/** The reversal of an online request (ISO 8583 0400, repeated 0401). Throws UnsendableOrder. */
export function prepareReversal(record: TransactionRecord, { host, noRecordWindow }: ReversalParts): SendAttempt {
  const order = buildOrder(() => reversalOrder(record));
  return async (attempt): Promise<SendResult> => {
    // "No record" tells what the host knew when the reversal was sent, so the grace period is measured then.
    const sentMs = noRecordWindow.remainingMs(record.id);
    const outcome = await host.reverse(order, attempt > 1);
    const graceMs = Math.max(sentMs, noRecordWindow.remainingMs(order.trace.stan));
    if (outcome.kind === 'unanswered') return { kind: 'again' };
    const { kind, responseCode } = outcome;
    if (kind === 'contradicted') return { kind: 'again', refusedWith: responseCode, otherAmount: outcome.otherAmount };
    if (kind === 'refused') return { kind: 'again', refusedWith: responseCode };
    if (kind === 'noRecord' && graceMs > 0) return { kind: 'again', afterMs: graceMs };
    return {
      kind: 'through',
      news: 'reversal acknowledged',
      events: [{ kind: 'reversalAcknowledged', responseCode }],
    };
  };
}
