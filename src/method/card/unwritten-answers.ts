import type { AcquirerId } from '../../domain/identifiers.ts';
import type { CurrencyCode } from '../../domain/currency.ts';
import type { CurrencyResult } from '../../events/settling-batch.ts';

interface Question {
  readonly acquirerId: AcquirerId;
  readonly batch: number;
  readonly currency: CurrencyCode;
}

/**
 * What hosts have answered and the journal could not take: it is written at the next try, and the host is not asked again. It may count
 * what it hears twice. Lost with the process.
 */
export class UnwrittenAnswers {
  readonly #results = new Map<string, CurrencyResult>();

  of(question: Question): CurrencyResult | undefined {
    return this.#results.get(nameOf(question));
  }

  /** Kept until `write` has come through. */
  async write(question: Question, result: CurrencyResult, write: () => Promise<void>): Promise<void> {
    this.#results.set(nameOf(question), result);
    await write();
    this.#results.delete(nameOf(question));
  }
}

function nameOf({ acquirerId, batch, currency }: Question): string {
  return `${acquirerId} ${batch} ${currency}`;
}
