import * as z from 'zod';
import { accounts } from '../../../base/domain/account.ts';
import type { DeclineReason } from '../../../base/domain/decline-reason.ts';
import { cardEntryModes } from '../../../base/domain/payment-scheme.ts';
import { contentSchema } from './content-schema.ts';
import { fieldNumber, formatSchema, wireShape } from './format-schema.ts';

const messageType = z.string().regex(/^\d{4}$/, 'four digits');
const processingCode = z.string().regex(/^\d{6}$/, 'six digits');
const emvTag = z.string().regex(/^(?:[\dA-F]{2}){1,3}$/, 'a tag in hexadecimal, in capitals');
const responseCode = z.string().regex(/^[\dA-Za-z]{2,3}$/, 'two or three letters or digits');
const codeList = z.array(responseCode).max(100);
const fieldList = z.array(z.number().int().min(2).max(128)).max(127);

/** A field: its content, and its format if it is not the standard one of `packing`. */
const fieldSchema = formatSchema.partial().extend({
  content: contentSchema.optional(),
  required: z.boolean().default(false).describe('whether no message with this field is sent without it'),
  echoed: z
    .enum(['always', 'ifPresent'])
    .optional()
    .describe('whether an answer must repeat the request’s value, or must do so if it has the field'),
  secret: z.boolean().default(false).describe('whether its value is never shown'),
});

const carrier = {
  fields: fieldList.describe('its fields; one without a value is left out'),
  content: z.record(fieldNumber, contentSchema).default({}).describe('what fields of this message hold instead'),
  emvTags: z.array(emvTag).max(60).optional().describe('the EMV objects of this message, in order; default: emvTags'),
} as const;

const types = {
  type: messageType.describe('the message type'),
  answer: messageType.describe('the message type of its answer'),
} as const;
const repeat = messageType.optional().describe('the message type of a repeat; default: type');
const code = processingCode.optional().describe('field 3, if it has one');

const online = z.strictObject({
  ...types,
  processingCode: code,
  ...carrier,
  needs: fieldList.default([]).describe('fields without which an approval is none: 38'),
});
const advice = z.strictObject({ ...types, repeat, processingCode: code, ...carrier });
const settlement = z.strictObject({
  ...types,
  repeat: messageType
    .optional()
    .describe(
      'the message type of a repeat, which has the trace number of the unanswered one; absent: none is repeated',
    ),
  processingCode: code,
  ...carrier,
  nextBatch: z
    .number()
    .int()
    .min(2)
    .max(128)
    .optional()
    .describe('the field in which an answer has the number of the next batch instead of this one'),
});
const managed = z.strictObject({ ...types, processingCode: code, ...carrier });
const network = managed.optional();

const partPlace = {
  field: z.number().int().min(2).max(128).describe('the field that it is in'),
  at: z.number().int().min(0).max(998).default(0).describe('characters or bytes of the field before it'),
} as const;
const reason = z
  .string()
  .regex(/^[\x20-\x7e]{1,12}$/, '1 to 12 characters')
  .describe('what the field holds');
const numberPlace = z
  .strictObject({
    ...partPlace,
    digits: z.number().int().min(1).max(6).default(6).describe('how many digits it has'),
  })
  .optional();
const numbersPlace = z
  .strictObject({ batch: numberPlace, invoice: numberPlace, stan: numberPlace })
  .describe('where an approving answer has the first batch, invoice and trace number of a terminal without any');
const keyPlace = z
  .strictObject({
    ...partPlace,
    bytes: z.union([z.literal(8), z.literal(16), z.literal(24), z.literal(32)]).describe('how long it is'),
    mode: z.enum(['ecb', 'cbc']).default('ecb').describe('how it is encrypted; cbc has a zero vector'),
    checkValue: z
      .strictObject({
        ...partPlace,
        bytes: z.number().int().min(3).max(8).default(3).describe('how many of its bytes are sent'),
      })
      .describe('its check value: of TDES the encryption of zeros, of AES the CMAC of 16 zero bytes'),
  })
  .describe('where an answer has the encrypted key: as it is in a field of bytes, in hexadecimal in one of text');

const messages = z
  .strictObject({
    sale: online,
    auth: online.optional(),
    refund: online.optional(),
    void: online.optional(),
    voidRefund: online.optional(),
    offlineSale: advice.optional(),
    completion: advice.optional(),
    tipAdjust: advice.optional(),
    reversal: z
      .strictObject({
        ...types,
        repeat,
        repeats: fieldList.describe('fields that it repeats of its original, if that had them'),
        reasons: z
          .strictObject({ noAnswer: reason, invalidAnswer: reason, cardRefused: reason, other: reason })
          .optional()
          .describe('the value reversalReason for each reason'),
        ...carrier,
        fields: fieldList.default([]).describe('fields of its own'),
      })
      .describe('takes back a request that may have been carried out; it has the trace number of its original'),
    settlement,
    trailer: settlement.optional().describe('the settlement that ends a batch upload'),
    upload: z
      .strictObject({
        ...types,
        repeat,
        ...carrier,
        moreDigit: z.string().regex(/^\d$/, 'one digit').describe('the last digit of field 3 if another one follows'),
      })
      .optional()
      .describe('one transaction of a batch whose totals differ; field 3 is that of its original'),
    signOn: managed
      .extend({ numbers: numbersPlace.optional() })
      .optional()
      .describe('the first message of each connection; without its approval no other one is sent'),
    echo: network.describe('asks a silent host whether it is there, every acquirers[].echoS'),
    keyExchange: managed
      .extend({ key: keyPlace })
      .optional()
      .describe('asks for the working key of authentication codes (acquirers[].mac.key.session)'),
    signOff: network.describe('the last message of a connection that the terminal ends'),
  })
  .describe('the messages; a kind of transaction without its message is not offered');

