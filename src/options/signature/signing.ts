import type { Signature } from '../../base/domain/signature.ts';
import type { ScreenAction, ScreenView } from '../../payment/contracts/screen.ts';
import type { ApprovalParts, ApprovalQuestion } from '../../payment/options/approval-option.ts';
import { type TransactionRecord, mustSign } from '../../payment/records/record.ts';
import { presentConclusion } from '../../payment/records/present.ts';

/** `drawn`: the signature that the merchant checks. `isOver`: it is being written. */
interface Asked {
  readonly record: TransactionRecord;
  readonly drawn?: Signature;
  readonly isOver?: true;
}

/**
 * The customer of an approval signs on the screen. The signature is stored when the merchant accepts it, when it is not
 * checked in time, and when the next payment needs the screen. Without it the slip has a line to sign on.
 */
export class Signing implements ApprovalQuestion {
  readonly #parts: ApprovalParts;
  readonly #timeoutMs: number;
  #asked: Asked | undefined;
  #timer: unknown;
  #ending: Promise<void> = Promise.resolve();

  constructor(parts: ApprovalParts, timeoutMs: number) {
    this.#parts = parts;
    this.#timeoutMs = timeoutMs;
  }

  ask(record: TransactionRecord): boolean {
    const asks = this.#parts.journal.takes('signed') && signsOnScreen(record);
    if (asks) this.#show({ record });
    return asks;
  }

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

  interrupt(): void {
    const asked = this.#asked;
    if (asked && !asked.isOver) this.#end(asked.record, asked.drawn);
    this.#asked = undefined;
  }

  async close(): Promise<void> {
    await this.#ending;
  }

  #show(asked: Asked): void {
    const { screen, clock, outcomeView } = this.#parts;
    const { record, drawn } = asked;
    this.#asked = asked;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => this.#end(record, drawn), this.#timeoutMs);
    screen.show(signingView(outcomeView(record), record, drawn));
  }

  #end(record: TransactionRecord, signature?: Signature): void {
    const { clock, onEnd } = this.#parts;
    clock.clearTimeout(this.#timer);
    const over: Asked = { record, isOver: true };
    this.#asked = over;
    this.#ending = this.#keep(record, signature).then((kept) => {
      if (this.#asked === over) this.#asked = undefined;
      onEnd(kept);
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

/** A POS that prints has its slip in the answer already, with the line to sign on. */
function signsOnScreen(record: TransactionRecord): boolean {
  const isApproved = presentConclusion(record).outcome === 'approved';
  return isApproved && record.request.printedBy === 'terminal' && mustSign(record);
}

/** The customer is asked to sign, or the merchant to check the signature. `outcome`: the screen's content otherwise. */
function signingView(outcome: ScreenView, { id }: TransactionRecord, drawn?: Signature): ScreenView {
  const { reported: _reported, ...approved } = outcome;
  const asked = { ...approved, transaction: id };
  return drawn ? { ...asked, scene: 'checkSignature', signature: drawn } : { ...asked, scene: 'sign' };
}
