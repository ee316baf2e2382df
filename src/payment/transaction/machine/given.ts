import type { TransactionContext } from './context.ts';

/** The input of an invoked actor: those of this payment, and what this one is given. */
export function give<Given>(given: (context: TransactionContext) => Given) {
  return ({ context }: { readonly context: TransactionContext }) => ({ actors: context.actors, given: given(context) });
}

export const giveNothing = give((): void => undefined);
