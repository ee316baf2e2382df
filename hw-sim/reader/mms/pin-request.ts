import { encodeObject } from '../../card/tlv.ts';
import { isPinLength, type PinRequest } from '../pin-pad.ts';
import { objectsByTag } from './objects.ts';

/** DF71: ISO 9564-1 format 0. */
const blockFormat = 0x00;

/** Digits of the card number in a block of this format. */
const accountDigits = 0x0c;

/** Texts that this pad can show (Table 172). */
const sequence = { enter: 0x00, wrongTryAgain: 0x02, cancelSession: 0xfd } as const;

/** DFDF42: triple DES under DUKPT, PIN variant (4.4). */
const tdesPin = 0x81;

/**
 * Reads the payload of 2001 (Table 172): 81 time-out in seconds, 82 text, 83 most and least digits, A1 the length of a
 * card number, 85 the block's format. Undefined if it ends a PIN entry; a sentence that says what is wrong if it is
 * invalid. Assumed: without a number, the pad uses that of the card that was read last.
 */
export function parsePin(payload: Buffer): PinRequest | string | undefined {
  const objects = objectsByTag(payload, ['81', '82', '83', 'A1', '85'], '2001');
  if (typeof objects === 'string') return objects;
  const account = objectsByTag(objects.get('A1'), ['81'], 'A1 of 2001');
  if (typeof account === 'string') return account;
  const limits = objects.get('83');
  const values = [objects.get('81'), objects.get('82'), objects.get('85'), account.get('81')];
  if (limits?.length !== 2 || values.some((value) => value?.length !== 1))
    return '2001 with an object of another length';
  const [seconds = 0, shown, format, digits] = values.map((value) => value?.[0]);
  const [digitsMax = 0, digitsMin = 0] = limits;
  if (seconds === 0) return '2001 with a time-out of 0 s';
  if (!isPinLength(digitsMin, digitsMax)) return '2001 with a number of digits that no PIN has';
  if (format !== blockFormat) return '2001 with a block that this pad does not make';
  if (digits !== accountDigits) return '2001 with a card number of another length';
  switch (shown) {
    case sequence.cancelSession:
      return undefined;
    case sequence.enter:
    case sequence.wrongTryAgain:
      return { timeoutMs: seconds * 1000, digitsMin, digitsMax, again: shown === sequence.wrongTryAgain };
    default:
      return '2001 with something to show that this pad does not have';
  }
}

/** Payload of 0205 with a PIN block. */
export function pinData(ksn: Buffer, block: Buffer): Buffer {
  return encodeObject(
    'F5',
    Buffer.concat([
      encodeObject('DF71', Buffer.of(blockFormat)),
      encodeObject('99', block),
      encodeObject('DFDF41', ksn),
      encodeObject('DFDF42', Buffer.of(tdesPin)),
    ]),
  );
}
