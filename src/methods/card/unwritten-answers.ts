import type { AcquirerId } from '../../base/domain/identifiers.ts';
import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { CurrencyResult } from '../../payment/events/settling-batch.ts';

interface Question {
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  readonly currency: CurrencyCode;
}

/**
 * Settlement answers that the journal failed to store. The next attempt stores them, and the host is not asked again,
 * because it may count a batch twice. They are lost with the process.
 */
export class UnwrittenAnswers {
  readonly #results = new Map<string, CurrencyResult>();

  of(question: Question): CurrencyResult | undefined {
    return this.#results.get(nameOf(question));
  }

  /** Keeps the result until `write` has succeeded. */
  async write(question: Question, result: CurrencyResult, write: () => Promise<void>): Promise<void> {
    this.#results.set(nameOf(question), result);
    await write();
    this.#results.delete(nameOf(question));
  }
}

function nameOf({ acquirerId, batch, currency }: Question): string {
  return `${acquirerId} ${batch} ${currency}`;
}
