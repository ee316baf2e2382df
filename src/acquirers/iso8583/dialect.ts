import type { CardEntryMode } from '../../domain/entry-mode.ts';
import { binary } from '../../iso8583/encoding.ts';
import { field } from '../../iso8583/field.ts';
import { lll } from '../../iso8583/length.ts';
import type { Message, MessageSpec } from '../../iso8583/message.ts';
import { terminal1987, terminalFields } from '../../iso8583/terminal-1987.ts';

/** Field 48 is binary here: it carries the reader's ciphertext (fixtures/README.md, assumed). */
const hostFields = { ...terminalFields, 48: field(binary, lll(999)) };

export type HostFields = typeof hostFields;
export type HostMessage = Message<HostFields>;

/**
 * Fields that a request can carry. Not among them: 2, 14, 35, 36 and 45, the clear card data that this terminal does not
 * have, so no dialect can ask for them.
 */
export type CarriedField = 3 | 4 | 11 | 22 | 23 | 24 | 25 | 41 | 42 | 48 | 49 | 55 | 62;

interface Operation {
  readonly mti: string;
  readonly answerMti: string;
  /** Field 3. */
  readonly processingCode: string;
  /** A field without a value for this card (23, 55) is left out. */
  readonly fields: readonly CarriedField[];
}

/** What one host expects, as data: two hosts differ here and nowhere else. */
export interface Dialect {
  readonly spec: MessageSpec<HostFields>;
  readonly sale: Operation;
  readonly reversal: Operation & { readonly repeatMti: string };
  /** Field 22. */
  readonly entryModes: Readonly<Record<CardEntryMode, string>>;
  /** Field 25. */
  readonly conditionCode: string;
  /** What field 55 of a request may hold, in this order. */
  readonly emvRequestTags: readonly string[];
  /** Values of field 39 that approve a sale. */
  readonly approvedCodes: readonly string[];
  /** Values of field 39 that end a reversal. */
  readonly acknowledgedCodes: readonly string[];
}

/** Visa, Mastercard, Amex and JCB: the terminal dialect of PROTOCOLS.md §3. */
const edc: Dialect = {
  spec: { ...terminal1987, fields: hostFields },
  sale: {
    mti: '0200',
    answerMti: '0210',
    processingCode: '000000',
    fields: [3, 4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 55, 62],
  },
  reversal: {
    mti: '0400',
    repeatMti: '0401',
    // A repeat is answered like the first: the answer to 0401 is 0410 too (recalled; jPOS ISOMsg does the same).
    answerMti: '0410',
    processingCode: '000000',
    fields: [3, 4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 62],
  },
  // The first two digits are those of EMV tag 9F39; the third, 1 for a terminal that can take a PIN, is recalled.
  entryModes: { CONTACTLESS: '071', CHIP: '051', MAGSTRIPE: '901', FALLBACK: '801', MANUAL: '011' },
  conditionCode: '00',
  emvRequestTags:
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F6E 9F7C'.split(' '),
  // 08, 10, 11 and 16 as approvals are recalled. 10 approves a part: its other amount in field 4 makes it no approval.
  approvedCodes: ['00', '08', '10', '11', '16'],
  // 25, no record: the host never saw the original, so there is nothing to reverse (fixtures/README.md).
  acknowledgedCodes: ['00', '25'],
};

/** UnionPay: 9F63 beside the others (recalled). */
const cup: Dialect = { ...edc, emvRequestTags: [...edc.emvRequestTags, '9F63'] };

export const dialects = { EDC: edc, CUP: cup } as const satisfies Record<string, Dialect>;
export type DialectName = keyof typeof dialects;
