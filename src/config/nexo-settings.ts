import * as z from 'zod';
import { identifierLengthMax, isOwnPosId } from '../base/domain/identifiers.ts';
import { filePath, port, unreadKey } from './common-settings.ts';

const passphraseLeast = 12;

/** Its bytes are those of Latin-1, so it has no other characters. */
export const nexoPassphrase = z
  .string()
  .max(256)
  .regex(/^[\x20-\x7e\xa0-\xff]*$/, 'must have characters of Latin-1 only')
  .refine(
    (text) => text === unreadKey || text.length >= passphraseLeast,
    `must have at least ${passphraseLeast} characters`,
  )
  .describe(
    'the key is derived from it; { "credential": NAME } in its place takes it from the credentials of the service',
  );

const posId = z
  .string()
  .min(1)
  .max(identifierLengthMax)
  .regex(/^[^\p{C}]*$/u, 'must have no control characters')
  .refine((name) => !isOwnPosId(name), 'is a name that is reserved for the terminal');

const nexoKey = z.strictObject({
  identifier: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 characters of ASCII, without spaces')
    .describe('KeyIdentifier of its messages'),
  version: z.number().int().min(0).max(999_999).describe('KeyVersion of its messages'),
  passphrase: nexoPassphrase,
  posId: posId
    .optional()
    .describe('the POS that alone has this key, and that all its messages come from; their SaleID if absent'),
});

/** POS that speak nexo Retailer in JSON. */
export const nexoSettings = z.strictObject({
  host: z.string().default('0.0.0.0'),
  port: port.default(8443),
  poiId: z
    .string()
    .regex(/^[\x20-\x7e]{1,64}$/, 'must be 1 to 64 characters of ASCII')
    .describe('POIID of this terminal: messages for another one are refused'),
  keys: z.array(nexoKey).max(64).default([]).describe('keys of messages with a SecurityTrailer'),
  clear: z
    .boolean()
    .default(false)
    .describe('messages without a SecurityTrailer are accepted, too: any device of the shop’s network can pay then'),
  certificate: filePath()
    .optional()
    .describe(
      'PEM file: private key and certificate of this port, readable by the service alone; those of HTTPS if absent',
    ),
  preAuth: z
    .boolean()
    .default(false)
    .describe('a payment with authorisationType=PreAuth is an authorization; if false it is a sale'),
  holdMs: z
    .number()
    .int()
    .min(1_000)
    .max(3_600_000)
    .default(300_000)
    .describe('how long a payment of unknown outcome is held, before its connection is closed without an answer'),
});
