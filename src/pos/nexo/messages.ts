import * as z from 'zod';
import { JsonNumber } from '../contracts/pos-calls.ts';
import { nexoText } from './header.ts';

/**
 * The requests that are read, as far as they are used. Real tills leave fields out, send them as null, and add their
 * own: what is not named here is accepted, and has no effect.
 */

const amount = z.instanceof(JsonNumber);
/** As true or as "true". */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]);

const transactionIdentification = z.looseObject({ TransactionID: nexoText(128), TimeStamp: nexoText(64) });
const originalTransaction = z.looseObject({
  POITransactionID: z.looseObject({ TransactionID: nexoText(128), TimeStamp: nexoText(64).nullish() }),
});

const saleData = {
  OperatorID: nexoText(128).nullish(),
  ShiftNumber: nexoText(128).nullish(),
  SaleToAcquirerData: z.string().max(8_192).nullish(),
};

const paymentTypes = [
  'Normal',
  'Refund',
  'FirstReservation',
  'Completion',
  'OneTimeReservation',
  'UpdateReservation',
  'CashAdvance',
  'CashDeposit',
  'Instalment',
  'IssuerInstalment',
  'PaidOut',
  'Recurring',
] as const;

export const paymentRequest = z.looseObject({
  SaleData: z.looseObject({ ...saleData, SaleTransactionID: transactionIdentification }),
  PaymentTransaction: z.looseObject({
    AmountsReq: z.looseObject({
      Currency: nexoText(3),
      RequestedAmount: amount,
      TipAmount: amount.nullish(),
      CashBackAmount: amount.nullish(),
    }),
    OriginalPOITransaction: originalTransaction.nullish(),
    TransactionConditions: z
      .looseObject({
        AllowedPaymentBrand: z.array(nexoText(64)).max(32).nullish(),
        ForceEntryMode: z.array(nexoText(32)).max(16).nullish(),
      })
      .nullish(),
  }),
  PaymentData: z
    .looseObject({ PaymentType: z.enum(paymentTypes).nullish(), CardAcquisitionReference: z.unknown().optional() })
    .nullish(),
});
export type PaymentRequest = z.infer<typeof paymentRequest>;

export const reversalRequest = z.looseObject({
  OriginalPOITransaction: originalTransaction,
  ReversedAmount: amount.nullish(),
  ReversalReason: z.enum(['CustCancel', 'MerchantCancel', 'Malfunction', 'Unable2Compl']),
  SaleData: z.looseObject({ ...saleData, SaleTransactionID: transactionIdentification.nullish() }).nullish(),
});
export type ReversalRequest = z.infer<typeof reversalRequest>;

const messageReference = z.looseObject({
  MessageCategory: nexoText(32).nullish(),
  ServiceID: nexoText(64).nullish(),
  SaleID: nexoText(128).nullish(),
});

export const abortRequest = z.looseObject({
  MessageReference: messageReference.extend({ ServiceID: nexoText(64) }),
  AbortReason: nexoText(128).nullish(),
});
export type AbortRequest = z.infer<typeof abortRequest>;

export const transactionStatusRequest = z.looseObject({
  MessageReference: messageReference.nullish(),
  ReceiptReprintFlag: flag.nullish(),
});
export type TransactionStatusRequest = z.infer<typeof transactionStatusRequest>;

export const diagnosisRequest = z.looseObject({ POIID: nexoText(128).nullish() });

const outputText = z.looseObject({
  Text: z.string().max(4_096),
  EndOfLineFlag: flag.nullish(),
  CharacterStyle: nexoText(32).nullish(),
  CharacterHeight: nexoText(32).nullish(),
  CharacterWidth: nexoText(32).nullish(),
  Alignment: nexoText(32).nullish(),
});
export type OutputText = z.infer<typeof outputText>;

const outputContent = z.looseObject({
  OutputFormat: z.enum(['Text', 'BarCode', 'MessageRef', 'XHTML']),
  OutputText: z.array(outputText).max(400).nullish(),
  OutputBarcode: z.looseObject({ BarcodeType: nexoText(32).nullish(), BarcodeValue: nexoText(512) }).nullish(),
  PredefinedContent: z.looseObject({ ReferenceID: nexoText(128) }).nullish(),
});
export type OutputContent = z.infer<typeof outputContent>;

const documentQualifiers = [
  'CashierReceipt',
  'CustomerReceipt',
  'Document',
  'Journal',
  'SaleReceipt',
  'Voucher',
] as const;

export const printRequest = z.looseObject({
  PrintOutput: z.looseObject({ DocumentQualifier: z.enum(documentQualifiers), OutputContent: outputContent }),
});
export type PrintRequest = z.infer<typeof printRequest>;

const devices = ['CashierDisplay', 'CashierInput', 'CustomerDisplay', 'CustomerInput'] as const;

export const displayRequest = z.looseObject({
  DisplayOutput: z
    .array(
      z.looseObject({
        Device: z.enum(devices),
        InfoQualify: nexoText(32),
        OutputContent: outputContent,
        MinimumDisplayTime: amount.nullish(),
      }),
    )
    .min(1)
    .max(4),
});
export type DisplayRequest = z.infer<typeof displayRequest>;
