import type { OptionDescription } from './descriptions.ts';
import type { SaleOption } from './sale-option.ts';

/** A sale option that is added to a terminal. */
export interface SaleOptionModule {
  readonly description: OptionDescription;
  /**
   * Called if the configuration has an entry of `options` with its name. Throws RangeError if the settings are invalid.
   * The message names the setting, and never quotes its value.
   */
  open(settings: Readonly<Record<string, unknown>>): SaleOption;
}
