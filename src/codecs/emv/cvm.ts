import type { AuthenticationMethod } from '../../base/domain/authentication-method.ts';

/** Transaction CVM of a contactless reader: NEO 2 Interface Developer's Guide p.220, tag DF52. */
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

/**
 * The cardholder verification method, from EMV data by upper-case hex tag. The reader's own value (DF52) takes
 * precedence over the CVM Results (9F34).
 */
export function authenticationMethod(emv: ReadonlyMap<string, Uint8Array>): AuthenticationMethod {
  const transactionCvm = emv.get('DF52');
  if (transactionCvm?.length === 1) return ofTransactionCvm.get(transactionCvm[0] ?? -1) ?? 'UNKNOWN_METHOD';
  const results = emv.get('9F34');
  // A method that was tried and failed has not verified the cardholder.
  if (results?.length !== 3 || results[2] === failed) return 'UNKNOWN_METHOD';
  return ofCvmCode.get((results[0] ?? 0) & 0x3f) ?? 'UNKNOWN_METHOD';
}

/** All CVM codes, including those without verification. Texts: EMV 4.3 Book 3, Annex C3. */
const codeTexts: ReadonlyMap<number, string> = new Map([
  [0x00, 'fail CVM processing'],
  [0x01, 'plaintext PIN checked by the card'],
  [0x02, 'enciphered PIN checked online'],
  [0x03, 'plaintext PIN checked by the card, and signature'],
  [0x04, 'enciphered PIN checked by the card'],
  [0x05, 'enciphered PIN checked by the card, and signature'],
  [0x1e, 'signature'],
  [0x1f, 'no CVM required'],
  [0x3f, 'no CVM performed'],
]);

/** EMV 4.3 Book 3, Annex C3: when a method is used. */
const conditionTexts: ReadonlyMap<number, string> = new Map([
  [0x00, 'always'],
  [0x01, 'unattended cash'],
  [0x02, 'neither cash nor cashback'],
  [0x03, 'terminal supports it'],
  [0x04, 'manual cash'],
  [0x05, 'cashback'],
  [0x06, 'under X'],
  [0x07, 'over X'],
  [0x08, 'under Y'],
  [0x09, 'over Y'],
]);

const resultTexts: ReadonlyMap<number, string> = new Map([
  [0x00, 'result unknown'],
  [failed, 'failed'],
  [0x02, 'successful'],
]);

/** Tag 9F34 as text: 'signature (terminal supports it): result unknown'. Empty if the length is not 3. */
export function cvmText(results: Uint8Array): string {
  if (results.length !== 3) return '';
  const [code = 0, condition = 0, result = 0] = results;
  const textOrNumber = (texts: ReadonlyMap<number, string>, value: number) =>
    texts.get(value) ?? `${value.toString(16).padStart(2, '0').toUpperCase()} (reserved)`;
  return `${textOrNumber(codeTexts, code & 0x3f)} (${textOrNumber(conditionTexts, condition)}): ${textOrNumber(resultTexts, result)}`;
}