/** Reasons that a code may have; the rest are of wallets and stored-value cards. */
const reasons = [
  'referToIssuer',
  'doNotHonour',
  'invalidTransaction',
  'invalidAmount',
  'invalidCardNumber',
  'lostCard',
  'stolenCard',
  'expiredCard',
  'insufficientFunds',
  'wrongPin',
  'pinTriesExceeded',
  'pinRequired',
  'notPermittedToCardholder',
  'notPermittedToTerminal',
  'amountLimitExceeded',
  'countLimitExceeded',
  'securityViolation',
  'hostTrouble',
  'duplicate',
  'declined',
] as const satisfies readonly DeclineReason[];

const codes = z
  .strictObject({
    approved: codeList.optional().describe('a request is approved, or an advice is posted'),
    duplicate: codeList.optional().describe('the host has a message with this number already'),
    undecided: codeList.optional().describe('the host could not decide: the request is reversed'),
    reversed: codeList.optional().describe('a reversal is done'),
    noRecord: codeList.optional().describe('the host has no record of the original'),
    tryAgain: codeList.optional().describe('an advice must be sent again'),
    unreadable: codeList.optional().describe('the host could not read the message'),
    balanced: codeList.optional().describe('the host’s books agree with a settlement'),
    mismatch: codeList.optional().describe('the host’s books differ from a settlement'),
    uploaded: codeList.optional().describe('a message of a batch upload is accepted'),
    keysOutOfStep: codeList
      .optional()
      .describe('the host has another working key: the request is declined, and the host is asked for the key again'),
    terminalUnknown: codeList.optional().describe('the host does not know this terminal or its merchant'),
    reasons: z.record(responseCode, z.enum(reasons)).default({}).describe('why a payment was declined, by code'),
  })
  .prefault({})
  .describe('the values of field 39; a list or reason that is absent is the usual one, any other code is a decline');

const totals = z
  .strictObject({
    parts: z
      .array(z.enum(['sales', 'refunds', 'zero']))
      .min(1)
      .max(20)
      .describe('what each pair of count and sum adds up'),
    countDigits: z
      .array(z.number().int().min(1).max(9))
      .min(1)
      .max(3)
      .describe('the digits of a count; the first that fit'),
    amountDigits: z.number().int().min(6).max(16).describe('the digits of a sum'),
  })
  .optional()
  .describe('the value totals of a settlement');

const debit = z
  .strictObject({
    accounts: z
      .record(z.enum(accounts), z.string().regex(/^\d{2}$/, 'two digits'))
      .describe('digits 3 and 4 of field 3'),
    cashbackType: z
      .string()
      .regex(/^\d{2}$/, 'two digits')
      .describe('digits 1 and 2 of field 3 with cash back'),
  })
  .optional()
  .describe('set for a host whose cards always pay from an account and with a PIN: EPS');

export const dialectSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(/^[\x20-\x7e]{1,60}$/, 'up to 60 characters')
    .describe('what it is the dialect of, for people'),
  ...wireShape,
  fields: z
    .record(fieldNumber, fieldSchema)
    .describe('the fields that are sent, and those whose format is not the standard one'),
  messages,
  emvTags: z.array(emvTag).max(60).default([]).describe('the EMV objects of the value emv, in order'),
  entryModes: z
    .partialRecord(z.enum(cardEntryModes), z.string().regex(/^\d{3,4}$/, 'three or four digits'))
    .default({})
    .describe('the value entryMode; what is absent is 071, 051, 901, 801 or 011'),
  codes,
  totals,
  debit,
});

/** A dialect file with its defaults. */
export type DialectFile = z.infer<typeof dialectSchema>;
export type FieldEntry = z.infer<typeof fieldSchema>;
export type KeyPlace = z.infer<typeof keyPlace>;
export type NumbersPlace = z.infer<typeof numbersPlace>;
/** The place of a key or check value in a field. */
export type PartPlace = KeyPlace['checkValue'];
export type MessageName = keyof DialectFile['messages'];

/** Only what the codec needs to unpack messages, for a file without `messages`. */
export const wireSchema = z.object({ ...wireShape, fields: z.record(fieldNumber, fieldSchema).default({}) });
export type Wire = z.infer<typeof wireSchema>;

/** The dialects that are part of the program. */
export const builtInNames = ['EDC', 'CUP', 'EPS'] as const;
export type BuiltInDialect = (typeof builtInNames)[number];

/** JSON Schema, draft 2020-12. Rules between keys are not in it. */
export function dialectJsonSchema(): object {
  jsonSchema ??= z.toJSONSchema(dialectSchema, { io: 'input', unrepresentable: 'any', reused: 'ref' });
  return jsonSchema;
}

let jsonSchema: object | undefined;
