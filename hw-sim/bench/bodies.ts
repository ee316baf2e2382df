import * as z from 'zod';
import { adviceApprovals, cardHostModeNames, hostModeNames, settledManners, siteFaults } from '../host/iso8583/host.ts';
import { keyExchangeManners, outOfStepManners, signOnManners } from '../host/iso8583/manners.ts';
import {
  answerSignatureNames,
  customerNames,
  outcomeNames,
  queryTimeNames,
  signTypes,
  unknownOrderCodes,
} from '../host/qfpay/host.ts';
import { tlsFaults } from '../tls/host-tls.ts';
import { HttpError } from './http-error.ts';

const flag = z.boolean().exactOptional();
const responseCode = z
  .string()
  .regex(/^[0-9A-Z]{2}$/, 'a response code has two characters')
  .exactOptional();

/** Bodies of the control API's calls. Strict: an unknown field is refused, not ignored. */
export const nothing = z.strictObject({});

/** How long a call waits until the terminal asks for it: the call may come a moment too early. */
const holdMs = z.int().min(1).max(600_000).default(3000);

export const tap = z.strictObject({ card: z.string(), holdMs });

export const pinPadEntry = z.union([
  z.strictObject({ pin: z.string().regex(/^\d{4,12}$/, 'a PIN has 4 to 12 digits'), holdMs }),
  z.strictObject({ key: z.literal('CANCEL'), holdMs }),
]);

/** A code as it stands, or a new one of a phone. */
export const scan = z.union([
  z.strictObject({ code: z.string().min(1).max(512), holdMs }),
  z.strictObject({ wallet: z.string(), holdMs }),
]);

export const walletPay = z.strictObject({ qr: z.string().exactOptional(), holdMs });
export const walletCode = z.strictObject({ wallet: z.string() });
export const walletAnswer = z.strictObject({ holdMs });

export const readerFault = z.strictObject({
  /** Maximum wait until the reader awaits a card. Without it the fault is set at once. */
  holdMs: z.int().min(1).max(600_000).exactOptional(),
  unplug: flag,
  garble: flag,
  dropNext: flag,
  splitBytes: flag,
  collision: flag,
  garbageBefore: flag,
  atFrame: z.int().min(1).max(1000).exactOptional(),
  unsupported: flag,
  overLimit: flag,
  cardLost: flag,
  chipFails: flag,
  cardRefuses: flag,
});

export const scannerFault = z.strictObject({
  unplug: flag,
  garble: flag,
  splitBytes: flag,
  noise: flag,
  tooLong: flag,
});

export const octopusFault = z.strictObject({
  unplug: flag,
  silent: flag,
  garble: flag,
  disconnectDuringDeduct: flag,
  readerAbsent: flag,
  incompleteNext: z.enum(['deducted', 'notDeducted']).exactOptional(),
  readErrorNext: z.enum(['poll', 'deduct', 'deducted']).exactOptional(),
});

export const printerFault = z.strictObject({
  unplug: flag,
  paperOut: flag,
  paperNearEnd: flag,
  coverOpen: flag,
  cutterError: flag,
  silent: flag,
  paperOutAfter: z.int().min(1).max(1000).exactOptional(),
});

const numbers = z.array(z.string().max(15)).max(100).exactOptional();

/** Without `mode` the host is up: {decline: "51"} alone is a complete mode. */
export const hostMode = z.strictObject({
  mode: z.enum(cardHostModeNames).default('up'),
  delayMs: z.int().min(0).max(600_000).exactOptional(),
  decline: responseCode,
  coversMinor: z.int().min(1).exactOptional(),
  declineByAmount: flag,
  faultByAmount: flag,
  atMessage: z.int().min(1).max(1000).exactOptional(),
  declineVoids: responseCode,
  refuseReversals: responseCode,
  tlsFault: z.enum(tlsFaults).exactOptional(),
  signOn: z.enum(signOnManners).exactOptional(),
  silentEchoes: flag,
  siteFault: z.enum(siteFaults).exactOptional(),
  wrongMac: flag,
  acceptsUsedKeys: flag,
  keyExchange: z.enum(keyExchangeManners).exactOptional(),
  keysOutOfStep: z.enum(outOfStepManners).exactOptional(),
  terminals: numbers,
  merchants: numbers,
  script: z.enum(['71', '72']).exactOptional(),
  reversals: flag,
  advices: flag,
  settlement: flag,
  mismatch: flag,
  lateAnswer: flag,
  duplicates: z.literal('94').exactOptional(),
  approveAdvices: z.enum(adviceApprovals).exactOptional(),
  rejectAdvices: responseCode,
  settled: z.enum(settledManners).exactOptional(),
  settledCode: responseCode,
  settledRepeats: flag,
  keepAliveMs: z.int().min(1).exactOptional(),
  secondBitmap: flag,
  extraFields: z.record(z.string(), z.string().nullable()).exactOptional(),
});

/** Where the terminal is: origins on this machine. */
const origin = z
  .url()
  .regex(/^https?:\/\/(?:127\.0\.0\.1|localhost):\d{1,5}$/, 'an address of this machine with a port, without a path');
export const terminalAddress = z.strictObject({ api: origin, screen: origin.exactOptional() });

/** A power cut of the terminal, now or at a frame; or its end. */
export const terminalPower = z.union([
  z.strictObject({
    power: z.literal('cut'),
    at: z.strictObject({ line: z.string(), words: z.string().min(1).max(200) }).exactOptional(),
    offMs: z.int().min(0).max(600_000).default(3000),
  }),
  z.strictObject({ power: z.literal('on') }),
]);

/** A call of the till; `path` follows /sp/v1/. */
export const tillCall = z.strictObject({
  method: z.enum(['GET', 'POST']).default('POST'),
  path: z.string().regex(/^[a-z]{1,32}(?:\?[\w=&.%:-]{0,512})?$/, 'one of the terminal’s calls, such as payment'),
  body: z.record(z.string(), z.unknown()).exactOptional(),
});

const respcd = z
  .string()
  .regex(/^\d{4}$/, 'a respcd has four digits')
  .exactOptional();

/** The same for the wallet host, with its customers' behaviour. */
export const walletHostMode = z.strictObject({
  mode: z.enum(hostModeNames).default('up'),
  atMessage: z.int().min(1).max(1000).exactOptional(),
  delayMs: z.int().min(0).max(600_000).exactOptional(),
  decline: respcd,
  declineRefunds: respcd,
  reversals: flag,
  enquiries: flag,
  customer: z.enum(customerNames).exactOptional(),
  processingEnquiries: z.int().min(0).max(1000).exactOptional(),
  outcome: z.enum(outcomeNames).exactOptional(),
  close: flag,
  badCode: flag,
  queryLagMs: z.int().min(0).exactOptional(),
  queryTime: z.enum(queryTimeNames).exactOptional(),
  clockOffsetMs: z.int().exactOptional(),
  utcOffsetMinutes: z.int().exactOptional(),
  answerSignature: z.enum(answerSignatureNames).exactOptional(),
  answerSignType: z.enum(signTypes).exactOptional(),
  unknownOrder: z.enum(unknownOrderCodes).exactOptional(),
  excessRefunds: respcd,
  badSignature: flag,
  wrongAmount: flag,
});

/** Refuses an empty fault: it would change nothing, so the caller made a mistake. */
export function someFault<T extends object>(fault: T): T {
  if (Object.keys(fault).length === 0) throw new HttpError(400, 'no fault is named');
  return fault;
}
