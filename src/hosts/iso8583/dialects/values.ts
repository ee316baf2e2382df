/**
 * The values of a transaction that a field can have, with their descriptions. They are digits unless stated otherwise.
 */
export const valueNames = {
  processingCode: 'field 3 of the message, with the choices of a debit card’s customer',
  amount: 'the amount in minor units, 12 digits; with tip and cash',
  tip: 'the tip in it, 12 digits; absent without one',
  cash: 'the cash in it that the customer takes, 12 digits; absent without any',
  originalAmount: 'the amount before a completion or a tip adjustment, 12 digits',
  currency: 'the currency, three digits of ISO 4217',
  currencyCode: 'the currency, three letters of ISO 4217',
  stan: 'the trace number of the message, 6 digits; a reversal has its original’s',
  invoice: 'the invoice number, 6 digits; a void and a tip adjustment have their original’s',
  batch: 'the batch number, 6 digits',
  time:
    'hhmmss, the terminal’s local time: when the payment began, in a reversal or an upload that of the original; ' +
    'in a settlement or a network message when it is sent, in a settlement with `repeat` when the batch was closed',
  date: 'MMDD, the same',
  year: 'YYYY, the same',
  dateTimeUtc: 'MMDDhhmmss of the same in UTC',
  entryMode: 'field 22: how the card was read, by entryModes',
  panSequence: 'the sequence number of the card, 3 digits; absent if it has none',
  tid: 'the terminal id, acquirers[].tid; text',
  mid: 'the merchant id, acquirers[].mid; text',
  nii: 'acquirers[].nii',
  country: 'the terminal’s country, three digits of ISO 3166-1',
  cardData:
    'the card as the reader has encrypted it, in the reader’s own objects: track 2 of a card that was just presented, otherwise its number; bytes',
  ksn: 'the serial number of the key of the card data; bytes',
  encryptedTrack2: 'track 2, as the reader has encrypted it; bytes, absent in messages that refer to an earlier card',
  encryptedPan: 'the card number, as the reader has encrypted it; bytes, absent where there is track 2',
  pinBlock: 'the encrypted PIN block, if it has 8 bytes; bytes, absent without a PIN',
  wholePinBlock: 'the encrypted PIN block, 8 or 16 bytes; absent without a PIN',
  pinKsn: 'the serial number of the key of the PIN block; bytes',
  macKsn: 'the serial number of the key of the authentication code, 10 bytes; absent without DUKPT',
  emv: 'the EMV objects of emvTags; bytes, absent for a card without a chip',
  rrn: 'the host’s number of the original, its field 37; in a reversal that of the request, absent if unanswered; text',
  approvalCode: 'the approval code of the original or of an offline sale, field 38; text',
  hostTime: 'hhmmss of the host’s answer to the original, field 12; absent without an answer',
  hostDate: 'MMDD of the host’s answer to the original, field 13; absent without an answer',
  reversalReason: 'of a reversal: why the request is reversed, by reasons of the message; text',
  originalType: 'the message type of the original, 4 digits',
  originalStan: 'the trace number of the original, 6 digits',
  originalIfUnknown: 'type and trace number of an original whose number at the host is not known, 10 digits',
  uploadNumber: 'the number of the transaction in a batch upload, from 1, 4 digits',
  uploadCount: 'the number of transactions of the upload, 4 digits',
  totals: 'counts and sums of the batch, by totals',
  salesCount: 'the number of sales of the batch',
  salesAmount: 'their sum in minor units',
  refundsCount: 'the number of refunds of the batch',
  refundsAmount: 'their sum in minor units',
  netAmount: 'sales less refunds, in minor units',
  netSign: 'C for a net amount of zero or more, otherwise D; text',
} as const;

export type ValueName = keyof typeof valueNames;

/** Numbers: leading zeros have no meaning, so a fixed field may have more or fewer digits. */
export const countValues: readonly ValueName[] = [
  'amount',
  'tip',
  'cash',
  'originalAmount',
  'stan',
  'invoice',
  'batch',
  'originalStan',
  'panSequence',
  'uploadNumber',
  'uploadCount',
  'salesCount',
  'salesAmount',
  'refundsCount',
  'refundsAmount',
  'netAmount',
];

/** Names: trailing spaces have no meaning. */
export const identityValues: readonly ValueName[] = ['tid', 'mid'];

/** The values for the number and the totals of a batch. */
export const batchValues: readonly ValueName[] = [
  'batch',
  'totals',
  'salesCount',
  'salesAmount',
  'refundsCount',
  'refundsAmount',
  'netAmount',
  'netSign',
];
