import { encodeTlv } from '../../../../src/codecs/emv/tlv.ts';
import { bytes } from './fixture-messages.ts';

/** The test Visa card's objects in 70, by tag, as hex: in the layout of fixtures/README.md. */
export const clear = {
  '84': 'A0000000031010',
  '50': '56495341204352454449 54',
  '9F12': '56697361 20437265646974',
  '9F26': '7D2DB53DB0E0F6A4',
  '9F27': '80',
  '9F10': '06011203A00000',
  '9F02': '000000003000',
  '9C': '00',
  '5F2A': '0344',
  DFDF4D: Buffer.from('4761730000000119=31122010000000000000').toString('hex'),
  DFDF52: '05',
  DFDF53: '00',
} as const;

export const sealed = {
  DFDF59: '0102030405060708090A0B0C0D0E0F101112131415161718',
  DFDF5A: 'A1A2A3A4A5A6A7A8A9AAABACADAEAFB0',
  DFDF56: 'FFFF9876543210E00001',
  DFDF57: '80',
  DFDF58: '03',
} as const;

type Objects = Readonly<Record<string, string>>;
type Changes = Readonly<Record<string, string | undefined>>;

/** The payload of 080202 or 080302. A value that is undefined leaves its object out, one that is new comes last; null: no F8. */
export function payload(changed: Changes = {}, changedSealed: Changes | null = {}, beside: Objects = {}): Uint8Array {
  const objects: Uint8Array[] = [tlv({ ...clear, ...changed })];
  if (changedSealed) objects.push(tlvOf([['F8', tlv({ ...sealed, ...changedSealed })]]));
  const inner: [string, Uint8Array][] = [['70', Buffer.concat(objects)]];
  return framed(
    encodeTlv([
      [
        'F9',
        Buffer.concat([tlv({ DFDF25: '4231323334' }), tlvOf([['FA', Buffer.concat([encodeTlv(inner), tlv(beside)])]])]),
      ],
    ]),
  );
}

/** Of a chip's last word. */
export function secondGenerateAc(changed: Changes = {}, beside: Changes = { DFDF1A: '00' }): Uint8Array {
  const word = tlv({ '9F26': '9D0E2A1C5B3F4477', '9F27': '40', '95': '0000008000', '9B': 'E800', ...changed });
  const results = tlvOf([['F0', tlvOf([['F1', tlv(beside)]])]]);
  const serial = tlv({ DFDF25: '4231323334' });
  return framed(
    tlvOf([['F9', Buffer.concat([serial, tlvOf([['FA', Buffer.concat([tlvOf([['70', word]]), results])]])])]]),
  );
}

/** Header and length before `body`. */
export function framed(body: Uint8Array, length = body.length): Uint8Array {
  return Buffer.concat([bytes('010184820000'), Uint8Array.of(length >> 8, length & 0xff), body]);
}

export function tlv(objects: Changes): Uint8Array {
  const present = Object.entries(objects).flatMap(([tag, value]) =>
    value === undefined ? [] : [[tag, bytes(value)] as [string, Uint8Array]],
  );
  return tlvOf(present);
}

function tlvOf(objects: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  return encodeTlv(objects);
}
