/**
 * The readers' terminal data (EMV 4.4 Book 4, annex A1 and A2). 9F33: stripe and chip; plaintext, enciphered and
 * online PIN, signature, no CVM; no offline data authentication, which is not simulated. 9F35: merchant, attended,
 * online only: the staff checks the signature, and no card is approved without its issuer. 9F1E as in ID TECH's 60-06
 * example (IDG p.197).
 */
export const terminalData = [
  ['9F33', Buffer.from('60F800', 'hex')],
  ['9F35', Buffer.from('21', 'hex')],
  ['9F1E', Buffer.from('Terminal', 'latin1')],
] as const;
