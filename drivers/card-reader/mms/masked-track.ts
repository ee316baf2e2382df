import { protocolError } from '../protocol-error.ts';

/**
 * Masked track 2 as ASCII: number, '=', the rest; with start and end sentinels of ISO/IEC 7813 if the reader sends
 * them. A hidden digit is 0 (published). Expiry and service code may be visible, discretionary data may not (PCI DSS
 * v4, 3.3.1).
 */
const maskedTrack2 = /^;?(\d{12,19})=(?:\d{7}0*|0*)\??$/;

const leading = 6;
const trailing = 4;

/**
 * '476173******0119' from a masked track. 0 stands both for a hidden digit and for a digit 0, so a middle part that is
 * not all zeros is not masked. Throws DeviceError 'protocol'.
 */
export function maskedNumber(track: Uint8Array): string {
  const number = maskedTrack2.exec(Buffer.from(track).toString('latin1'))?.[1];
  const hidden = number?.slice(leading, -trailing) ?? '';
  if (number === undefined || !/^0+$/.test(hidden)) throw protocolError('the track is not masked');
  return `${number.slice(0, leading)}${'*'.repeat(hidden.length)}${number.slice(-trailing)}`;
}
