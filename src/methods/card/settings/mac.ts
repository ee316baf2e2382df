import * as z from 'zod';
import { macAlgorithms, macKeyBytes } from '../../../base/domain/mac-algorithm.ts';
import { unreadKey } from '../../../config/common-settings.ts';
import type { Contradiction } from '../../../config/contradiction.ts';

/** Secret. */
export const macKey = z
  .string()
  .regex(new RegExp(`^(?:(?:[0-9A-Fa-f]{2}){8,32}|${unreadKey})$`), 'a key of 8 to 32 bytes as hexadecimal')
  .describe(
    'a key that never changes, as hexadecimal; { "credential": NAME } in its place takes it from the credentials of the service',
  );

/** The message authentication code between terminal and host. */
export const messageMac = z
  .strictObject({
    algorithm: z
      .enum(macAlgorithms)
      .describe('ISO/IEC 9797-1, algorithm 1 or 3 (ANSI X9.19) with triple DES, or AES-CMAC (RFC 4493)'),
    padding: z
      .union([z.literal(1), z.literal(2)])
      .default(1)
      .describe('method of ISO/IEC 9797-1: zeros where a block is not whole, or 80 and zeros always'),
    key: z.strictObject({ fixed: macKey }),
    field: z
      .union([z.literal(64), z.literal(128)])
      .default(64)
      .describe('the field that holds it'),
    bytes: z
      .union([z.literal(4), z.literal(8)])
      .default(8)
      .describe('how many of its bytes count, from the left; the others are zero'),
    over: z
      .union([z.literal('message'), z.array(z.number().int().min(0).max(127)).min(1).max(127)])
      .default('message')
      .describe('all before it, or these fields as they are sent; 0 is the message type, 1 the bitmap'),
    types: z
      .array(z.string().regex(/^\d{4}$/, 'four digits'))
      .min(1)
      .optional()
      .describe('the types of messages that have one, answers among them: ["0200", "0210"]; all if absent'),
  })
  .describe('message authentication code; a message of the host without a valid one is garbled. A fleet can’t set it');

export function ofMac({ mac }: { readonly mac?: z.infer<typeof messageMac> | undefined }, at: number): Contradiction[] {
  if (!mac || mac.key.fixed === unreadKey) return [];
  const lengths = macKeyBytes[mac.algorithm];
  if (lengths.includes(mac.key.fixed.length / 2)) return [];
  return [{ path: ['acquirers', at, 'mac', 'key', 'fixed'], message: `must have ${lengths.join(' or ')} bytes` }];
}
