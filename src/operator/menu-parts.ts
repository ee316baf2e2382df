import type { CurrencyCode } from '../base/domain/currency.ts';
import type { LineSecurity } from '../base/domain/line-security.ts';
import type { AcquirerId, TerminalTransactionId } from '../base/domain/identifiers.ts';
import type { SetAside } from '../payment/events/answer.ts';
import type { Pairing } from '../pos/pairing/pairing.ts';
import type { Clock, Random } from '../base/ports/clock.ts';
import type { MenuNotice } from '../payment/contracts/operator-menu.ts';
import type { Journal } from '../payment/contracts/journal.ts';
import type { Merchant } from '../payment/transaction/merchants.ts';
import type { ReferenceParts } from '../payment/method/original.ts';
import type { OperatorAudit } from './audit.ts';
import type { Call } from './menu-answer.ts';
import type { ExtraParts } from './extra-payments.ts';
import type { MenuReports } from './figures.ts';
import type { MenuMachine } from './machine.ts';
import type { OperatorPassword } from './password.ts';
import type { MenuReceipts } from './receipts.ts';
import type { DayLists, DayParts } from './today.ts';
import type { RefundRight } from './unlinked-refund.ts';
import type { BatchOutcome, DecisionParts, WaitingBatch } from './waiting-batch.ts';
import type { WaitingCountParts } from './waiting-count.ts';
import type { SetAsideParts, Waiting } from './waiting.ts';

/** The parts that the composition root provides to the operator's menu. */
export interface MenuParts extends WaitingCountParts, Pick<ReferenceParts, 'rules'> {
  readonly profiles: ReferenceParts['profiles'];
  readonly journal: WaitingCountParts['journal'] &
    ReferenceParts['journal'] &
    SetAsideParts['journal'] &
    ExtraParts['journal'] &
    Pick<Journal, 'latestSettlements' | 'discrepancies' | 'settleDiscrepancy'>;
  readonly lists: DayLists;
  readonly reports: MenuReports;
  readonly drawer?: DayParts['drawer'];
  readonly machine: MenuMachine;
  readonly refundRight: RefundRight;
  /** The merchants of this terminal; none if absent. */
  readonly merchants?: readonly Merchant[];
  /** Names of payment methods as on the receipt, by language and code. */
  readonly methodNames: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly audit: Pick<OperatorAudit, 'write'>;
  readonly password: OperatorPassword;
  /** `requestAmount` in major units. */
  readonly pay: Call;
  readonly settle: Call;
  /** POST /sp/v1/report/print. */
  readonly printReport: Call;
  /** Called when a transaction was set aside: messages behind it in the queue can be sent now. */
  readonly onSetAside: (one: Waiting, outcome: SetAside['outcome']) => void;
  /** Called when the operator has returned a payment in cash. */
  readonly onGivenBack?: ((id: TerminalTransactionId) => void) | undefined;
  /** Called when the operator has decided a batch, which does not wait for its host any more. */
  readonly onBatchDecided: (one: WaitingBatch, outcome: BatchOutcome) => void;
  /** Reports and prints the batches that the bank has settled. Open batches stay open. */
  readonly settleWaiting: (one: {
    readonly posId: string;
    readonly messageId: string;
    readonly acquirerId: AcquirerId;
  }) => Promise<unknown>;
  /** Absent on a terminal without a printer. */
  readonly receipts?: MenuReceipts | undefined;
  readonly isIdle: () => boolean;
  readonly notices: () => readonly MenuNotice[];
  /** Acquirers whose host does not know this terminal. */
  /** How the connection to each card host is protected, by acquirer. */
  readonly lines?: (() => ReadonlyMap<string, LineSecurity>) | undefined;
  readonly unknownTo?: (() => readonly string[]) | undefined;
  /** Acquirers that take no new payments until their former batch is settled. */
  readonly held?: (() => readonly string[]) | undefined;
  /** Runs work while nothing else runs or begins on the terminal; undefined if something is running. */
  readonly undisturbed: <T>(work: () => Promise<T>) => Promise<T | undefined>;
  readonly decide: SetAsideParts['decide'];
  /** Whether currencies of a closed batch fit into the open one. */
  readonly takesBatch: DecisionParts['takesBatch'];
  readonly clock: Clock;
  readonly random: Random;
  readonly currency: CurrencyCode;
  readonly version: string;
  readonly fingerprint?: string;
  /** Set if points of sale are paired. */
  readonly pairing?: Pick<Pairing, 'view' | 'open' | 'close' | 'decide'>;
  readonly onFailure: (error: unknown) => void;
}
