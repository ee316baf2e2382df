import type { CardInterface } from '../../card/card.ts';
import { encodeObject, tagBytes } from '../../card/tlv.ts';
import { zeroPadded } from '../../crypto/des.ts';
import { encryptData } from '../../crypto/dukpt.ts';
import { keptInside, maskedDigits } from '../masking.ts';
import type { Encryption, ReadCard } from '../reading.ts';
import { notificationId } from './codes.ts';

/** DFDF52. */
const cardTypes = { stripe: 0x01, chip: 0x05, contactless: 0x06 } as const satisfies Record<CardInterface, number>;

/** DFDF57: triple DES under DUKPT, data variant (4.4). */
const tdesData = 0x80;

/** Bytes of a block. */
const blockBytes = 8;

/** DFDF1A. */
const results = { approved: 0x00, declined: 0x02 } as const;

/** ID TECH's tag for how the cardholder was verified. */
const foreign = 'DF52';

/** Payload of 080202, and of a stripe's 080302: the card (Table 4.51; encrypted objects as in fixtures/README.md). */
export function cardPayload(serial: string, read: ReadCard): Buffer {
  const { objects, encryption, from, fallback } = read;
  // A stripe has no EMV data: DFDF52 and DFDF53 show how it was read.
  const data = from === 'stripe' ? [] : [...objects];
  const clear = data.filter(([tag]) => !keptInside.has(tag) && tag !== foreign);
  const list = Buffer.concat([
    ...clear.map(([tag, value]) => encodeObject(tag, value)),
    encodeObject('DFDF4D', Buffer.from(maskedTrack(objects.get('57')), 'latin1')),
    encodeObject('DFDF52', Buffer.of(cardTypes[from])),
    encodeObject('DFDF53', Buffer.of(fallback ? 1 : 0)),
    encodeObject('F8', enciphered(objects, encryption)),
  ]);
  return transactionPayload(serial, [encodeObject('70', list)]);
}

/** Payload of the 080302 that ends a chip's transaction, with its result. `objects` are 9F26, 9F27, 95 and 9B. */
export function resultPayload(serial: string, objects: ReadonlyMap<string, Buffer>, approved: boolean): Buffer {
  const list = Buffer.concat(Array.from(objects, ([tag, value]) => encodeObject(tag, value)));
  const result = approved ? results.approved : results.declined;
  const status = Buffer.concat([encodeObject('DFDF1A', Buffer.of(result)), encodeObject('DFDF1B', Buffer.of(0))]);
  return transactionPayload(serial, [encodeObject('70', list), encodeObject('F0', encodeObject('F1', status))]);
}

/**
 * Six bytes of header, two of length, then F9. The published example of 0101 shows what the six are: the
 * notification's id again, tag 84 and a length in three octets.
 */
function transactionPayload(serial: string, parts: readonly Buffer[]): Buffer {
  const serialNumber = encodeObject('DFDF25', Buffer.from(serial, 'latin1'));
  const data = encodeObject('F9', Buffer.concat([serialNumber, encodeObject('FA', Buffer.concat(parts))]));
  const inner = Buffer.concat([twoBytes(data.length), data]);
  return Buffer.concat([
    twoBytes(notificationId.information),
    tagBytes('84'),
    Buffer.of(0x82),
    twoBytes(inner.length),
    inner,
  ]);
}

function enciphered(objects: ReadonlyMap<string, Buffer>, { bdk, ksn }: Encryption): Buffer {
  const plain = (tag: string): Buffer => encodeObject(tag, objects.get(tag) ?? Buffer.alloc(0));
  const sealed = (to: string, tag: string): Buffer => encodeObject(to, encryptData(bdk, ksn, zeroPadded(plain(tag))));
  return Buffer.concat([
    sealed('DFDF59', '57'),
    sealed('DFDF5A', '5A'),
    encodeObject('DFDF56', ksn),
    encodeObject('DFDF57', Buffer.of(tdesData)),
    encodeObject('DFDF58', Buffer.of((blockBytes - (plain('57').length % blockBytes)) % blockBytes)),
  ]);
}

/** Track 2 as text, with 0 for every hidden digit; all digits after the separator are hidden. */
function maskedTrack(track: Buffer = Buffer.alloc(0)): string {
  const [digits = '', rest = ''] = track.toString('hex').replace(/f$/, '').split('d');
  return `${maskedDigits(digits, '0')}=${'0'.repeat(rest.length)}`;
}

function twoBytes(value: number): Buffer {
  return Buffer.of(value >> 8, value & 0xff);
}
