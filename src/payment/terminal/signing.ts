import type { TerminalTransactionId } from '../../base/domain/identifiers.ts';
import type { Signature } from '../../base/domain/signature.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Journal } from '../contracts/journal.ts';
import type { Screen, ScreenAction } from '../contracts/screen.ts';
import type { TransactionRecord } from '../records/record.ts';
import { mustSign } from '../records/signer.ts';
import { presentConclusion } from '../records/present-conclusion.ts';
import { outcomeView, signingView } from './outcome-view.ts';
import type { ReceiptService } from './receipt-service.ts';

interface SigningParts {
  readonly journal: Pick<Journal, 'append' | 'takes'>;
  /** Absent on a terminal without a printer. */
  readonly receipts?: Pick<ReceiptService, 'hold' | 'release'> | undefined;
  readonly screen: Screen;
  readonly clock: Clock;
  /** How long the customer may take to sign, and then the merchant to look at it. */
  readonly timeoutMs: number;
  /** The outcome is shown again. */
  readonly onEnd: () => void;
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** `drawn`: what the merchant is looking at. `isOver`: it is being written. */
interface Asked {
  readonly record: TransactionRecord;
  readonly drawn?: Signature;
  readonly isOver?: true;
}

/**
 * The customer of an approval signs on the screen. It begins once the approval is durable and its POS is told: nothing
 * waits for it but the slip of paper, and nothing that becomes of it changes the payment. What was drawn is kept when the
 * merchant accepts it, when nobody looks at it in time, and when the next payment needs the screen. Without it the slip
 * has its line to sign on.
 */
export class Signing {
  readonly #parts: SigningParts;
  #asked: Asked | undefined;
  #timer: unknown;
  #ending: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: SigningParts) {
    this.#parts = parts;
  }

  /** Whether it has the screen. */
  get isActive(): boolean {
    return this.#asked !== undefined;
  }

  /** A payment begins, and has the screen from now on. Its slip waits until `ask` or `leave`. */
  begin(id: TerminalTransactionId): void {
    this.#interrupt();
    this.#parts.receipts?.hold(id);
  }

  /** Asks for the signature of a payment that has ended. False if nobody signs on this screen: nothing is shown then. */
  ask(record: TransactionRecord): boolean {
    const { screen, journal } = this.#parts;
    const asks = !this.#isClosed && screen.isWatched && journal.takes('signed') && signsOnScreen(record);
    if (asks) this.#show({ record });
    else this.leave(record.id);
    return asks;
  }

  /** Nobody will sign for this payment: its slip may be printed. */
  leave(id: TerminalTransactionId): void {
    this.#parts.receipts?.release(id);
  }

  /** Handles an action of the page, which may send anything. One that does not fit is ignored. */
  act(action: ScreenAction): void {
    const asked = this.#asked;
    if (!asked || asked.isOver || action.transaction !== asked.record.id) return;
    const { record, drawn } = asked;
    if (action.kind === 'signOnPaper') this.#end(record);
    else if (drawn === undefined) {
      if (action.kind === 'sign') this.#show({ record, drawn: action.strokes });
    } else if (action.kind === 'signAgain') this.#show({ record });
    else if (action.kind === 'acceptSignature') this.#end(record, drawn);
  }

  /** Keeps what was drawn, and asks nobody any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#interrupt();
    await this.#ending;
  }

  #show(asked: Asked): void {
    const { screen, clock, timeoutMs } = this.#parts;
    const { record, drawn } = asked;
    this.#asked = asked;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.#end(record, drawn), timeoutMs);
    screen.show(signingView(record, drawn));
  }

  #interrupt(): void {
    const asked = this.#asked;
    if (asked && !asked.isOver) this.#end(asked.record, asked.drawn);
    this.#asked = undefined;
  }

  #end(record: TransactionRecord, signature?: Signature): void {
    const { screen, clock, onEnd } = this.#parts;
    clock.clearTimeout(this.#timer);
    const over: Asked = { record, isOver: true };
    this.#asked = over;
    this.#ending = this.#keep(record, signature).then((kept) => {
      this.leave(record.id);
      // Another payment has the screen.
      if (this.#asked !== over) return;
      this.#asked = undefined;
      screen.show(outcomeView(kept));
      onEnd();
    });
  }

  /** Never rejects: without the signature in the journal there is a line on paper. */
  async #keep(record: TransactionRecord, signature?: Signature): Promise<TransactionRecord> {
    if (!signature) return record;
    try {
      await this.#parts.journal.append(record.id, [{ kind: 'signed', strokes: signature }]);
      return { ...record, signature };
    } catch (error) {
      this.#parts.onFailure?.(error);
      return record;
    }
  }
}

/** Undefined where customers sign on paper. */
export function openSigning(
  parts: Omit<SigningParts, 'timeoutMs' | 'onEnd'> & { readonly signatureMs?: number | undefined },
  onEnd: () => void,
): Signing | undefined {
  const { signatureMs: timeoutMs } = parts;
  return timeoutMs === undefined ? undefined : new Signing({ ...parts, timeoutMs, onEnd });
}

/** A POS that prints has its slip in the answer already, with the line to sign on. */
function signsOnScreen(record: TransactionRecord): boolean {
  const isApproved = presentConclusion(record).outcome === 'approved';
  return isApproved && record.request.printedBy === 'terminal' && mustSign(record);
}
