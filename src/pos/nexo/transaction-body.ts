import type { AuthenticationMethod } from '../../base/domain/authentication-method.ts';
import type { EntryMode, KnownEntryMode } from '../../base/domain/payment-scheme.ts';
import type { PosCaller, PosCalls } from '../contracts/pos-calls.ts';
import { encodePairs } from './form-pairs.ts';
import { bodyOf } from './outcome.ts';
import type { PosBody } from './response.ts';

/** What the terminal tells of a transaction that has ended: its print data, and its receipts as text. */
export interface Described {
  readonly data: Readonly<Record<string, unknown>>;
  readonly receipts: readonly object[];
}

/** Nothing for one that was never sent for authorization. */
export async function describeTransaction(
  body: PosBody,
  calls: Pick<PosCalls, 'receipt'>,
  caller: PosCaller,
): Promise<Described> {
  const { terminalTransactionId } = body;
  const answered = { data: answeredData(body), receipts: [] };
  if (terminalTransactionId === undefined) return answered;
  const ask = async (fields: object) =>
    bodyOf(await calls.receipt({ terminalTransactionId, ...fields }, { ...caller }));
  const { transactionPrintData } = await ask({ output: 'DATA' });
  if (typeof transactionPrintData !== 'object' || transactionPrintData === null) return answered;
  const data = transactionPrintData as Readonly<Record<string, unknown>>;
  const copies = [
    { copy: 'CUSTOMER', name: 'CustomerReceipt', isSigned: false },
    { copy: 'MERCHANT', name: 'CashierReceipt', isSigned: String(data['authenticationMethod']).endsWith('SIGNATURE') },
  ];
  const receipts: object[] = [];
  for (const { copy, name, isSigned } of copies) {
    const { text } = (await ask({ output: 'TEXT', copy })) as { readonly text?: unknown };
    if (typeof text === 'string') receipts.push(receiptOf(name, isSigned, text));
  }
  return { data, receipts };
}

/** The same fields as far as the answer itself has them: too many calls for receipts may wait. */
function answeredData({ transactionResult, transactionPrintData }: PosBody): Described['data'] {
  if (typeof transactionPrintData === 'object' && transactionPrintData !== null) {
    return transactionPrintData as Described['data'];
  }
  const result = (transactionResult ?? {}) as Described['data'];
  return { ...result, paymentBrand: result['paymentMethod'], cardData: { maskedPan: result['maskedPan'] } };
}

function receiptOf(qualifier: string, isSigned: boolean, text: string): object {
  const lines = text.replace(/\n+$/, '').split('\n');
  return {
    DocumentQualifier: qualifier,
    ...(isSigned ? { RequiredSignatureFlag: true } : {}),
    OutputContent: {
      OutputFormat: 'Text',
      OutputText: lines.map((line) => ({
        Text: line.trim() === '' ? 'key=filler' : encodePairs({ key: 'line', name: line }),
        EndOfLineFlag: true,
        CharacterStyle: 'Normal',
      })),
    },
  };
}

/** A transaction's id at the terminal; of a message for which nothing was started, its own. */
export function poiData({ terminalTransactionId, transactionResult, ...body }: PosBody, messageId: string, at: Date) {
  const { createTime } = (transactionResult ?? {}) as { readonly createTime?: unknown };
  const { dateTime = createTime } = (body['transactionPrintData'] ?? {}) as { readonly dateTime?: unknown };
  const began = new Date(typeof dateTime === 'string' ? dateTime : Number.NaN);
  const TimeStamp = (Number.isNaN(began.getTime()) ? at : began).toISOString();
  return { POITransactionID: { TransactionID: terminalTransactionId ?? messageId, TimeStamp } };
}

const entryModes: Readonly<Partial<Record<KnownEntryMode, string>>> = {
  CONTACTLESS: 'Contactless',
  CHIP: 'ICC',
  MAGSTRIPE: 'MagStripe',
  FALLBACK: 'MagStripe',
  MANUAL: 'Keyed',
  QR_SCAN: 'Scanned',
  QR_PRESENT: 'Mobile',
  OCTOPUS: 'Contactless',
};

const methods: Readonly<Record<AuthenticationMethod, readonly string[]>> = {
  OFFLINE_PIN: ['OfflinePIN'],
  ONLINE_PIN: ['OnlinePIN'],
  OFFLINE_PIN_AND_SIGNATURE: ['OfflinePIN', 'PaperSignature'],
  SIGNATURE: ['PaperSignature'],
  NO_CVM: ['Bypass'],
  CONSUMER_DEVICE: ['UnknownMethod'],
  UNKNOWN_METHOD: [],
};

/** Brands that tills know by another name; the others by that of the terminal, in small letters. */
export const brands: Readonly<Record<string, string>> = { MASTER: 'mc', UNIONPAY: 'cup' };
const instruments: Readonly<Record<string, string>> = { CASH: 'Cash', OCTOPUS: 'StoredValue' };

/** The element PaymentResult; undefined where the transaction was never sent for authorization. */
export function paymentResult({ data }: Described) {
  const { totalAmount, currency, tipAmount, entryMode, authenticationMethod, paymentBrand } = data;
  if (typeof totalAmount !== 'number') return undefined;
  const brand = brandOf(paymentBrand);
  const mode = entryModes[entryMode as EntryMode as KnownEntryMode];
  const masked = textIn(data['cardData'], 'maskedPan');
  const verified = methods[authenticationMethod as AuthenticationMethod] ?? [];
  const isCode = mode === 'Scanned' || mode === 'Mobile';
  return {
    AmountsResp: {
      Currency: currency,
      AuthorizedAmount: totalAmount,
      ...(typeof tipAmount === 'number' && tipAmount > 0 ? { TipAmount: tipAmount } : {}),
    },
    OnlineFlag: textIn(data, 'rrn') !== undefined,
    ...(verified.length === 0 ? {} : { AuthenticationMethod: verified }),
    PaymentInstrumentData: {
      PaymentInstrumentType: instruments[String(paymentBrand)] ?? (isCode ? 'Mobile' : 'Card'),
      CardData: {
        ...(brand === undefined ? {} : { PaymentBrand: brand }),
        ...(masked === undefined ? {} : { MaskedPan: masked }),
        ...(mode === undefined ? {} : { EntryMode: [mode] }),
      },
    },
    PaymentAcquirerData: {
      AcquirerID: textIn(data, 'acquirerId'),
      MerchantID: textIn(data, 'acquirerMid') ?? 'none',
      AcquirerPOIID: textIn(data, 'acquirerTid') ?? 'none',
      ...(textIn(data, 'approvalCode') === undefined ? {} : { ApprovalCode: data['approvalCode'] }),
    },
  };
}

function brandOf(brand: unknown): string | undefined {
  if (typeof brand !== 'string' || brand === '') return undefined;
  return brands[brand] ?? brand.toLowerCase();
}

/** An empty text is not valid in the standard: such a field is left out. */
function textIn(from: unknown, name: string): string | undefined {
  const value = typeof from === 'object' && from !== null ? (from as Record<string, unknown>)[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The pairs of AdditionalResponse that describe a transaction. */
export function describingPairs({ data }: Described, { terminalTransactionId }: PosBody) {
  return {
    pspReference: terminalTransactionId,
    paymentMethod: brandOf(data['paymentBrand']),
    cardType: brandOf(data['paymentBrand']),
    posEntryMode: textIn(data, 'entryMode'),
    retrievalReferenceNumber: textIn(data, 'rrn'),
    tid: textIn(data, 'acquirerTid'),
    mid: textIn(data, 'acquirerMid'),
  };
}
