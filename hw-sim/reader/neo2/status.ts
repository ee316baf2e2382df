/** Status codes that this reader uses: byte 11 of a response (IDG p.28). */
export const status = {
  ok: 0x00,
  unknownCommand: 0x02,
  unknownSubCommand: 0x03,
  crcError: 0x04,
  badParameter: 0x05,
  timeout: 0x08,
  failed: 0x0a,
  notAllowed: 0x0b,
  onlineAuthorization: 0x23,
  /** The second answer follows (IDG p.160). */
  firstAnswer: 0x63,
} as const;

/** Why a contactless transaction failed: first byte of FFEE1F under status `failed` (IDG p.32). */
export const rfError = {
  collision: 0x21,
  overLimit: 0x22,
  unsupportedCard: 0x27,
  /** IDG p.34. */
  noResponse: 0x30,
} as const;

/** Why a contact chip or stripe failed: first byte of FFEE1F (IDG p.34). */
export const genericError = 0x62;

/** What the customer should do instead: second byte of FFEE1F under `genericError`. Assumed (fixtures/README.md). */
export const advice = {
  useStripe: 0x07,
  useChip: 0x08,
} as const;
