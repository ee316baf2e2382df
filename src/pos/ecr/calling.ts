import type { CurrencyCode } from '../../base/domain/currency.ts';
import type { MonotonicClock, Random } from '../../base/ports/clock.ts';
import type { EcrChannel } from '../../config/ecr-settings.ts';
import type { PosCaller, PosCalls } from '../contracts/pos-calls.ts';
import type { EcrLedger } from './ledger.ts';

/** A POS, and where its payments are reported. */
export interface EcrTill {
  readonly posId: string;
  /** The POS-KEY. */
  readonly key: string;
  readonly notify?:
    | {
        readonly url: string;
        readonly key: string;
        readonly ca?: string | undefined;
        readonly refundTypes: readonly ('cancel' | 'refund')[];
      }
    | undefined;
}

/** What the calls are made of. */
export interface CallingParts {
  readonly calls: PosCalls;
  readonly ledger: EcrLedger;
  readonly tills: readonly EcrTill[];
  readonly channels: Readonly<Partial<Record<EcrChannel, string>>>;
  readonly currency: CurrencyCode;
  readonly shopName: string;
  readonly clock: MonotonicClock;
  readonly random: Random;
  /** Called when a notification was queued. */
  readonly wakeNotifier: () => void;
  readonly onFailure: (error: Error) => void;
}

/** Its key has identified it, so its address is of no account. */
export function callerOf(posId: string): PosCaller {
  return { address: 'ecr', posId };
}
