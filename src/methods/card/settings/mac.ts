import * as z from 'zod';
import { keyCipherOf, keyEncryptingKeyBytes, macAlgorithms, macKeyBytes } from '../../../base/domain/mac-algorithm.ts';
import { unreadKey } from '../../../config/common-settings.ts';
import type { Contradiction } from '../../../config/contradiction.ts';
import { messagesWithoutKsn, usesValue } from '../../../hosts/iso8583/dialects/check.ts';
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

/** Secret. */
export const initialKey = z
  .string()
  .regex(new RegExp(`^(?:[0-9A-Fa-f]{32}|${unreadKey})$`), 'a key of 16 bytes as hexadecimal')
  .describe('the initial key of this terminal (IPEK), as hexadecimal, or { "credential": NAME }');

const dukptKey = z
  .strictObject({
    initialKey,
    ksn: z
      .string()
      .regex(/^[0-9A-Fa-f]{20}$/, 'a key serial number of 10 bytes as hexadecimal')
      .describe(
        'its serial number, as hexadecimal. Its counter, the lowest 21 bits, is 0; only if the counter was lost, it is that of the last message that the bank has received (docs/acquirer.md)',
      ),
  })
  .describe('a key for each message, derived from an initial key: DUKPT with triple DES (ANSI X9.24-1)');

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
    key: z
      .strictObject({ fixed: macKey.optional(), session: sessionKey.optional(), dukpt: dukptKey.optional() })
      .describe('one of these'),
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
  const { fixed, session, dukpt } = key;
  if ([fixed, session, dukpt].filter((each) => each !== undefined).length !== 1) {
    return [{ path: place(), message: 'must have one of fixed, session and dukpt' }];
  }
  if (dukpt) {
    const message = 'must be iso9797-1 or iso9797-3: the keys of mac.key.dukpt are of triple DES';
    return keyCipherOf(algorithm) === 'tdes' ? [] : [{ path: ['acquirers', at, 'mac', 'algorithm'], message }];
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

/** Checks that the dialect file has what DUKPT needs. Paths are relative to the acquirer. */
export function ofKeySerial({ mac }: { readonly mac?: Mac | undefined }, file: DialectFile): Contradiction[] {
  if (!mac?.key.dukpt) return [];
  const path = ['mac', 'key', 'dukpt'];
  if (!usesValue(file, 'macKsn')) return [{ path, message: 'needs a field with the content macKsn in the dialect' }];
  const { types } = mac;
  // No working key is requested.
  const lacking = messagesWithoutKsn(file, (type) => types?.includes(type) ?? true).filter(
    (name) => name !== 'keyExchange',
  );
  return lacking.map((name) => ({
    path,
    message: `needs the field with macKsn in the message ${name} of the dialect, which has an authentication code`,
  }));
}
