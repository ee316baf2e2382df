/**
 * What the readers say of themselves and of the counter that they stand on (EMV 4.4 Book 4, annex A1 and A2).
 * 9F33: stripe and chip; PIN to the chip, plain and enciphered, PIN to the issuer, signature, no verification; no offline data
 * authentication, which nobody here plays. 9F35: a merchant's, attended, online only: somebody takes the signature, and no
 * card is believed without its issuer. 9F1E as in ID TECH's 60-06 example (IDG p.197).
 */
export const terminalData = [
  ['9F33', Buffer.from('60F800', 'hex')],
  ['9F35', Buffer.from('21', 'hex')],
  ['9F1E', Buffer.from('Terminal', 'latin1')],
] as const;
