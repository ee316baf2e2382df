import * as z from 'zod';

/** 32 bytes. */
const publicKey = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be base64 of the 32 bytes of an Ed25519 key');

/** Who may send this terminal a configuration, and ask it for extracts. */
export const fleetSettings = z.strictObject({
  publicKeys: z
    .array(publicKey)
    .min(1)
    .max(4)
    .describe('Ed25519 keys whose documents count; more than one while they change'),
  group: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits or -')
    .optional()
    .describe('documents for this group count, too'),
});
