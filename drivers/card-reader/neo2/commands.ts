import { encodeTlv } from '../../../src/codecs/emv/tlv.ts';
import { majorText } from '../../../src/base/domain/amount.ts';
import type { CardDecision, CardInterface, CollectRequest } from '../../../src/base/ports/card-reader.ts';
import type { PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { pinDigits } from '../pin-digits.ts';
import { decisionObjects } from '../second-stage.ts';
import { armedInterfaces, transactionData, waitSeconds } from '../transaction-request.ts';
import { encodeFrame } from './frame.ts';

/** Command bytes; an answer repeats its command's. NEO 2 Interface Developer's Guide (IDG), pages as cited. */
export const command = {
  pollMode: 0x01,
  activate: 0x02,
  cancel: 0x05,
  ping: 0x18,
  version: 0x29,
  contact: 0x60,
  pin: 0x62,
} as const;

/** 18-01, p.42. */
export function ping(): Uint8Array {
  return encodeFrame(command.ping, 0x01);
}

/** 29-00, p.131: firmware version as ASCII. */
export function version(): Uint8Array {
  return encodeFrame(command.version, 0x00);
}

/** 01-01: the reader looks for a card only on command. The value 01 is recalled, unverified on hardware. */
export function pollOnDemand(): Uint8Array {
  return encodeFrame(command.pollMode, 0x01, Uint8Array.of(0x01));
}

/** 05-01 without data, p.242. Nothing may be sent after it before it is answered. */
export function cancel(): Uint8Array {
  return encodeFrame(command.cancel, 0x01);
}

/** DFEF37, p.209. */
const interfaceBit: Readonly<Record<CardInterface, number>> = { magstripe: 0x01, contactless: 0x02, chip: 0x04 };

/** 02-40, p.209-210: one card for this amount. Date and time are deprecated there and not sent. */
export function activate(request: CollectRequest): Uint8Array {
  const objects = encodeTlv(transactionObjects(request));
  const data = new Uint8Array(1 + objects.length);
  data[0] = waitSeconds(request.timeoutMs);
  data.set(objects, 1);
  return encodeFrame(command.activate, 0x40, data);
}

function transactionObjects(request: CollectRequest): [tag: string, value: Uint8Array][] {
  let armed = 0;
  for (const name of armedInterfaces(request)) armed |= interfaceBit[name];
  return [...transactionData(request), ['9F03', new Uint8Array(6)], ['DFEF37', Uint8Array.of(armed)]];
}

/**
 * 60-12, p.189: the data for the card's second GENERATE AC. No public page gives its layout. Assumed: a byte that shows
 * whether the host answered, then 8A and the issuer's objects (fixtures/README.md). Unverified on hardware.
 */
export function applyHostResponse(decision: CardDecision): Uint8Array {
  const asked = decision.kind === 'unreachable' ? 0x00 : 0x01;
  const data = Buffer.concat([Uint8Array.of(asked), encodeTlv(decisionObjects(decision))]);
  return encodeFrame(command.contact, 0x12, data);
}

/** First byte of 62-01, p.348: a DUKPT key, and the card number that the reader has read itself. */
const dukptOwnNumber = 0x01;

/** Characters of each of the pad's two lines: p.356, documented for 62-05. */
const lineCharacters = 16;

/**
 * 62-01, p.348: key, length of an external card number (none), most and least digits, the pad's text. Its last fields,
 * text and time-out, are assumed to be those of 62-05, p.356 (fixtures/README.md). Unverified on hardware.
 */
export function enterPin({ amount, timeoutMs, again }: PinRequest): Uint8Array {
  const first = again ? 'WRONG PIN' : `${amount.currency} ${majorText(amount)}`.slice(-lineCharacters);
  const message = Buffer.from(`${first}\0ENTER PIN`, 'latin1');
  const head = [dukptOwnNumber, 0x00, pinDigits.most, pinDigits.least, message.length];
  const data = Buffer.concat([Uint8Array.from(head), message, Uint8Array.of(0x00, waitSeconds(timeoutMs))]);
  return encodeFrame(command.pin, 0x01, data);
}

/** 62-00, p.346: the only command that may be sent while a PIN is entered. */
export function cancelPin(): Uint8Array {
  return encodeFrame(command.pin, 0x00);
}
