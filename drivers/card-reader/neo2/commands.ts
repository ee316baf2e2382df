import { encodeTlv } from '../../../src/emv/tlv.ts';
import { numericCode } from '../../../src/domain/currency.ts';
import type { CollectRequest } from '../../../src/ports/card-reader.ts';
import { encodeFrame } from './frame.ts';

/** Command bytes: an answer repeats the one of its command. NEO 2 Interface Developer's Guide (IDG), pages as named. */
export const command = {
  pollMode: 0x01,
  activate: 0x02,
  cancel: 0x05,
  ping: 0x18,
  version: 0x29,
} as const;

/** 18-01, p.42. */
export function ping(): Uint8Array {
  return encodeFrame(command.ping, 0x01);
}

/** 29-00, p.131: firmware version as ASCII. */
export function version(): Uint8Array {
  return encodeFrame(command.version, 0x00);
}

/** 01-01: the reader looks for a card only when told to. The value 01 is recalled, unverified on hardware. */
export function pollOnDemand(): Uint8Array {
  return encodeFrame(command.pollMode, 0x01, Uint8Array.of(0x01));
}

/** 05-01 without data, p.242. Nothing may be sent after it before it is answered. */
export function cancel(): Uint8Array {
  return encodeFrame(command.cancel, 0x01);
}

/** The time-out of 02-40 is one byte of seconds. */
const activateSecondsMax = 255;

/** DFEF37, p.209: bit 0 stripe, bit 1 contactless, bit 2 contact. */
const contactlessOnly = 0x02;

/** Whole seconds that the reader waits for a card: never less than asked for, at least 1, at most 255. */
export function activateSeconds(timeoutMs: number): number {
  return Math.min(activateSecondsMax, Math.max(1, Math.ceil(timeoutMs / 1000)));
}

/** 02-40, p.209-210: one contactless card for this amount. Date and time are deprecated there and not sent. */
export function activate(request: CollectRequest): Uint8Array {
  const objects = encodeTlv(transactionObjects(request));
  const data = new Uint8Array(1 + objects.length);
  data[0] = activateSeconds(request.timeoutMs);
  data.set(objects, 1);
  return encodeFrame(command.activate, 0x40, data);
}

function transactionObjects(request: CollectRequest): [tag: string, value: Uint8Array][] {
  return [...transactionData(request), ['9F03', new Uint8Array(6)], ['DFEF37', Uint8Array.of(contactlessOnly)]];
}

/** What the terminal says of the transaction, and an answer to it must repeat: amount, type, currency. */
export function transactionData(request: Pick<CollectRequest, 'amount' | 'type'>): Map<string, Uint8Array> {
  return new Map([
    ['9F02', packed(request.amount.minor.toString(), 6)],
    ['9C', Uint8Array.of(request.type === 'refund' ? 0x20 : 0x00)],
    ['5F2A', packed(numericCode(request.amount.currency), 2)],
  ]);
}

/** Decimal digits, two a byte, zeros on the left: format n of EMV 4.3 Book 3, 4.3. */
function packed(digits: string, bytes: number): Uint8Array {
  if (!/^\d+$/.test(digits) || digits.length > bytes * 2) throw new RangeError(`no number of ${bytes * 2} digits`);
  return Uint8Array.from(Buffer.from(digits.padStart(bytes * 2, '0'), 'hex'));
}
