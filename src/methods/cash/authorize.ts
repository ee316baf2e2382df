import { bareApproval } from '../../payment/events/answer.ts';
import type { CashIntent } from '../../payment/events/intent.ts';
import { conclusionEvents, conclusionOf, localDecline } from '../../payment/transaction/decide.ts';
import type { Authorization } from '../../payment/transaction/machine.ts';
import { selectAcquirer } from '../../payment/method/acquirer-choice.ts';
import type { Order } from '../../payment/method/order.ts';
import { commitConclusion } from '../../payment/method/commit-answer.ts';
import type { CashParts } from './parts.ts';

/** Takes cash. No host is asked, so everything is one commit. Then the drawer opens. */
export async function takeCash(order: Order, tenderedMinor: bigint, parts: CashParts): Promise<Authorization> {
  const { journal, openDrawer, onFailure } = parts;
  const { id, amount } = order;
  const acquirerId = selectAcquirer(order, 'CASH')?.id;
  if (tenderedMinor < amount.minor) throw new RangeError('less cash than the amount was counted');
  if (!acquirerId) return commitConclusion(order, localDecline('notAccepted', 'cash is not taken here'), journal);
  const draft = {
    operation: 'sale',
    acquirerId,
    mid: '',
    tid: '',
    cash: { tenderedMinor: tenderedMinor.toString() },
  } as const satisfies Omit<CashIntent, 'kind' | 'trace'>;
  await journal.intend(id, draft, conclusionEvents(bareApproval, order));
  openDrawer?.().catch((error: unknown) => onFailure?.(error));
  return { kind: 'concluded', conclusion: conclusionOf(bareApproval) };
}
