import type { TransactionContext } from './context.ts';

/** The input of an invoked actor: the actors of this payment, and the input for this one. */
export function give<Given>(given: (context: TransactionContext) => Given) {
  return ({ context }: { readonly context: TransactionContext }) => ({ actors: context.actors, given: given(context) });
}

export const giveNothing = give((): void => undefined);
