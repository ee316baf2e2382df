import type { Account } from '../../base/domain/account.ts';
import type { CardEntryMode } from '../../base/domain/entry-mode.ts';
import { binary } from '../../codecs/iso8583/encoding.ts';
import { field } from '../../codecs/iso8583/field.ts';
import { lll } from '../../codecs/iso8583/length.ts';
import type { Message, MessageSpec } from '../../codecs/iso8583/message.ts';
import { terminal1987, terminalFields } from '../../codecs/iso8583/terminal-1987.ts';
import type { AdviceOrder, BatchTotals } from '../../payment/contracts/acquirer-host.ts';
import type { OnlineOperation } from '../../base/domain/host-operation.ts';
import { type ResponseCodes, responseCodes } from './response-codes.ts';

/** Field 48 is binary here: it carries the reader's ciphertext (fixtures/README.md, assumed). */
const hostFields = { ...terminalFields, 48: field(binary, lll(999)) };

export type HostFields = typeof hostFields;
export type HostMessage = Message<HostFields>;

/**
 * Fields that a request can carry besides field 3. Fields 2, 14, 35, 36 and 45 are excluded: they carry clear card
 * data, which this terminal does not have, so no dialect can ask for them.
 */
export type CarriedField =
  | (4 | 11 | 12 | 13 | 22 | 23 | 24 | 25 | 37 | 38 | 39)
  | (41 | 42 | 48 | 49 | 52 | 54 | 55 | 60 | 62 | 63);

interface MessageTypes {
  readonly mti: string;
  readonly answerMti: string;
}

interface RepeatableTypes extends MessageTypes {
  readonly repeatMti: string;
}

/** The fields of a message. A field without a value in a message (23 38 52 54 55, …) is left out. */
export interface Carrier {
  readonly fields: readonly CarriedField[];
}

interface Transaction extends Carrier {
  /** Field 3; for a debit host, before the customer's choices are inserted. */
  readonly processingCode: string;
}

type AdviceOperation = AdviceOrder['operation'];

/** The operations that move money: the rows of the table in fixtures/README.md. */
type Operations = Readonly<
  Record<OnlineOperation, MessageTypes & Transaction> & Record<AdviceOperation, RepeatableTypes & Transaction>
>;

/** The choices of a debit card's customer, and their place in field 3. */
interface DebitLayout {
  /** Digits 3 and 4. */
  readonly accounts: Readonly<Record<Account, string>>;
  /** Digits 1 and 2 if the customer takes cash as well. Field 54 is then the cash. */
  readonly cashbackType: string;
}

/** Field 63 of a settlement: a count and an amount for each part, as digits in ASCII. */
export interface TotalsLayout {
  /** What each pair sums up; 'zero' where this terminal never has any. */
  readonly parts: readonly (Exclude<keyof BatchTotals, 'currency'> | 'zero')[];
  /** Possible digits of a count. The first width that holds every count is used for all. */
  readonly countDigits: readonly number[];
  readonly amountDigits: number;
}

/** The properties of one host, as data. Hosts differ only here. */
export interface Dialect {
  readonly spec: MessageSpec<HostFields>;
  /** The host does not accept an operation that is absent here. */
  readonly operations: Partial<Operations>;
  /** Set for hosts whose cards always pay with an account and a PIN. Other hosts have neither account nor cashback. */
  readonly debit?: DebitLayout;
  /** Carries the original's processing code, and those of these fields that the original had. */
  readonly reversal: RepeatableTypes & Carrier;
  readonly settlement: MessageTypes & Transaction;
  /** The settlement that ends a batch upload. */
  readonly trailer: MessageTypes & Transaction;
  /** Carries the original's processing code, with `moreDigit` as the last digit if another upload follows. */
  readonly upload: RepeatableTypes & Carrier & { readonly moreDigit: string };
  readonly totals: TotalsLayout;
  /** Field 22. */
  readonly entryModes: Readonly<Record<CardEntryMode, string>>;
  /** Field 25. */
  readonly conditionCode: string;
  /** The EMV objects of field 55 in a request, in this order. */
  readonly emvRequestTags: readonly string[];
  readonly codes: ResponseCodes;
  /** Operations whose approval is only valid with field 38. */
  readonly approvalCodeNeeded: readonly OnlineOperation[];
}

