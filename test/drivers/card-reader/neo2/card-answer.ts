import { encodeFrame } from '../../../../drivers/card-reader/neo2/frame.ts';

export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));

/** A Visa test card's answer to 02-40 for 30.00 HKD, in the layout of fixtures/README.md: parts, in order, as hex. */
export const visa = {
  attribution: 'C1',
  ksn: 'DFEE12 0A FFFF9876543210E00001',
  track2Masked: '57 A1 13 476173CCCCCC0119DCCCCCCCCCCCCCCCCCCCCC',
  track2: '57 C1 18 0102030405060708090A0B0C0D0E0F101112131415161718',
  panMasked: '5A A1 08 476173CCCCCC0119',
  pan: '5A C1 10 A1A2A3A4A5A6A7A8A9AAABACADAEAFB0',
  sequence: '5F34 01 01',
  aid: '84 07 A0000000031010',
  label: '50 0B 56495341204352454449 54',
  preferred: '9F12 0A 56495341205445535420',
  name: '5F20 09 544553542F43415244',
  cryptogram: '9F26 08 7A788EA6B8A3E733',
  information: '9F27 01 80',
  issuerData: '9F10 07 06011203A0B800',
  amount: '9F02 06 000000003000',
  type: '9C 01 00',
  currency: '5F2A 02 0344',
  unpredictable: '9F37 04 52BF4585',
  expiry: '5F24 03 221231',
  cvm: 'DF52 01 00',
} as const;

export type VisaPart = keyof typeof visa;

/** The data of the answer; a part can be left out ('') or replaced, `extra` comes at the end. */
export function visaData(changed: Partial<Record<VisaPart, string>> = {}, extra = ''): Uint8Array {
  return bytes(Object.values({ ...visa, ...changed }).join('') + extra);
}

/** The same card in the contact slot, and its stripe alone. */
export const chipData = (changed: Partial<Record<VisaPart, string>> = {}) =>
  visaData({ attribution: 'C0', ...changed });

export function stripeData(
  mode = '9F39 01 90',
  changed: Partial<Record<VisaPart, string>> = {},
  extra = '',
): Uint8Array {
  const { ksn, track2Masked, track2, panMasked, pan } = visa;
  const parts = { attribution: 'C8', ksn, track2Masked, track2, panMasked, pan, ...changed };
  return bytes(Object.values(parts).join('') + mode + extra);
}

export function answer(command: number, status: number, data: Uint8Array = new Uint8Array()): Uint8Array {
  return encodeFrame(command, status, data, 'msb-first');
}
