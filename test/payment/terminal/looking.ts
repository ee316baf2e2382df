import { ClosedOrderRequery } from '../../../src/methods/wallet/closed-order-requery.ts';
import type { Stage } from './stage.ts';

export const lagMs = 60_000;

/** Enquires the closed orders of this stage again, and also before its settlements. */
export function lookingAt(stage: Stage, failures: unknown[], lag = lagMs): ClosedOrderRequery {
  const { journal, wallet, forwarder, clock } = stage;
  let drawn = 0;
  const random = { bytes: (length: number) => new Uint8Array(length).fill((drawn += 1)) };
  const wallets = new Map([[wallet.id, wallet]]);
  const made = new ClosedOrderRequery({
    journal,
    wallets,
    forwarder,
    clock,
    random,
    lagMs: lag,
    onFailure: (error) => failures.push(error),
  });
  stage.beforeSettlement = (id) => made.beforeSettlement(id);
  return made;
}
