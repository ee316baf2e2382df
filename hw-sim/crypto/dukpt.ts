import {
  blockBytes,
  desEncrypt,
  retailMac,
  tdesDecryptCbc,
  tdesEncrypt,
  tdesEncryptCbc,
  xor,
  zeroPadded,
} from './des.ts';

/**
 * Derived unique key per transaction with triple DES, ANSI X9.24-1:2009 annex A. A key serial number is 10 bytes: the
 * initial key serial number with its lowest 21 bits as a transaction counter. The base derivation key is 16 bytes.
 */
const ksnBytes = 10;
const counterBits = 21;
const counterMask = (1n << BigInt(counterBits)) - 1n;

/** Limit of a counter's one bits (A.1). It bounds the work of deriving a transaction's key. */
const counterOnesMax = 10;

const halfKeyMask = Buffer.from('C0C0C0C000000000C0C0C0C000000000', 'hex');
const variants = {
  pin: Buffer.from('00000000000000FF00000000000000FF', 'hex'),
  macRequest: Buffer.from('000000000000FF00000000000000FF00', 'hex'),
  macResponse: Buffer.from('00000000FF00000000000000FF000000', 'hex'),
  dataRequest: Buffer.from('0000000000FF00000000000000FF0000', 'hex'),
} as const;

/** The key that is loaded into a device before its first transaction (IPEK). Only bytes 0 to 7 of `ksn` count. */
export function initialKey(bdk: Buffer, ksn: Buffer): Buffer {
  const { serial } = parts(ksn);
  return Buffer.concat([tdesEncrypt(bdk, serial), tdesEncrypt(xor(bdk, halfKeyMask), serial)]);
}

/** The key of one transaction; the variants below are derived from it. */
export function transactionKey(bdk: Buffer, ksn: Buffer): Buffer {
  const { register, counter } = parts(ksn);
  if (counter === 0n) throw new RangeError('counter 0 belongs to the initial key and encrypts nothing');
  let key = initialKey(bdk, ksn);
  let reached = register;
  for (let bit = 1n << BigInt(counterBits - 1); bit > 0n; bit >>= 1n) {
    if ((counter & bit) === 0n) continue;
    reached |= bit;
    key = nonReversible(key, eightBytes(reached));
  }
  return key;
}

export function pinKey(bdk: Buffer, ksn: Buffer): Buffer {
  return xor(transactionKey(bdk, ksn), variants.pin);
}

/** A clear PIN block of 8 bytes under the PIN key of its transaction. */
export function encryptPinBlock(bdk: Buffer, ksn: Buffer, block: Buffer): Buffer {
  if (block.length !== blockBytes) throw new RangeError(`a PIN block of ${block.length} bytes`);
  return tdesEncrypt(pinKey(bdk, ksn), block);
}

/** The key of data from the device to the host: the variant, encrypted by itself half by half (A.4.1). */
export function dataKey(bdk: Buffer, ksn: Buffer): Buffer {
  const variant = xor(transactionKey(bdk, ksn), variants.dataRequest);
  return tdesEncrypt(variant, variant);
}

/**
 * Encrypts with the data-request key, CBC, zero initial vector. `clear` is whole blocks: its padding is the caller's.
 */
export function encryptData(bdk: Buffer, ksn: Buffer, clear: Buffer): Buffer {
  return tdesEncryptCbc(dataKey(bdk, ksn), clear);
}

/** The inverse of `encryptData`; the padding is still there. */
export function decryptData(bdk: Buffer, ksn: Buffer, cipher: Buffer): Buffer {
  return tdesDecryptCbc(dataKey(bdk, ksn), cipher);
}

/** The key for messages from the device (request) or to it (response): a variant of the transaction key (A.4.1). */
export function macKey(bdk: Buffer, ksn: Buffer, direction: 'request' | 'response'): Buffer {
  return xor(transactionKey(bdk, ksn), direction === 'request' ? variants.macRequest : variants.macResponse);
}

/** MAC of a message from the device (request) or to it (response): 8 bytes, of which 4 travel. Zero padding. */
export function messageMac(bdk: Buffer, ksn: Buffer, direction: 'request' | 'response', message: Buffer): Buffer {
  return retailMac(macKey(bdk, ksn, direction), zeroPadded(message));
}

/** The key serial number of the next transaction: counters with too many one bits are skipped (A.3, "New Key"). */
export function nextKsn(ksn: Buffer): Buffer {
  const value = whole(ksn);
  let counter = value & counterMask;
  do {
    counter += 1n;
    if (counter > counterMask) throw new RangeError('this initial key has no transaction left');
  } while (ones(counter) > counterOnesMax);
  return Buffer.from(((value & ~counterMask) | counter).toString(16).padStart(2 * ksnBytes, '0'), 'hex');
}

/** Derives a new key from a key and a key serial number register; neither can be recovered from it (A.2). */
function nonReversible(key: Buffer, register: Buffer): Buffer {
  return Buffer.concat([half(xor(key, halfKeyMask), register), half(key, register)]);
}

function half(key: Buffer, register: Buffer): Buffer {
  const left = key.subarray(0, blockBytes);
  const right = key.subarray(blockBytes);
  return xor(desEncrypt(left, xor(right, register)), right);
}

function parts(ksn: Buffer): { serial: Buffer; register: bigint; counter: bigint } {
  const value = whole(ksn);
  const counter = value & counterMask;
  if (ones(counter) > counterOnesMax) throw new RangeError('no device uses a counter with so many one bits');
  const initial = Buffer.from((value & ~counterMask).toString(16).padStart(2 * ksnBytes, '0'), 'hex');
  // The register is the right half of the initial key serial number: its lowest 8 bytes, the serial its first 8.
  return { serial: initial.subarray(0, 8), register: BigInt(`0x${initial.subarray(-8).toString('hex')}`), counter };
}

function whole(ksn: Buffer): bigint {
  if (ksn.length !== ksnBytes) throw new RangeError(`a key serial number of ${ksn.length} bytes`);
  return BigInt(`0x${ksn.toString('hex')}`);
}

function eightBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

function ones(value: bigint): number {
  return value.toString(2).replaceAll('0', '').length;
}
