import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Screen, ScreenAction, ScreenView } from '../contracts/screen.ts';
import type { ApprovalParts, ApprovalQuestion } from '../options/approval-option.ts';
import type { SaleOption } from '../options/sale-option.ts';
import type { TransactionRecord } from '../records/record.ts';
import type { Merchants } from '../transaction/merchants.ts';
import { outcomeView, withMerchant } from './outcome-view.ts';
import type { ReceiptService } from './receipt-service.ts';

interface Parts extends Pick<ApprovalParts, 'journal' | 'clock' | 'onFailure'> {
  readonly screen: Screen;
  /** Absent on a terminal without a printer. */
  readonly receipts?: Pick<ReceiptService, 'hold' | 'release'> | undefined;
  readonly options?: readonly SaleOption[];
  readonly merchants?: Merchants;
}

/** The approval that is asked about, and by which question. */
interface Asked {
  readonly record: TransactionRecord;
  readonly at: number;
}

/**
 * The questions of sale options after an approval, one after the other. Only the slip waits for them, because it shows
 * the answers. The next payment gets the screen at once.
 */
export class ApprovalQuestions {
  readonly #parts: Parts;
  readonly #viewOf: (record: TransactionRecord) => ScreenView;
  readonly #questions: readonly ApprovalQuestion[];
  /** The outcome is shown again. */
  readonly #onEnd: () => void;
  #asked: Asked | undefined;
  #isClosed = false;

  constructor(parts: Parts, onEnd: () => void) {
    const { journal, screen, clock, onFailure, merchants, options = [] } = parts;
    const viewOf = (record: TransactionRecord) =>
      withMerchant(outcomeView(record), record.request.merchantId, merchants);
    this.#viewOf = viewOf;
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.#questions = options
      .filter((option) => option.asks === 'approved')
      .map((option, at) =>
        option.open({
          journal,
          screen,
          clock,
          outcomeView: viewOf,
          onFailure,
          onEnd: (record) => this.#end(record, at),
        }),
      );
  }

  /** Whether a question has the screen. */
  get isActive(): boolean {
    return this.#asked !== undefined;
  }

  /** A payment begins, and has the screen from now on. Its slip waits until `ask` or `leave`. */
  begin(id: TerminalTransactionId): void {
    this.#interrupt();
    if (this.#questions.length > 0) this.#parts.receipts?.hold(id);
  }

  /** Asks about a payment that has ended. False if there is no question, or no page shows it: then nothing is shown. */
  ask(record: TransactionRecord): boolean {
    if (!this.#isClosed && this.#parts.screen.isWatched && this.#askFrom(0, record)) return true;
    this.leave(record.id);
    return false;
  }

  /** No further question about this payment: its slip may be printed. */
  leave(id: TerminalTransactionId): void {
    this.#parts.receipts?.release(id);
  }

  act(action: ScreenAction): void {
    if (this.#asked) this.#questions[this.#asked.at]?.act(action);
  }

  /** Keeps the present answers, and ends all questions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#interrupt();
    await Promise.all(this.#questions.map((each) => each.close()));
  }

  #askFrom(first: number, record: TransactionRecord): boolean {
    const at = this.#questions.findIndex((each, index) => index >= first && each.ask(record));
    if (at < 0) return false;
    this.#asked = { record, at };
    return true;
  }

  #interrupt(): void {
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked) this.#questions[asked.at]?.interrupt();
  }

  #end(record: TransactionRecord, at: number): void {
    const hasScreen = this.#asked?.at === at && this.#asked.record.id === record.id;
    if (hasScreen && this.#askFrom(at + 1, record)) return;
    this.leave(record.id);
    // Another payment has the screen.
    if (!hasScreen) return;
    this.#asked = undefined;
    this.#parts.screen.show(this.#viewOf(record));
    this.#onEnd();
  }
}
