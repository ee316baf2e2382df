import { ascii, bcd, binary, type Encoding, leftZero, rightZero, track2 } from './encoding.ts';
import { ebcdic, hexText } from './characters.ts';
import { fixedLength, prefixed, type Length } from './length.ts';
import { type Field, field, type MessageSpec } from './message.ts';

/**
 * A field of the standard. n: digits; an, ans: text; b: bytes; z: track 2; x: C or D, then digits. `size`: the number
 * of units, or with a prefix of `prefix` digits their maximum.
 */
export interface StandardField {
  readonly set: 'n' | 'an' | 'ans' | 'b' | 'z' | 'x';
  readonly size: number;
  readonly prefix?: 2 | 3;
  readonly name: string;
}

const n = (size: number, name: string) => ({ set: 'n', size, name }) as const;
const an = (size: number, name: string) => ({ set: 'an', size, name }) as const;
const ans = (size: number, name: string) => ({ set: 'ans', size, name }) as const;
const b = (size: number, name: string) => ({ set: 'b', size, name }) as const;
const x = (size: number, name: string) => ({ set: 'x', size, name }) as const;
const ll = (set: StandardField['set'], size: number, name: string) => ({ set, size, name, prefix: 2 }) as const;
const lll = (set: StandardField['set'], size: number, name: string) => ({ set, size, name, prefix: 3 }) as const;

/**
 * Fields 2 to 128 of ISO 8583:1987, from jPOS packager/iso87binary.xml, with binary field 55, and with the standard's
 * lengths of fields 93 (an 5) and 96 (b 64), where that file has one character and eight bytes more. Field 65 is
 * missing: it announces a third bitmap.
 */
export const fields1987: Readonly<Record<number, StandardField>> = {
  2: ll('n', 19, 'primary account number'),
  3: n(6, 'processing code'),
  4: n(12, 'amount, transaction'),
  5: n(12, 'amount, settlement'),
  6: n(12, 'amount, cardholder billing'),
  7: n(10, 'transmission date and time'),
  8: n(8, 'amount, cardholder billing fee'),
  9: n(8, 'conversion rate, settlement'),
  10: n(8, 'conversion rate, cardholder billing'),
  11: n(6, 'systems trace audit number'),
  12: n(6, 'time, local transaction'),
  13: n(4, 'date, local transaction'),
  14: n(4, 'date, expiration'),
  15: n(4, 'date, settlement'),
  16: n(4, 'date, conversion'),
  17: n(4, 'date, capture'),
  18: n(4, 'merchant type'),
  19: n(3, 'acquiring institution country code'),
  20: n(3, 'PAN extended, country code'),
  21: n(3, 'forwarding institution country code'),
  22: n(3, 'point of service entry mode'),
  23: n(3, 'card sequence number'),
  24: n(3, 'network international identifier'),
  25: n(2, 'point of service condition code'),
  26: n(2, 'point of service PIN capture code'),
  27: n(1, 'authorization identification response length'),
  28: x(8, 'amount, transaction fee'),
  29: x(8, 'amount, settlement fee'),
  30: x(8, 'amount, transaction processing fee'),
  31: x(8, 'amount, settlement processing fee'),
  32: ll('n', 11, 'acquiring institution identification code'),
  33: ll('n', 11, 'forwarding institution identification code'),
  34: ll('ans', 28, 'primary account number, extended'),
  35: ll('z', 37, 'track 2 data'),
  36: lll('ans', 104, 'track 3 data'),
  37: ans(12, 'retrieval reference number'),
  38: ans(6, 'authorization identification response'),
  39: an(2, 'response code'),
  40: an(3, 'service restriction code'),
  41: ans(8, 'card acceptor terminal identification'),
  42: ans(15, 'card acceptor identification code'),
  43: ans(40, 'card acceptor name and location'),
  44: ll('ans', 25, 'additional response data'),
  45: ll('ans', 76, 'track 1 data'),
  46: lll('ans', 999, 'additional data, ISO'),
  47: lll('ans', 999, 'additional data, national'),
  48: lll('ans', 999, 'additional data, private'),
  49: an(3, 'currency code, transaction'),
  50: an(3, 'currency code, settlement'),
  51: an(3, 'currency code, cardholder billing'),
  52: b(8, 'personal identification number data'),
  53: n(16, 'security related control information'),
  54: lll('ans', 120, 'additional amounts'),
  55: lll('b', 999, 'integrated circuit card data'),
  56: lll('ans', 999, 'reserved, ISO'),
  57: lll('ans', 999, 'reserved, national'),
  58: lll('ans', 999, 'reserved, national'),
  59: lll('ans', 999, 'reserved, national'),
  60: lll('ans', 999, 'reserved, private'),
  61: lll('ans', 999, 'reserved, private'),
  62: lll('ans', 999, 'reserved, private'),
  63: lll('ans', 999, 'reserved, private'),
  64: b(8, 'message authentication code'),
  66: n(1, 'settlement code'),
  67: n(2, 'extended payment code'),
  68: n(3, 'receiving institution country code'),
  69: n(3, 'settlement institution country code'),
  70: n(3, 'network management information code'),
  71: n(4, 'message number'),
  72: n(4, 'message number, last'),
  73: n(6, 'date, action'),
  74: n(10, 'credits, number'),
  75: n(10, 'credits, reversal number'),
  76: n(10, 'debits, number'),
  77: n(10, 'debits, reversal number'),
  78: n(10, 'transfer, number'),
  79: n(10, 'transfer, reversal number'),
  80: n(10, 'inquiries, number'),
  81: n(10, 'authorizations, number'),
  82: n(12, 'credits, processing fee amount'),
  83: n(12, 'credits, transaction fee amount'),
  84: n(12, 'debits, processing fee amount'),
  85: n(12, 'debits, transaction fee amount'),
  86: n(16, 'credits, amount'),
  87: n(16, 'credits, reversal amount'),
  88: n(16, 'debits, amount'),
  89: n(16, 'debits, reversal amount'),
  90: n(42, 'original data elements'),
  91: an(1, 'file update code'),
  92: an(2, 'file security code'),
  93: an(5, 'response indicator'),
  94: an(7, 'service indicator'),
  95: ans(42, 'replacement amounts'),
  96: b(8, 'message security code'),
  97: x(16, 'amount, net settlement'),
  98: ans(25, 'payee'),
  99: ll('n', 11, 'settlement institution identification code'),
  100: ll('n', 11, 'receiving institution identification code'),
  101: ll('ans', 17, 'file name'),
  102: ll('ans', 28, 'account identification 1'),
  103: ll('ans', 28, 'account identification 2'),
  104: lll('ans', 100, 'transaction description'),
  105: lll('ans', 999, 'reserved, ISO'),
  106: lll('ans', 999, 'reserved, ISO'),
  107: lll('ans', 999, 'reserved, ISO'),
  108: lll('ans', 999, 'reserved, ISO'),
  109: lll('ans', 999, 'reserved, ISO'),
  110: lll('ans', 999, 'reserved, ISO'),
  111: lll('ans', 999, 'reserved, ISO'),
  112: lll('ans', 999, 'reserved, national'),
  113: lll('ans', 999, 'reserved, national'),
  114: lll('ans', 999, 'reserved, national'),
  115: lll('ans', 999, 'reserved, national'),
  116: lll('ans', 999, 'reserved, national'),
  117: lll('ans', 999, 'reserved, national'),
  118: lll('ans', 999, 'reserved, national'),
  119: lll('ans', 999, 'reserved, national'),
  120: lll('ans', 999, 'reserved, private'),
  121: lll('ans', 999, 'reserved, private'),
  122: lll('ans', 999, 'reserved, private'),
  123: lll('ans', 999, 'reserved, private'),
  124: lll('ans', 999, 'reserved, private'),
  125: lll('ans', 999, 'reserved, private'),
  126: lll('ans', 999, 'reserved, private'),
  127: lll('ans', 999, 'reserved, private'),
  128: b(8, 'message authentication code'),
};

