import type { CollectMode } from '../../base/domain/payment-scheme.ts';
import type { Intent } from '../events/intent.ts';
import type { MethodMode, PaymentMethod } from './payment-method.ts';

/** The payment methods of this terminal. */
export class Methods {
  /** In the order in which they are offered to the merchant. */
  readonly modes: readonly MethodMode[];
  readonly #all: readonly PaymentMethod[];

  constructor(all: readonly PaymentMethod[]) {
    this.#all = all;
    this.modes = all.flatMap(({ modes }) => modes);
  }

  /** Finds the method and the mode for a mode name. Throws if this terminal does not have it. */
  ofMode(name: CollectMode): { readonly method: PaymentMethod; readonly mode: MethodMode } {
    for (const method of this.#all) {
      const mode = method.modes.find((each) => each.mode === name);
      if (mode) return { method, mode };
    }
    throw new Error(`this terminal has no mode ${name}`);
  }

  /** The method with which a payment was made; undefined if this terminal does not have it any more. */
  ofIntent(intent: Intent): PaymentMethod | undefined {
    return this.#all.find((method) => method.owns(intent));
  }
}
