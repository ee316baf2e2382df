import { createHash } from 'node:crypto';
import type { Random } from '../../base/ports/clock.ts';
import { canonicalText, type EcrContent } from './wire/content.ts';

/**
 * The messageId of an attempt to pay under a number of the POS. The number of the attempt is part of it: the same
 * out_trade_no comes again when the cashier presses Send after a decline, and is another payment then.
 */
export function attemptId(outTradeNo: string, attempt: number): string {
  return named(
    createHash('sha256')
      .update(JSON.stringify(['trade', outTradeNo, attempt]))
      .digest(),
  );
}

/** A messageId that was never used. */
export function newMessageId(random: Random): string {
  return named(random.bytes(20));
}

/** Letters between the digits: no part can be mistaken for a card number. */
function named(bytes: Uint8Array): string {
  const groups = Buffer.from(bytes).subarray(0, 20).toString('hex').match(/.{8}/g) ?? [];
  return `ecr-${groups.join('x')}`;
}

/** Equal for equal requests. */
export function fingerprintOf(content: EcrContent): string {
  return createHash('sha256').update(canonicalText(content)).digest('base64url');
}
