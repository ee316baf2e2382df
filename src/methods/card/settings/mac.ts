import * as z from 'zod';
import { keyCipherOf, keyEncryptingKeyBytes, macAlgorithms, macKeyBytes } from '../../../base/domain/mac-algorithm.ts';
import { unreadKey } from '../../../config/common-settings.ts';
import type { Contradiction } from '../../../config/contradiction.ts';
import type { DialectFile } from '../../../hosts/iso8583/dialects/dialect-schema.ts';

/** Secret. */
export const macKey = z
  .string()
  .regex(new RegExp(`^(?:(?:[0-9A-Fa-f]{2}){8,32}|${unreadKey})$`), 'a key of 8 to 32 bytes as hexadecimal')
  .describe(
    'a key that never changes, as hexadecimal; { "credential": NAME } in its place takes it from the credentials of the service',
  );

/** Secret. */
export const keyEncryptingKey = z
  .string()
  .regex(new RegExp(`^(?:(?:[0-9A-Fa-f]{2}){16,32}|${unreadKey})$`), 'a key of 16 to 32 bytes as hexadecimal')
  .describe('the key under which the host sends working keys, as hexadecimal, or { "credential": NAME }');

const sessionKey = z
  .strictObject({
    keyEncryptingKey,
    afterSignOn: z.boolean().default(false).describe('whether each sign-on is followed by an exchange of keys'),
    everyH: z
      .number()
      .int()
      .min(1)
      .max(744)
      .optional()
      .describe('hours after which a key is replaced; never if absent'),
  })
  .describe('a working key that the host sends: the message keyExchange of the dialect (docs/acquirer.md)');

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
    key: z.strictObject({ fixed: macKey.optional(), session: sessionKey.optional() }).describe('one of these'),
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
      .describe(
        'the types of messages that have one, answers among them: ["0200", "0210"]; if absent all, with session keys all but those of sign-on and exchange of keys',
      ),
  })
  .describe('message authentication code; a message of the host without a valid one is garbled. A fleet can’t set it');

type Mac = z.infer<typeof messageMac>;

export function ofMac({ mac }: { readonly mac?: Mac | undefined }, at: number): Contradiction[] {
  if (!mac) return [];
  const { algorithm, key } = mac;
  const place = (...names: string[]) => ['acquirers', at, 'mac', 'key', ...names];
  const { fixed, session } = key;
  if ((fixed === undefined) === (session === undefined)) {
    return [{ path: place(), message: 'must have either fixed or session' }];
  }
  const [name, text, lengths] =
    fixed === undefined
      ? (['session', session?.keyEncryptingKey ?? '', keyEncryptingKeyBytes[keyCipherOf(algorithm)]] as const)
      : (['fixed', fixed, macKeyBytes[algorithm]] as const);
  if (text === unreadKey || lengths.includes(text.length / 2)) return [];
  const path = name === 'fixed' ? place(name) : place(name, 'keyEncryptingKey');
  return [{ path, message: `must have ${lengths.join(' or ')} bytes` }];
}

/** Checks what session keys need of the dialect file. Places are relative to the acquirer. */
export function ofKeyExchange(
  { mac }: { readonly mac?: Mac | undefined },
  { messages: { signOn, keyExchange } }: DialectFile,
): Contradiction[] {
  if (!mac?.key.session) return [];
  if (!keyExchange)
    return [{ path: ['mac', 'key', 'session'], message: 'needs the message keyExchange in the dialect' }];
  const { bytes } = keyExchange.key;
  const isWhole = keyCipherOf(mac.algorithm) === 'tdes' || bytes % 16 === 0;
  const early = [signOn, keyExchange].flatMap((row) => (row ? [row.type, row.answer] : []));
  return [
    ...(macKeyBytes[mac.algorithm].includes(bytes) && isWhole
      ? []
      : [
          {
            path: ['mac', 'algorithm'],
            message: `has no key of ${bytes} bytes, which the keyExchange of the dialect sends`,
          },
        ]),
    ...(mac.types ?? []).flatMap((type, at) =>
      early.includes(type)
        ? [{ path: ['mac', 'types', at], message: 'is sent before there is a session key, and can have no code' }]
        : [],
    ),
  ];
}
