import type { CodeScanner } from '../../base/ports/code-scanner.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { Acquirer } from './acquirer.ts';
import type { MethodDescription } from './description.ts';
import type { PaymentMethod } from './payment-method.ts';

/** A payment method that is added to a terminal, with an acquirer that has its own protocol. */
export interface PaymentMethodModule {
  /** The `protocol` of its entries of `methods` in the configuration. */
  readonly protocol: string;
  readonly description: MethodDescription;
  /**
   * Called once for each such entry. Throws RangeError if its settings are invalid. The message names the setting, and
   * never quotes its value.
   */
  open(settings: MethodSettings, parts: MethodParts): OpenedMethod;
}

export interface MethodSettings {
  readonly id: string;
  readonly protocol: string;
  /** Settings of the room itself. */
  readonly [setting: string]: unknown;
}

/** Parts of the terminal that a room may use. `scanner` is absent where none is configured. */
export interface MethodParts {
  readonly scanner?: CodeScanner;
  readonly clock: Clock;
}

export interface OpenedMethod {
  readonly method: PaymentMethod;
  /** Its id is that of the settings. */
  readonly acquirer: Acquirer;
}
