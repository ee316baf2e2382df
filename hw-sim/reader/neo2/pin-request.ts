import { isPinLength, type PinRequest, type PinResult } from '../pin-pad.ts';
import { status } from './status.ts';

/** State byte of the second answer to 62-01 (IDG p.346). */
export const pinState = { pin: 0x00, cancelKey: 0x01, cancelled: 0x02, noKey: 0x05, exhausted: 0x06 } as const;

/** First byte of 62-01 (IDG p.348): a DUKPT key, and the card number that the reader has read itself. */
const dukptOwnNumber = 0x01;

/** The pad's text: one or two lines of up to 16 ASCII characters, with a zero byte between (IDG p.356). */
const shownLines = /^[\x20-\x7e]{1,16}(?:\0[\x20-\x7e]{1,16})?$/;

/**
 * Reads the data of 62-01 (IDG p.348; the last fields: fixtures/README.md): key, length of an external card number,
 * most and least digits, text with its length, two bytes of seconds. Otherwise a sentence that says what is wrong.
 */
export function parsePinRequest(data: Buffer): PinRequest | string {
  const [key, numberLength, digitsMax = 0, digitsMin = 0, messageLength = 0] = data;
  if (data.length < 8 || data.length !== 5 + messageLength + 2) return `62-01 with ${data.length} bytes of data`;
  if (key !== dukptOwnNumber) return '62-01 with another key, or another card number, than the reader’s own';
  if (numberLength !== 0) return '62-01 with a card number from outside';
  if (!isPinLength(digitsMin, digitsMax)) return '62-01 with a number of digits that no PIN has';
  const message = data.toString('latin1', 5, 5 + messageLength);
  if (!shownLines.test(message)) return '62-01 with a message that the pad can’t show';
  const seconds = data.readUInt16BE(5 + messageLength);
  if (seconds === 0) return '62-01 with a time-out of 0 s';
  return { timeoutMs: seconds * 1000, digitsMin, digitsMax, again: message.startsWith('WRONG PIN') };
}

/** The second answer to 62-01. */
export function pinAnswer(result: PinResult): { readonly status: number; readonly data: Buffer } {
  const { kind } = result;
  switch (kind) {
    case 'pin': {
      const text = result.ksn.toString('hex') + result.block.toString('hex');
      const data = Buffer.concat([Buffer.of(pinState.pin), Buffer.from(text.toUpperCase(), 'latin1')]);
      return { status: status.ok, data };
    }
    case 'cancelKey':
      return { status: status.ok, data: Buffer.of(pinState.cancelKey) };
    case 'exhausted':
      return { status: status.ok, data: Buffer.of(pinState.exhausted) };
    case 'timeout':
      return { status: status.timeout, data: Buffer.alloc(0) };
    default:
      return kind satisfies never;
  }
}
