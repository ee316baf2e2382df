import type { CodeScanner } from '../ports/code-scanner.ts';
import type { Clock } from '../ports/clock.ts';
import type { Acquirer } from './acquirer.ts';
import type { MethodDescription } from './description.ts';
import type { PaymentMethod } from './payment-method.ts';

/** A payment method that is added to a terminal, with an acquirer of a protocol of its own. */
export interface MethodRoom {
  /** As an entry of `methods` in the configuration names it. */
  readonly protocol: string;
  readonly description: MethodDescription;
  /** Called for each such entry. Throws RangeError where its settings can't be used; the message says which, and no value. */
  open(settings: MethodSettings, parts: RoomParts): OpenedRoom;
}

export interface MethodSettings {
  readonly id: string;
  readonly protocol: string;
  /** The room's own. */
  readonly [setting: string]: unknown;
}

/** What stands on the counter, where it does. */
export interface RoomParts {
  readonly scanner?: CodeScanner;
  readonly clock: Clock;
}

export interface OpenedRoom {
  readonly method: PaymentMethod;
  /** It is settled with under the id of the settings. */
  readonly acquirer: Acquirer;
}
