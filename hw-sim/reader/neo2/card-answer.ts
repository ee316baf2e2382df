import { encodeObject, lengthBytes, tagBytes } from '../../card/tlv.ts';
import { encryptData } from '../../crypto/dukpt.ts';
import { zeroPadded } from '../../crypto/des.ts';

/** Attribution byte (IDG p.232): contactless EMV, triple DES, encrypted. */
const contactlessEncrypted = 0xc1;

/** Between tag and length of an object that is not in the clear: masked, or enciphered (fixtures/README.md). */
const maskedMarker = 0xa1;
const encipheredMarker = 0xc1;

/** Mastercard's contactless kernel hands out its result as one group. */
const mastercardGroup = 'FF8105';

/** Objects that identify the card or its holder. The first two travel masked and enciphered, the others not at all. */
const trackTwo = '57';
const cardNumber = '5A';
const keptInside: ReadonlySet<string> = new Set([trackTwo, cardNumber, '56', '5F20', '9F1F', '9F20', '9F0B', '99']);

/** What a card number shows of itself: first six and last four (PCI DSS v4, 3.4.1). */
const shownFirst = 6;
const shownLast = 4;

export interface Encryption {
  readonly bdk: Buffer;
  readonly ksn: Buffer;
}

/** The data of a successful 02-40 answer, in the layout that fixtures/README.md decides. */
export function cardAnswer(
  objects: ReadonlyMap<string, Buffer>,
  encryption: Encryption,
  layout: 'flat' | 'group',
): Buffer {
  const parts: Buffer[] = [];
  const track = objects.get(trackTwo);
  const pan = objects.get(cardNumber);
  if (track !== undefined) parts.push(...sensitive(trackTwo, track, maskedTrack(track), encryption));
  if (pan !== undefined) parts.push(...sensitive(cardNumber, pan, maskedPan(pan), encryption));
  for (const [tag, value] of objects) if (!keptInside.has(tag)) parts.push(encodeObject(tag, value));
  const list = Buffer.concat(parts);
  return Buffer.concat([
    Buffer.of(contactlessEncrypted),
    encodeObject('DFEE12', encryption.ksn),
    layout === 'group' ? encodeObject(mastercardGroup, list) : list,
  ]);
}

/** The data of a failed 02-40 answer: FFEE1F with the error, SW1 SW2 and the state of the radio field (IDG p.32). */
export function failureAnswer(error: number): Buffer {
  return encodeObject('FFEE1F', Buffer.of(error, 0, 0, 0));
}

function sensitive(tag: string, clear: Buffer, masked: Buffer, { bdk, ksn }: Encryption): Buffer[] {
  const enciphered = encryptData(bdk, ksn, zeroPadded(encodeObject(tag, clear)));
  return [marked(tag, maskedMarker, masked), marked(tag, encipheredMarker, enciphered)];
}

function marked(tag: string, marker: number, value: Buffer): Buffer {
  return Buffer.concat([tagBytes(tag), Buffer.of(marker), lengthBytes(value.length), value]);
}

/** 5A with the nibble C for every digit that is hidden. */
function maskedPan(pan: Buffer): Buffer {
  const digits = pan.toString('hex').replace(/f$/, '');
  return filled(maskedDigits(digits));
}

/** 57 with the nibble C for every digit that is hidden: behind the separator, all of them. */
function maskedTrack(track: Buffer): Buffer {
  const [digits = '', rest = ''] = track.toString('hex').replace(/f$/, '').split('d');
  return filled(`${maskedDigits(digits)}d${'c'.repeat(rest.length)}`);
}

function maskedDigits(digits: string): string {
  const hidden = Math.max(0, digits.length - shownFirst - shownLast);
  if (hidden === 0) return 'c'.repeat(digits.length);
  return digits.slice(0, shownFirst) + 'c'.repeat(hidden) + digits.slice(-shownLast);
}

function filled(nibbles: string): Buffer {
  return Buffer.from(nibbles.length % 2 === 0 ? nibbles : `${nibbles}f`, 'hex');
}
