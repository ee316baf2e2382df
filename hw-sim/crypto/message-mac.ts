import { aesBlockBytes, aesEncrypt, aesEncryptCbc } from './aes.ts';
import { blockBytes, retailMac, tdesEncryptCbc, xor, zeroPadded } from './des.ts';

/** Algorithms of message authentication codes between a host and its terminals. */
export const hostMacs = ['iso9797-1', 'iso9797-3', 'aesCmac'] as const;
export type HostMac = (typeof hostMacs)[number];

/** The source of the key: a fixed key, a working key that the host sends, or one key per message (DUKPT). */
export const macKeySources = ['fixed', 'session', 'dukpt'] as const;
export type MacKeySource = (typeof macKeySources)[number];

/** Published test keys (ISO/IEC 9797-1:2011, B.4; RFC 4493, 4). No real terminal may use them. */
export const testMacKeys: Readonly<Record<HostMac, Buffer>> = {
  'iso9797-1': Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex'),
  'iso9797-3': Buffer.from('0123456789ABCDEFFEDCBA9876543210', 'hex'),
  aesCmac: Buffer.from('2B7E151628AED2A6ABF7158809CF4F3C', 'hex'),
};

/** 8 bytes over the whole message. Where the algorithm needs whole blocks, the message is padded with zeros. */
export function messageMac(algorithm: HostMac, key: Buffer, message: Buffer): Buffer {
  switch (algorithm) {
    case 'iso9797-1':
      return tdesEncryptCbc(key, zeroPadded(message)).subarray(-blockBytes);
    case 'iso9797-3':
      return retailMac(key, zeroPadded(message));
    case 'aesCmac':
      return cmac(key, message).subarray(0, blockBytes);
    default:
      return algorithm satisfies never;
  }
}

/** AES-CMAC (RFC 4493) with a key of 16 bytes. Returns 16 bytes. */
export function cmac(key: Buffer, message: Buffer): Buffer {
  const first = shifted(aesEncrypt(key, Buffer.alloc(aesBlockBytes)));
  const blocks = Math.max(1, Math.ceil(message.length / aesBlockBytes));
  const whole = message.length === blocks * aesBlockBytes;
  const padded = whole ? message : zeroPadded(Buffer.concat([message, Buffer.of(0x80)]), aesBlockBytes);
  const head = padded.subarray(0, -aesBlockBytes);
  const tail = xor(padded.subarray(-aesBlockBytes), whole ? first : shifted(first));
  return aesEncryptCbc(key, Buffer.concat([head, tail])).subarray(-aesBlockBytes);
}

/** Shifts by one bit to the left. A bit that is shifted out changes the last byte. */
function shifted(block: Buffer): Buffer {
  const value = BigInt(`0x${block.toString('hex')}`) << 1n;
  const top = 1n << BigInt(8 * aesBlockBytes);
  const reduced = value >= top ? (value - top) ^ 0x87n : value;
  return Buffer.from(reduced.toString(16).padStart(2 * aesBlockBytes, '0'), 'hex');
}
