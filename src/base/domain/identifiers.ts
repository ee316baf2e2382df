import { skeletonOf } from './look-alikes.ts';

/** The POS's own details of a transaction. They are stored, printed, answered and listed, and have no effect here. */
export interface PosDetails {
  readonly cashierId?: string | undefined;
  readonly shiftId?: string | undefined;
  /** The number of the order, table or invoice at the POS. */
  readonly posReference?: string | undefined;
}

export const posDetailNames = ['cashierId', 'shiftId', 'posReference'] as const satisfies (keyof PosDetails)[];

/** The details of a request, or of its record; those that are absent are left out. */
export function posDetailsOf(from: PosDetails): { readonly [name in keyof PosDetails]: string } {
  return Object.fromEntries(
    posDetailNames.flatMap((name) => {
      const value = from[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Branded identifiers, which the compiler keeps apart. */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Generated here, returned to the POS, named by later voids: 26 characters, Crockford base 32, sortable by time. */
export type TerminalTransactionId = Branded<'TerminalTransactionId'>;

/** An acquirer, by its name in the configuration: EDC, CUP, EPS, QR. */
export type AcquirerId = Branded<'AcquirerId'>;

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 48 bits of time and 80 random bits (the layout of a ULID). `random` is 10 bytes. */
export function terminalTransactionId(at: Date, random: Uint8Array): TerminalTransactionId {
  let value = BigInt(at.getTime());
  for (const byte of random.subarray(0, 10)) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = alphabet[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text as TerminalTransactionId;
}

/** The time in a transaction's id, by the clock of that time; undefined for an id of another form. */
export function timeOfId(id: TerminalTransactionId): Date | undefined {
  let ms = 0;
  for (const character of id.slice(0, 10)) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return undefined;
    ms = ms * 32 + digit;
  }
  return id.length === 26 && ms <= 8_640_000_000_000_000 ? new Date(ms) : undefined;
}

export function acquirerId(name: string): AcquirerId {
  return name as AcquirerId;
}

/** POS names of the terminal's own calls: the daily settlement, and the operator's payments at the screen. */
export const ownPosIds = { terminal: 'poid', operator: 'OPERATOR' } as const;

const taken: ReadonlySet<string> = new Set(Object.values(ownPosIds).map(skeletonOf));

/** Characters of a posId and of a messageId, in UTF-16 code units. */
export const identifierLengthMax = 64;

/**
 * Whether a POS name could be mistaken for the terminal's own, by a machine or by a reader of a list. A longer text is
 * no name. Its skeleton is not computed: that takes time in proportion to the square of its combining marks, which
 * normalization sorts (UAX #15, 1.1).
 */
export function isOwnPosId(posId: string): boolean {
  return posId.length <= identifierLengthMax && taken.has(skeletonOf(posId));
}

/**
 * A name as it is shown to an operator who decides by it. Letters of other alphabets, which may look the same, and
 * invisible characters are escaped. `\` is escaped as well, because otherwise a name could contain escapes itself.
 */
export function escapePlainly(posId: string): string {
  return posId.replace(/[^\x20-\x7e]|\\|^ | $| (?= )/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16).toUpperCase()}}`;
  });
}

/** The numbers that identify one message to the host. The journal assigns them, never twice in a batch. */
export interface TraceNumbers {
  /** Systems trace audit number, 1 to 999999: ISO 8583 field 11. */
  readonly stan: number;
  /** Invoice number, 1 to 999999: field 62. A void and a tip adjustment keep their original's. */
  readonly invoice: number;
  /** Batch number, 1 to 999999. */
  readonly batch: number;
}

/** The first numbers of an acquirer, as its bank assigns them. Absent ones are drawn at random. */
export type InitialNumbers = Partial<TraceNumbers>;

/** One of them as n6, as a bank writes it; undefined where there is none. */
export function sixDigits(value: number): string;
export function sixDigits(value: number | undefined): string | undefined;
export function sixDigits(value: number | undefined): string | undefined {
  return value?.toString().padStart(6, '0');
}
