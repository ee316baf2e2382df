import { parseMajor } from '../../base/domain/amount.ts';
import type { ScreenAction } from '../../payment/contracts/screen.ts';
import type { Answered, Authorization, Collecting } from '../../payment/transaction/machine.ts';
import { awaitScreen } from '../../payment/method/collecting.ts';
import type { Order } from '../../payment/method/order.ts';
import type { MethodSession } from '../../payment/method/payment-method.ts';
import type { CashParts } from './parts.ts';
import { bareApproval } from '../../payment/events/answer.ts';
import type { CashIntent } from './contract.ts';
import { conclusionEvents, conclusionOf, localDecline } from '../../payment/transaction/decide.ts';
import { selectAcquirer } from '../../payment/method/methods.ts';
import { commitConclusion } from '../../payment/method/commit-answer.ts';

/** One payment in cash, counted by the merchant. */
export class CashSession implements MethodSession {
  readonly #order: Order;
  readonly #parts: CashParts;
  #tenderedMinor: bigint | undefined;
  /** True while the merchant is asked for the amount tendered. */
  #isCounting = false;

  constructor(order: Order, parts: CashParts) {
    this.#order = order;
    this.#parts = parts;
  }

  async collect(_mode: string, signal: AbortSignal): Promise<Collecting> {
    this.#isCounting = true;
    const end = await awaitScreen(signal);
    this.#isCounting = false;
    return end;
  }

  /** Less than the amount does not end the step: the merchant may enter more. */
  act(action: ScreenAction): Answered | undefined {
    if (action.kind !== 'tender' || !this.#isCounting) return undefined;
    const { amount } = this.#order;
    const tendered = parseMajor(action.amount, amount.currency);
    if (typeof tendered === 'string' || tendered.minor < amount.minor) return undefined;
    this.#tenderedMinor = tendered.minor;
    this.#isCounting = false;
    return { kind: 'collected' };
  }

  async authorize(): Promise<Authorization> {
    if (this.#tenderedMinor === undefined) throw new Error('no cash was counted');
    return takeCash(this.#order, this.#tenderedMinor, this.#parts);
  }

  /** Cash is refunded across the counter, outside this terminal. */
  async authorizeByReference(): Promise<Authorization> {
    throw new Error('no transaction can refer to a cash payment');
  }

  async disarm(): Promise<void> {
    // Nothing is armed for cash.
  }

  async forget(): Promise<void> {
    this.#tenderedMinor = undefined;
  }
}

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
