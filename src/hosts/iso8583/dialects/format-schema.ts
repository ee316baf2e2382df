import * as z from 'zod';

/** Longer prefixes would allow more than any message has. */
const prefixPattern = /^(?:(?:bcd|ascii|ebcdic)[1-6]|hex[1-4]|binary[1-3])$/;

const hexBytes = (most: number) =>
  z.string().regex(new RegExp(`^(?:[\\dA-Fa-f]{2}){0,${most}}$`), `at most ${most} bytes in hexadecimal`);

/** A length prefix: its encoding and its number of digits, or of bytes if it is binary. */
export const prefix = z
  .string()
  .regex(prefixPattern, 'such as ascii3, bcd2, ebcdic2, hex4 or binary2')
  .describe('the number before a value: ascii2, bcd3, ebcdic2, hex4 with its digits; binary1 with its bytes');

export const framingSchema = z
  .strictObject({
    length: prefix.describe('the length of what follows: binary2, bcd4, ascii4, hex4'),
    before: hexBytes(8).default('').describe('fixed bytes before the length, in hexadecimal'),
    after: hexBytes(8).default('').describe('fixed bytes behind the length that it does not count'),
    countsItself: z.boolean().default(false).describe('whether the length counts its own header too'),
    tpdu: z.boolean().default(false).describe('whether five bytes of TPDU come first: acquirers[].tpdu'),
    header: hexBytes(64)
      .default('')
      .describe('fixed bytes before each message, behind the TPDU; the length counts them'),
    trailer: hexBytes(8).default('').describe('fixed bytes behind each message; the length counts them'),
    keepAlive: z
      .enum(['skip', 'echo'])
      .default('skip')
      .describe('what is done with a frame of length zero: nothing, or the same is sent back'),
  })
  .describe('how messages are split on the line');

export type Framing = z.infer<typeof framingSchema>;

export const encodings = ['bcd', 'track2', 'ascii', 'ebcdic', 'ebcdic37', 'binary', 'hex', 'hexEbcdic'] as const;

export const formatSchema = z.strictObject({
  encoding: z
    .enum(encodings)
    .describe(
      'digits: bcd, two to a byte; track2, with its separator. Text: ascii, ebcdic (code page 1047), ebcdic37. Bytes: binary; hex or hexEbcdic, two characters each',
    ),
  length: z.number().int().min(1).max(9_999).describe('how many digits, characters or bytes; behind a prefix the most'),
  prefix: prefix.optional().describe('the number of them that is sent before them; absent for a fixed length'),
  counts: z
    .enum(['units', 'bytes'])
    .default('units')
    .describe('what the prefix counts: digits, or the bytes that they take'),
  set: z.enum(['n', 'an', 'ans', 'any']).default('ans').describe('the characters of text'),
  filler: z
    .enum(['left0', 'right0', 'leftF', 'rightF'])
    .optional()
    .describe('the half byte beside an odd number of digits; default: left0, and right0 behind a prefix'),
});

export type Format = z.infer<typeof formatSchema>;

export const packings = ['bcd', 'ascii', 'ebcdic'] as const;

/** What the codec needs to unpack a message. */
export const wireShape = {
  framing: framingSchema,
  packing: z
    .enum(packings)
    .describe('numbers and lengths of all fields that are not listed: ISO 8583:1987 in BCD, ASCII or EBCDIC'),
  mti: z.enum(['bcd', 'ascii', 'ebcdic']).optional().describe('the message type; default: as packing'),
  bitmap: z.enum(['binary', 'hex', 'hexEbcdic']).default('binary').describe('bytes, or two characters for each'),
  secondBitmap: z
    .enum(['ifNeeded', 'always'])
    .default('ifNeeded')
    .describe('whether requests have it only for fields above 64'),
} as const;

/** 2 to 128 without 65, which would announce a third bitmap. */
export const fieldNumber = z
  .string()
  .regex(/^(?:[2-9]|[1-9]\d|1[01]\d|12[0-8])$/, 'a field from 2 to 128')
  .refine((text) => text !== '65', 'field 65 would announce a third bitmap, which is not supported');
