import type { CollectMode } from '../domain/entry-mode.ts';
import type { Intent } from '../events/intent.ts';
import type { MethodMode, PaymentMethod } from './payment-method.ts';

/** The ways to pay that this terminal has. */
export class Methods {
  /** In the order in which the merchant is offered them. */
  readonly modes: readonly MethodMode[];
  readonly #all: readonly PaymentMethod[];

  constructor(all: readonly PaymentMethod[]) {
    this.#all = all;
    this.modes = all.flatMap(({ modes }) => modes);
  }

  /** How a mode is collected, and by which method. Throws for one that this terminal does not have. */
  ofMode(name: CollectMode): { readonly method: PaymentMethod; readonly mode: MethodMode } {
    for (const method of this.#all) {
      const mode = method.modes.find((each) => each.mode === name);
      if (mode) return { method, mode };
    }
    throw new Error(`this terminal has no mode ${name}`);
  }

  /** The method that a payment was made with; none where this terminal does not have it any more. */
  ofIntent(intent: Intent): PaymentMethod | undefined {
    return this.#all.find((method) => method.owns(intent));
  }
}
