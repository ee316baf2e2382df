import { encodeObject } from '../../card/tlv.ts';
import { isPinLength, type PinRequest } from '../pin-pad.ts';
import { objectsByTag } from './objects.ts';

/** DF71: ISO 9564-1 format 0. */
const blockFormat = 0x00;

/** DFDF42, and DFDF51 of a card: triple DES under DUKPT. */
export const tdesDukpt = 0x80;

/**
 * Reads the payload of 2001, in the layout that fixtures/README.md decides: 81 time-out in seconds, 82 and 83 least and most
 * digits, 84 01 where the last PIN was wrong. A sentence of what is wrong otherwise.
 */
export function parsePin(payload: Buffer): PinRequest | string {
  const objects = objectsByTag(payload, ['81', '82', '83', '84'], '2001');
  if (typeof objects === 'string') return objects;
  for (const [tag, value] of objects) if (value.length !== 1) return `2001 with ${value.length} bytes in ${tag}`;
  const byte = (tag: string): number => objects.get(tag)?.[0] ?? 0;
  const digitsMin = byte('82');
  const digitsMax = byte('83');
  if (byte('81') === 0) return '2001 with a time-out of 0 s';
  if (!isPinLength(digitsMin, digitsMax)) return '2001 with a number of digits that no PIN has';
  if (byte('84') > 1) return '2001 that says neither that the last PIN was wrong nor that it was not';
  return { timeoutMs: byte('81') * 1000, digitsMin, digitsMax, again: byte('84') === 1 };
}

/** Payload of 0205 with a PIN block. */
export function pinData(ksn: Buffer, block: Buffer): Buffer {
  return encodeObject(
    'F5',
    Buffer.concat([
      encodeObject('DF71', Buffer.of(blockFormat)),
      encodeObject('99', block),
      encodeObject('DFDF41', ksn),
      encodeObject('DFDF42', Buffer.of(tdesDukpt)),
    ]),
  );
}