/** The packing of numbers and lengths. Text is in ASCII, except for 'ebcdic'. */
export type Packing = 'bcd' | 'ascii' | 'ebcdic';

export type AnyField = Field<string> | Field<Uint8Array>;

/**
 * A standard field in one of the packings. 'bcd', the most common one: numbers and lengths in BCD, text in ASCII.
 * 'ascii': each byte is two hexadecimal characters, which a prefix counts.
 */
export function standardField({ set, size, prefix }: StandardField, packing: Packing): AnyField {
  const length = (most: number): Length => (prefix ? prefixed(packing, prefix, most) : fixedLength(most));
  switch (set) {
    case 'n':
      // Fixed-length numbers are right-justified, so an odd number of digits begins with a zero nibble. Variable-length
      // numbers are left-justified: the length distinguishes the filler from a digit.
      return field(packing === 'bcd' ? bcd(prefix ? rightZero : leftZero) : textOf(packing, 'n'), length(size));
    case 'z':
      return field(packing === 'bcd' ? track2(rightZero) : textOf(packing, 'ans'), length(size));
    case 'an':
    case 'ans':
      return field(textOf(packing, set), length(size));
    case 'x':
      // With 'bcd' the field holds bytes: the letter in ASCII, then the digits in BCD.
      return packing === 'bcd' ? field(binary, length(1 + size / 2)) : field(textOf(packing, 'an'), length(1 + size));
    case 'b': {
      if (packing !== 'ascii') return field(binary, length(size));
      return prefix ? field(hexText('ascii'), length(size), 'bytes') : field(hexText('ascii'), length(size));
    }
    default:
      return set satisfies never;
  }
}

function textOf(packing: Packing, set: 'n' | 'an' | 'ans'): Encoding<string> {
  return packing === 'ebcdic' ? ebcdic('ebcdic', set) : ascii(set);
}

const mtiOf = (packing: Packing) => field(packing === 'bcd' ? bcd(leftZero) : textOf(packing, 'n'), fixedLength(4));

/** All standard fields in one packing. */
export function spec1987(packing: Packing): MessageSpec<Readonly<Record<number, AnyField>>> {
  const fields = Object.entries(fields1987).map(([number, each]) => [number, standardField(each, packing)] as const);
  return { mti: mtiOf(packing), fields: Object.fromEntries(fields) };
}

/** The packing of most terminals. */
export const terminal1987 = spec1987('bcd');
