import { protocolError } from '../protocol-error.ts';

/**
 * Masked track 2 as ASCII: number, '=', what follows; start and end sentinels of ISO/IEC 7813 where the reader sends them. A
 * hidden digit is 0 (published). Expiry and service code may be in sight, discretionary data may not (PCI DSS v4, 3.3.1).
 */
const maskedTrack2 = /^;?(\d{12,19})=(?:\d{7}0*|0*)\??$/;

const leading = 6;
const trailing = 4;

/**
 * '476173******0119' of a masked track. A reader says 0 for a hidden digit and 0 for a digit 0: what is not 0 throughout is not
 * masked. Throws DeviceError 'protocol'.
 */
export function maskedNumber(track: Uint8Array): string {
  const number = maskedTrack2.exec(Buffer.from(track).toString('latin1'))?.[1];
  const hidden = number?.slice(leading, -trailing) ?? '';
  if (number === undefined || !/^0+$/.test(hidden)) throw protocolError('a track that is not masked');
  return `${number.slice(0, leading)}${'*'.repeat(hidden.length)}${number.slice(-trailing)}`;
}
