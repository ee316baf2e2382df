import type { Written } from '../method/commit-answer.ts';
import type { Journal } from '../contracts/journal.ts';

/** The transaction has an outcome already, so the intent was not written and nothing was sent. */
export class OutcomeFound extends Error {
  override readonly name = 'OutcomeFound';
  readonly outcome: Written;

  constructor(outcome: Written) {
    super('the transaction has an outcome already');
    this.outcome = outcome;
  }
}

/**
 * A journal that calls `find` before each intent that gets new numbers. If `find` returns an outcome of the
 * transaction, the intent rejects with OutcomeFound. This is the last moment before a method may charge the customer,
 * whichever method it is.
 */
export function gateJournal(journal: Journal, find: () => Promise<Written | undefined>): Journal {
  const check = async (): Promise<void> => {
    const outcome = await find();
    if (outcome) throw new OutcomeFound(outcome);
  };
  const gated: Pick<Journal, 'intend' | 'intendIfClear'> = {
    intend: async (...given) => {
      await check();
      return journal.intend(...given);
    },
    intendIfClear: async (...given) => {
      await check();
      return journal.intendIfClear(...given);
    },
  };
  return new Proxy(journal, {
    get(_journal, name) {
      if (name === 'intend' || name === 'intendIfClear') return gated[name];
      const value = Reflect.get(journal, name, journal) as unknown;
      // Private fields belong to the journal itself.
      return typeof value === 'function' ? (value.bind(journal) as unknown) : value;
    },
  });
}

/** The outcome that was found instead of an intent. Rejects as `call` does for any other reason. */
export async function awaitOrOutcome<T>(call: Promise<T>): Promise<T | Written> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof OutcomeFound) return error.outcome;
    throw error;
  }
}
