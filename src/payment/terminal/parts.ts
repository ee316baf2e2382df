import type { ClockDoubt } from '../../base/domain/clock-doubt.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { Clock, Random } from '../../base/ports/clock.ts';
import type { Screen } from '../contracts/screen.ts';
import type { TerminalEvents } from '../contracts/terminal-events.ts';
import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { Acquirer } from '../method/acquirer.ts';
import type { Methods } from '../method/methods.ts';
import type { CollectTimeouts } from '../method/order.ts';
import type { Journal } from '../contracts/journal.ts';
import type { AcquirerProfile } from '../transaction/acquirer-profile.ts';
import type { ReferenceRules } from '../transaction/reference.ts';
import type { Merchants } from '../transaction/merchants.ts';
import type { SaleOption } from '../options/sale-option.ts';
import type { StoreAndForward } from './store-and-forward.ts';
import type { ReceiptService } from './receipt-service.ts';
import type { ApprovalQuestions } from './approval-questions.ts';
import type { BatchCapacity } from './batch-capacity.ts';

/** The parts that the composition root provides to a terminal. */
export interface TerminalParts {
  readonly journal: Journal;
  /** All acquirers of this terminal, in the order in which they are asked. */
  readonly acquirers: ReadonlyMap<AcquirerId, Acquirer>;
  readonly forwarder: StoreAndForward;
  readonly methods: Methods;
  readonly rules: ReferenceRules;
  /** The questions besides the payment, in this order. */
  readonly options?: readonly SaleOption[];
  /** Absent: no merchants. */
  readonly merchants?: Merchants;
  /** Absent on a terminal without a printer. */
  readonly receipts?: ReceiptService;
  /** A method's work before the open batch of its acquirer is settled. Rejects with JournalError. */
  readonly beforeSettlement?: (acquirerId: AcquirerId) => Promise<void>;
  readonly screen: Screen;
  /** The screen shows the requesting till, because tills may be elsewhere. */
  readonly namesTills?: boolean;
  /** Receives every change of state. */
  readonly events?: TerminalEvents;
  /** The terminal's own currency: an empty batch is settled in it. */
  readonly currency: CurrencyCode;
  readonly clock: Clock;
  /** Why the clock can't be relied on, and whether payments are refused meanwhile. */
  readonly clockDoubt?: { readonly now: () => ClockDoubt | undefined; readonly refuses: boolean };
  readonly random: Random;
  readonly timeouts: CollectTimeouts & {
    /** How long the customer may take to present, unless the request contains another time. */
    readonly collectMs: number;
    /** How long the customer may take to confirm on the phone. */
    readonly walletMs: number;
    readonly reversalWaitMs: number;
    readonly outcomeMs: number;
  };
  readonly onFailure?: (error: unknown) => void;
}

/** The parts together with what the terminal derives from them. */
export type RunParts = TerminalParts & {
  readonly profiles: readonly AcquirerProfile[];
  readonly room: BatchCapacity;
  readonly approvals: ApprovalQuestions;
  /** The terminal is stopping: nothing new begins. */
  readonly isClosing: () => boolean;
};
