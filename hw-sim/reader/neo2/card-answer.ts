import type { CardInterface } from '../../card/card.ts';
import { encodeObject, lengthBytes, tagBytes } from '../../card/tlv.ts';
import { zeroPadded } from '../../crypto/des.ts';
import { type DukptScheme, dukptScheme } from '../../crypto/dukpt-scheme.ts';
import { keptInside, maskedDigits } from '../masking.ts';
import type { Encryption, ReadCard } from '../reading.ts';
import type { Meeting } from '../transaction.ts';
import { advice, genericError, rfError, status } from './status.ts';

/** Attribution byte (IDG p.232): always encrypted; bits 2 and 1 name the cipher. */
const attributions = { chip: 0xc0, contactless: 0xc1, stripe: 0xc8 } as const satisfies Record<CardInterface, number>;
const cipherAttributions = { TDES: 0x00, AES: 0x02 } as const satisfies Record<DukptScheme['name'], number>;

/** Markers between tag and length: the object is masked or encrypted (fixtures/README.md). */
const maskedMarker = 0xa1;
const encipheredMarker = 0xc1;

/** Mastercard's contactless kernel returns its result as one group. */
const mastercardGroup = 'FF8105';

/** Result codes of a contact transaction, as the vendor's SDK publishes them. */
const results = { approved: Buffer.of(0, 2), declined: Buffer.of(0, 3) } as const;

/** 9F27 of a certificate. */
const certificate = 0x40;

/** The answer to 02-40. */
export interface CardAnswer {
  readonly status: number;
  readonly data: Buffer;
}

/** The answer to 02-40 for a meeting of card and reader. */
export function cardAnswer(meeting: Meeting): CardAnswer {
  const { kind } = meeting;
  switch (kind) {
    case 'card': {
      const code = meeting.read.from === 'stripe' ? status.ok : status.onlineAuthorization;
      return { status: code, data: cardData(meeting.read) };
    }
    case 'collision':
      return failure(rfError.collision);
    case 'unsupported':
      return failure(rfError.unsupportedCard);
    case 'overLimit':
      return failure(rfError.overLimit);
    case 'cardLost':
      return failure(rfError.noResponse);
    case 'useStripe':
      return failure(genericError, advice.useStripe);
    case 'useChip':
      return failure(genericError, advice.useChip);
    case 'timeout':
      return { status: status.timeout, data: Buffer.alloc(0) };
    default:
      return kind satisfies never;
  }
}

/** The data of the second answer to 60-12: the chip's second GENERATE AC. */
export function secondGenerateAc(objects: ReadonlyMap<string, Buffer>): Buffer {
  const agreed = objects.get('9F27')?.[0] === certificate;
  return Buffer.concat([
    agreed ? results.approved : results.declined,
    ...Array.from(objects, ([tag, value]) => encodeObject(tag, value)),
  ]);
}

/** The data of a successful answer to 02-40, in the layout of fixtures/README.md. */
function cardData({ card, from, objects, encryption }: ReadCard): Buffer {
  const parts: Buffer[] = [];
  const track = objects.get('57');
  const pan = objects.get('5A');
  if (track !== undefined) parts.push(...sensitive('57', track, maskedTrack(track), encryption));
  if (pan !== undefined) parts.push(...sensitive('5A', pan, maskedPan(pan), encryption));
  for (const [tag, value] of objects) if (!keptInside.has(tag)) parts.push(encodeObject(tag, value));
  const list = Buffer.concat(parts);
  const grouped = from === 'contactless' && card.brand === 'MASTER';
  return Buffer.concat([
    Buffer.of(attributions[from] | cipherAttributions[dukptScheme(encryption.ksn).name]),
    encodeObject('DFEE12', encryption.ksn),
    grouped ? encodeObject(mastercardGroup, list) : list,
  ]);
}

/** A failed 02-40: FFEE1F with the error, SW1 SW2 and the state of the radio field (IDG p.32). */
function failure(error: number, sw1 = 0): CardAnswer {
  return { status: status.failed, data: encodeObject('FFEE1F', Buffer.of(error, sw1, 0, 0)) };
}

function sensitive(tag: string, clear: Buffer, masked: Buffer, { bdk, ksn }: Encryption): Buffer[] {
  const { encryptData, blockBytes } = dukptScheme(ksn);
  const enciphered = encryptData(bdk, ksn, zeroPadded(encodeObject(tag, clear), blockBytes));
  return [marked(tag, maskedMarker, masked), marked(tag, encipheredMarker, enciphered)];
}

function marked(tag: string, marker: number, value: Buffer): Buffer {
  return Buffer.concat([tagBytes(tag), Buffer.of(marker), lengthBytes(value.length), value]);
}

/** 5A with the nibble C for every hidden digit. */
function maskedPan(pan: Buffer): Buffer {
  const digits = pan.toString('hex').replace(/f$/, '');
  return filled(maskedDigits(digits, 'c'));
}

/** 57 with the nibble C for every hidden digit; all digits after the separator are hidden. */
function maskedTrack(track: Buffer): Buffer {
  const [digits = '', rest = ''] = track.toString('hex').replace(/f$/, '').split('d');
  return filled(`${maskedDigits(digits, 'c')}d${'c'.repeat(rest.length)}`);
}

function filled(nibbles: string): Buffer {
  return Buffer.from(nibbles.length % 2 === 0 ? nibbles : `${nibbles}f`, 'hex');
}
