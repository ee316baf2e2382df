import { aesDecryptCbc, aesEncrypt, aesEncryptCbc } from './aes.ts';

/**
 * Derived unique key per transaction with AES-128, ANSI X9.24-3:2017 clause 6. A key serial number is 12 bytes: 8 of
 * the initial key's identifier, 4 of a transaction counter. The base derivation key is 16 bytes, as every key here.
 */
export const ksnBytes = 12;
const initialKeyIdBytes = 8;

/** Clause 6.1: limit of a counter's one bits. It bounds the work of deriving a transaction's key. */
const counterOnesMax = 16;
const counterMax = 0xffff_ffff;

/** Key usage indicators, table 2; "encrypt" is the direction from the device to its host. */
const usages = { keyDerivation: 0x8000, initialKey: 0x8001, pinEncryption: 0x1000, dataEncryption: 0x3000 } as const;

/** The key that is loaded into a device before its first transaction (IK). Only bytes 0 to 7 of `ksn` count. */
export function initialKey(bdk: Buffer, ksn: Buffer): Buffer {
  return derived(bdk, usages.initialKey, parts(ksn).id);
}

/** The derivation key of one transaction; its working keys are derived from it. */
export function transactionKey(bdk: Buffer, ksn: Buffer): Buffer {
  const { id, counter } = parts(ksn);
  if (counter === 0) throw new RangeError('counter 0 belongs to the initial key and encrypts nothing');
  let key = initialKey(bdk, ksn);
  let reached = 0;
  for (let bit = 2 ** 31; bit >= 1; bit /= 2) {
    if (Math.floor(counter / bit) % 2 === 0) continue;
    reached += bit;
    key = derived(key, usages.keyDerivation, ofTransaction(id, reached));
  }
  return key;
}

export function pinKey(bdk: Buffer, ksn: Buffer): Buffer {
  return workingKey(bdk, ksn, usages.pinEncryption);
}

/**
 * Encrypts with the data-encryption key, CBC, zero initial vector. `clear` is whole blocks: its padding is the
 * caller's.
 */
export function encryptData(bdk: Buffer, ksn: Buffer, clear: Buffer): Buffer {
  return aesEncryptCbc(workingKey(bdk, ksn, usages.dataEncryption), clear);
}

/** The inverse of `encryptData`; the padding is still there. */
export function decryptData(bdk: Buffer, ksn: Buffer, cipher: Buffer): Buffer {
  return aesDecryptCbc(workingKey(bdk, ksn, usages.dataEncryption), cipher);
}

/** The key serial number of the next transaction: counters with too many one bits are skipped (6.1). */
export function nextKsn(ksn: Buffer): Buffer {
  let counter = numbers(ksn).counter;
  do {
    // If a counter has too many ones, so have all counters up to the next multiple of its lowest one bit.
    counter += ones(counter) > counterOnesMax ? lowestOne(counter) : 1;
    if (counter > counterMax) throw new RangeError('this initial key has no transaction left');
  } while (ones(counter) > counterOnesMax);
  const next = Buffer.from(ksn);
  next.writeUInt32BE(counter, initialKeyIdBytes);
  return next;
}

function workingKey(bdk: Buffer, ksn: Buffer, usage: number): Buffer {
  const { id, counter } = parts(ksn);
  return derived(transactionKey(bdk, ksn), usage, ofTransaction(id, counter));
}

/** 6.3.2 and 6.3.3: one block of derivation data makes one AES-128 key. `context` is its last 8 bytes. */
function derived(key: Buffer, usage: number, context: Buffer): Buffer {
  const data = Buffer.alloc(16);
  data.writeUInt8(0x01, 0); // version
  data.writeUInt8(0x01, 1); // first block
  data.writeUInt16BE(usage, 2);
  data.writeUInt16BE(0x0002, 4); // AES-128
  data.writeUInt16BE(128, 6);
  context.copy(data, 8);
  return aesEncrypt(key, data);
}

/** The right half of the initial key's identifier, then the counter. */
function ofTransaction(id: Buffer, counter: number): Buffer {
  const context = Buffer.alloc(8);
  id.copy(context, 0, 4);
  context.writeUInt32BE(counter, 4);
  return context;
}

function parts(ksn: Buffer): { readonly id: Buffer; readonly counter: number } {
  const found = numbers(ksn);
  if (ones(found.counter) > counterOnesMax) throw new RangeError('no device uses a counter with so many one bits');
  return found;
}

function numbers(ksn: Buffer): { readonly id: Buffer; readonly counter: number } {
  if (ksn.length !== ksnBytes) throw new RangeError(`a key serial number of ${ksn.length} bytes`);
  return { id: ksn.subarray(0, initialKeyIdBytes), counter: ksn.readUInt32BE(initialKeyIdBytes) };
}

function ones(value: number): number {
  return value.toString(2).replaceAll('0', '').length;
}

function lowestOne(value: number): number {
  let bit = 1;
  while (value % (bit * 2) === 0) bit *= 2;
  return bit;
}
