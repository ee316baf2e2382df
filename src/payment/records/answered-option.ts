/** The answer to the question of a sale option, as the journal has it. */
export interface AnsweredOption {
  readonly name: string;
  /** Part of the amount of the transaction. */
  readonly addedMinor: bigint;
  /** What only the option reads of it. */
  readonly data: Readonly<Record<string, string>>;
}

/** What options have added to the amount of a transaction. */
export function optionsSum({ options = [] }: { readonly options?: readonly AnsweredOption[] }): bigint {
  return options.reduce((sum, { addedMinor }) => sum + addedMinor, 0n);
}
