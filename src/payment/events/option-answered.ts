/**
 * The answer to the question of a sale option. It is written before anything is sent with the amount, and adds to the
 * amount of the acceptance. If an option is no longer part of the terminal, this event suffices to read its amounts.
 */
export interface OptionAnswered {
  readonly kind: 'optionAnswered';
  /** The name of the option. */
  readonly name: string;
  /** Minor units as decimal digits; '0' if the amount stays as it is. */
  readonly addedMinor: string;
  /** Data that only the option reads. No card number, track or PIN. */
  readonly data: Readonly<Record<string, string>>;
}
