import { ascii, binary, fixedLength, ll, lll, bcd, leftZero, rightZero, track2 } from './encoding.ts';
import { field, type MessageSpec } from './message.ts';

/** Fixed-length numbers are right-justified, so an odd number of digits begins with a zero nibble. */
const n = (size: number) => field(bcd(leftZero), fixedLength(size));
/** Variable-length numbers are left-justified: the length distinguishes the filler from a digit. */
const llNumber = (max: number) => field(bcd(rightZero), ll(max));
const an = (size: number) => field(ascii('an'), fixedLength(size));
const ans = (size: number) => field(ascii('ans'), fixedLength(size));
const llText = (max: number) => field(ascii('ans'), ll(max));
const lllText = (max: number) => field(ascii('ans'), lll(max));
const b = (size: number) => field(binary, fixedLength(size));
/** A C or D in ASCII and digits in BCD, as bytes: x + n. No message of this terminal has one. */
const signed = (size: number) => b(1 + size / 2);

/**
 * Fields 2 to 128 of ISO 8583:1987 as terminals pack them: numbers in BCD, text in ASCII, lengths in BCD. The formats
 * are those of jPOS packager/iso87binary.xml, with field 55 binary, and with the standard's lengths of 93 (an 5) and 96
 * (b 64), where that file has one character and eight bytes more. This terminal sends none above 63. The others are here
 * so that a host's message can be split, whatever it has. Field 65 is missing: it announces a third bitmap.
 */
export const terminalFields = {
  2: llNumber(19), // primary account number
  3: n(6), // processing code
  4: n(12), // amount, transaction
  5: n(12), // amount, settlement
  6: n(12), // amount, cardholder billing
  7: n(10), // transmission date and time
  8: n(8), // amount, cardholder billing fee
  9: n(8), // conversion rate, settlement
  10: n(8), // conversion rate, cardholder billing
  11: n(6), // systems trace audit number
  12: n(6), // time, local transaction
  13: n(4), // date, local transaction
  14: n(4), // date, expiration
  15: n(4), // date, settlement
  16: n(4), // date, conversion
  17: n(4), // date, capture
  18: n(4), // merchant's type
  19: n(3), // acquiring institution country code
  20: n(3), // PAN extended, country code
  21: n(3), // forwarding institution country code
  22: n(3), // point of service entry mode
  23: n(3), // card sequence number
  24: n(3), // network international identifier
  25: n(2), // point of service condition code
  26: n(2), // point of service PIN capture code
  27: n(1), // authorization identification response length
  28: signed(8), // amount, transaction fee
  29: signed(8), // amount, settlement fee
  30: signed(8), // amount, transaction processing fee
  31: signed(8), // amount, settlement processing fee
  32: llNumber(11), // acquiring institution identification code
  33: llNumber(11), // forwarding institution identification code
  34: llText(28), // primary account number, extended
  35: field(track2(rightZero), ll(37)), // track 2 data
  36: lllText(104), // track 3 data
  37: ans(12), // retrieval reference number
  38: ans(6), // authorization identification response
  39: an(2), // response code
  40: an(3), // service restriction code
  41: ans(8), // card acceptor terminal identification
  42: ans(15), // card acceptor identification code
  43: ans(40), // card acceptor name and location
  44: llText(25), // additional response data
  45: llText(76), // track 1 data
  46: lllText(999), // additional data, ISO
  47: lllText(999), // additional data, national
  48: lllText(999), // additional data, private
  49: an(3), // currency code, transaction
  50: an(3), // currency code, settlement
  51: an(3), // currency code, cardholder billing
  52: b(8), // personal identification number data
  53: n(16), // security related control information
  54: lllText(120), // additional amounts
  55: field(binary, lll(999)), // integrated circuit card data
  56: lllText(999), // reserved, ISO
  57: lllText(999), // reserved, national
  58: lllText(999), // reserved, national
  59: lllText(999), // reserved, national
  60: lllText(999), // reserved, private
  61: lllText(999), // reserved, private
  62: lllText(999), // reserved, private
  63: lllText(999), // reserved, private
  64: b(8), // message authentication code
  66: n(1), // settlement code
  67: n(2), // extended payment code
  68: n(3), // receiving institution country code
  69: n(3), // settlement institution country code
  70: n(3), // network management information code
  71: n(4), // message number
  72: n(4), // message number, last
  73: n(6), // date, action
  74: n(10), // credits, number
  75: n(10), // credits, reversal number
  76: n(10), // debits, number
  77: n(10), // debits, reversal number
  78: n(10), // transfer, number
  79: n(10), // transfer, reversal number
  80: n(10), // inquiries, number
  81: n(10), // authorizations, number
  82: n(12), // credits, processing fee amount
  83: n(12), // credits, transaction fee amount
  84: n(12), // debits, processing fee amount
  85: n(12), // debits, transaction fee amount
  86: n(16), // credits, amount
  87: n(16), // credits, reversal amount
  88: n(16), // debits, amount
  89: n(16), // debits, reversal amount
  90: n(42), // original data elements
  91: an(1), // file update code
  92: an(2), // file security code
  93: an(5), // response indicator
  94: an(7), // service indicator
  95: ans(42), // replacement amounts
  96: b(8), // message security code
  97: signed(16), // amount, net settlement
  98: ans(25), // payee
  99: llNumber(11), // settlement institution identification code
  100: llNumber(11), // receiving institution identification code
  101: llText(17), // file name
  102: llText(28), // account identification 1
  103: llText(28), // account identification 2
  104: lllText(100), // transaction description
  105: lllText(999), // reserved, ISO
  106: lllText(999), // reserved, ISO
  107: lllText(999), // reserved, ISO
  108: lllText(999), // reserved, ISO
  109: lllText(999), // reserved, ISO
  110: lllText(999), // reserved, ISO
  111: lllText(999), // reserved, ISO
  112: lllText(999), // reserved, national
  113: lllText(999), // reserved, national
  114: lllText(999), // reserved, national
  115: lllText(999), // reserved, national
  116: lllText(999), // reserved, national
  117: lllText(999), // reserved, national
  118: lllText(999), // reserved, national
  119: lllText(999), // reserved, national
  120: lllText(999), // reserved, private
  121: lllText(999), // reserved, private
  122: lllText(999), // reserved, private
  123: lllText(999), // reserved, private
  124: lllText(999), // reserved, private
  125: lllText(999), // reserved, private
  126: lllText(999), // reserved, private
  127: lllText(999), // reserved, private
  128: b(8), // message authentication code
};

export const terminal1987 = { mti: n(4), fields: terminalFields } satisfies MessageSpec<typeof terminalFields>;
