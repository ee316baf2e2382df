import type { Account } from '../../base/domain/account.ts';
import type { CardEntryMode } from '../../base/domain/payment-scheme.ts';
import { binary, lll } from '../../codecs/iso8583/encoding.ts';
import { field, type Message, type MessageSpec } from '../../codecs/iso8583/message.ts';
import { terminal1987, terminalFields } from '../../codecs/iso8583/terminal-1987.ts';
import type { AdviceOrder, BatchTotals } from '../../payment/contracts/acquirer-host.ts';
import type { OnlineOperation } from '../../base/domain/transaction-kind.ts';
import { commissioningReasons, type DeclineReason, issuerReasons } from '../../base/domain/decline-reason.ts';

/** The values of field 39 that this terminal distinguishes. Any other value is a decline. */
interface ResponseCodes {
  /**
   * A request is approved, or an advice is posted. One list, because a host posts everything that it answers with one
   * of these.
   */
  readonly approved: readonly string[];
  /** The host already has a message with this number. Its answer to the first one is not known here. */
  readonly duplicate: readonly string[];
  /**
   * The host could not decide a request, and does not know whether something behind it has posted it: it is reversed to
   * be sure.
   */
  readonly undecided: readonly string[];
  /** A reversal is done. */
  readonly reversed: readonly string[];
  /** The host has no record of the original. */
  readonly noRecord: readonly string[];
  /** An advice could not be processed now, and must be sent again. */
  readonly tryAgain: readonly string[];
  /** The host could not read the message. An upload of the same transaction would get the same answer. */
  readonly unreadable: readonly string[];
  /** The host's books agree with a settlement. */
  readonly balanced: readonly string[];
  /** The host's books differ from a settlement: the batch must be uploaded. */
  readonly mismatch: readonly string[];
  /** A message of a batch upload is accepted. */
  readonly uploaded: readonly string[];
  /** The host does not know this terminal, or its merchant: every message of it gets this answer. */
  readonly terminalUnknown: readonly string[];
}

const responseCodes: ResponseCodes = {
  // 08, 10, 11 and 16 as approvals are recalled. 10 approves a part: its different amount in field 4 makes it no
  // approval.
  approved: ['00', '08', '10', '11', '16'],
  // A network may carry a request twice and lose the first answer, which may have been an approval.
  duplicate: ['94'],
  // 09: the request is in progress; 68: no reply, or a late one, behind the host; 91: the issuer can't be reached; 96:
  // the system fails (names: emv-utils, Lyra). None of them says that nothing was posted. 30 is not included: after a format error the host has
  // not read the message, and would not read its reversal.
  undecided: ['09', '68', '91', '96'],
  reversed: ['00'],
  // 25, no record: there is nothing to reverse, unless the original is still on its way (fixtures/README.md).
  noRecord: ['25'],
  tryAgain: ['09', '30', '68', '91', '96'],
  unreadable: ['30'],
  balanced: ['00'],
  mismatch: ['95'],
  uploaded: ['00'],
  // 03 invalid merchant (emv-utils; Visa); 89 bad terminal id (Hypercom's ISO terminals, BasicHost.cpp); 97 a terminal
  // that is not registered (UnionPay's table for terminals). An acquirer's own list is configuration.
  terminalUnknown: ['03', '89', '97'],
};

/** Why a request or an advice was declined, by field 39. Names: emv-utils, emv_strings.c. */
const declineReasons: Readonly<Record<string, DeclineReason>> = {
  '01': 'referToIssuer',
  '05': 'doNotHonour',
  '12': 'invalidTransaction',
  '13': 'invalidAmount',
  '14': 'invalidCardNumber',
  '09': 'hostTrouble',
  '30': 'hostTrouble',
  '41': 'lostCard',
  '43': 'stolenCard',
  '51': 'insufficientFunds',
  '54': 'expiredCard',
  '55': 'wrongPin',
  '57': 'notPermittedToCardholder',
  '58': 'notPermittedToTerminal',
  '61': 'amountLimitExceeded',
  '63': 'securityViolation',
  '65': 'countLimitExceeded',
  '68': 'hostTrouble',
  '70': 'pinRequired',
  '75': 'pinTriesExceeded',
  '91': 'hostTrouble',
  '94': 'duplicate',
  '96': 'hostTrouble',
};

/** Without a host's own list: of a record that has the code only. */
export function declineReason(field39: string, { terminalUnknown } = responseCodes): DeclineReason {
  return terminalUnknown.includes(field39) ? 'terminalUnknown' : (declineReasons[field39] ?? 'declined');
}

/** Whether the host knows this terminal, by field 39 of any answer; undefined if the code does not tell. */
export function knowsTerminal(codes: ResponseCodes, field39: string): boolean | undefined {
  const { approved, duplicate, reversed, noRecord, balanced, mismatch, uploaded } = codes;
  const reason = declineReason(field39, codes);
  if (commissioningReasons.includes(reason)) return false;
  const taken = [approved, duplicate, reversed, noRecord, balanced, mismatch, uploaded];
  return issuerReasons.includes(reason) || taken.some((each) => each.includes(field39)) ? true : undefined;
}

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