const authorization = { mti: '0100', answerMti: '0110' };
const financial = { mti: '0200', answerMti: '0210' };
// The answer to a repeat has the same type as the answer to the first message: 0410 also answers 0401 (recalled; jPOS
// ISOMsg does the same).
const advice = { mti: '0220', repeatMti: '0221', answerMti: '0230' };
const upload = { mti: '0320', repeatMti: '0321', answerMti: '0330' };
const reversal = { mti: '0400', repeatMti: '0401', answerMti: '0410' };
const reconciliation = { mti: '0500', answerMti: '0510' };

const row = <Types extends MessageTypes>(types: Types, processingCode: string, fields: readonly CarriedField[]) => ({
  ...types,
  processingCode,
  fields,
});

/** Visa, Mastercard, Amex and JCB: the fields as in the table of fixtures/README.md (assumed). */
const edc: Dialect = {
  spec: { ...terminal1987, fields: hostFields },
  operations: {
    sale: row(financial, '000000', [4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 52, 54, 55, 62]),
    auth: row(authorization, '000000', [4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 52, 54, 55, 62]),
    refund: row(financial, '200000', [4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 52, 54, 55, 62]),
    void: row(financial, '020000', [4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 60, 62]),
    voidRefund: row(financial, '220000', [4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 60, 62]),
    offlineSale: row(advice, '000000', [4, 11, 12, 13, 22, 23, 24, 25, 38, 41, 42, 48, 49, 54, 55, 62]),
    completion: row(advice, '000000', [4, 11, 12, 13, 22, 24, 25, 37, 38, 39, 41, 42, 48, 49, 60, 62]),
    tipAdjust: row(advice, '020000', [4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 54, 60, 62]),
  },
  reversal: { ...reversal, fields: [4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 62] },
  settlement: row(reconciliation, '920000', [11, 24, 41, 42, 49, 60, 63]),
  trailer: row(reconciliation, '960000', [11, 24, 41, 42, 49, 60, 63]),
  upload: { ...upload, moreDigit: '1', fields: [4, 11, 12, 13, 22, 24, 25, 37, 38, 41, 42, 48, 49, 60, 62] },
  // Sales, refunds, debit sales, debit refunds, auth sales, auth refunds: recalled. Wider counts: assumed.
  totals: { parts: ['sales', 'refunds', 'zero', 'zero', 'zero', 'zero'], countDigits: [3, 6], amountDigits: 12 },
  // The first two digits are those of EMV tag 9F39; the third, 1 for a terminal that can take a PIN, is recalled.
  entryModes: { CONTACTLESS: '071', CHIP: '051', MAGSTRIPE: '901', FALLBACK: '801', MANUAL: '011' },
  conditionCode: '00',
  emvRequestTags:
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F6E 9F7C'.split(' '),
  codes: responseCodes,
  approvalCodeNeeded: ['sale', 'auth'],
};

/** UnionPay: 9F63 in addition (recalled). */
const cup: Dialect = { ...edc, emvRequestTags: [...edc.emvRequestTags, '9F63'] };

/**
 * EPS: a simulated profile. The operator's own format is not public (fixtures/README.md, EPS host). Account codes:
 * recalled.
 */
const eps: Dialect = {
  ...edc,
  operations: { sale: row(financial, '000000', [4, 11, 22, 23, 24, 25, 41, 42, 48, 49, 52, 54, 55, 62]) },
  debit: { accounts: { SAVINGS: '10', CURRENT: '20' }, cashbackType: '09' },
  approvalCodeNeeded: ['sale'],
};

export const dialects = { EDC: edc, CUP: cup, EPS: eps } as const satisfies Record<string, Dialect>;
export type DialectName = keyof typeof dialects;

/** The row of one operation. Throws RangeError if the host does not accept it. */
export function operation<Name extends keyof Operations>(
  { operations }: Dialect,
  name: Name,
): NonNullable<Partial<Operations>[Name]> {
  const found = operations[name];
  if (!found) throw new RangeError(`this host accepts no ${name}`);
  return found;
}
