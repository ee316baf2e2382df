import { createHash } from 'node:crypto';
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

/**
 * The messageId of an attempt to pay under a number of the POS. The number of the attempt is part of it: the same
 * out_trade_no comes again when the cashier presses Send after a decline, and is another payment then.
 */
export function attemptId(outTradeNo: string, attempt: number): string {
  return nameOf(
    createHash('sha256')
      .update(JSON.stringify(['trade', outTradeNo, attempt]))
      .digest(),
  );
}

/** A messageId that was never used. */
export function newMessageId(random: Random): string {
  return nameOf(random.bytes(20));
}

/** Letters between the digits: no part can be mistaken for a card number. */
function nameOf(bytes: Uint8Array): string {
  const groups = Buffer.from(bytes).subarray(0, 20).toString('hex').match(/.{8}/g) ?? [];
  return `ecr-${groups.join('x')}`;
}
