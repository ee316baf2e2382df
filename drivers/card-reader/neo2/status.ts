/** Status codes of an answer: NEO 2 Interface Developer's Guide (IDG) p.28; interim: p.160. */
export const status = {
  ok: 0x00,
  badHeader: 0x01,
  crcError: 0x04,
  timeout: 0x08,
  failed: 0x0a,
  notAllowed: 0x0b,
  event: 0x0e,
  requestOnline: 0x23,
  /** The first of the two answers to a contact command. */
  interim: 0x63,
} as const;

/** Two hex digits, for a message. */
export function statusText(code: number): string {
  return code.toString(16).padStart(2, '0').toUpperCase();
}
