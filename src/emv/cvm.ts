import type { AuthenticationMethod } from '../domain/authentication-method.ts';

/** Transaction CVM as a contactless reader tells it: NEO 2 Interface Developer's Guide p.220, tag DF52. */
const ofTransactionCvm: ReadonlyMap<number, AuthenticationMethod> = new Map([
  [0x00, 'NO_CVM'],
  [0x01, 'SIGNATURE'],
  [0x02, 'ONLINE_PIN'],
  [0x03, 'CONSUMER_DEVICE'],
]);

/** CVM codes, bits 1 to 6 of the first byte of the CVM Results: EMV 4.3 Book 3, Annex C3. */
const ofCvmCode: ReadonlyMap<number, AuthenticationMethod> = new Map([
  [0x01, 'OFFLINE_PIN'],
  [0x02, 'ONLINE_PIN'],
  [0x03, 'OFFLINE_PIN_AND_SIGNATURE'],
  [0x04, 'OFFLINE_PIN'],
  [0x05, 'OFFLINE_PIN_AND_SIGNATURE'],
  [0x1e, 'SIGNATURE'],
  [0x1f, 'NO_CVM'],
]);

/** Third byte of the CVM Results: EMV 4.3 Book 4, Annex A4. */
const failed = 0x01;

/** From EMV data by upper-case hex tag. The reader's own word (DF52) goes before the CVM Results (9F34). */
export function authenticationMethod(emv: ReadonlyMap<string, Uint8Array>): AuthenticationMethod {
  const transactionCvm = emv.get('DF52');
  if (transactionCvm?.length === 1) return ofTransactionCvm.get(transactionCvm[0] ?? -1) ?? 'UNKNOWN_METHOD';
  const results = emv.get('9F34');
  // A method that was tried and failed has verified nobody.
  if (results?.length !== 3 || results[2] === failed) return 'UNKNOWN_METHOD';
  return ofCvmCode.get((results[0] ?? 0) & 0x3f) ?? 'UNKNOWN_METHOD';
}
