import type { AuthenticationMethod, ReceiptCard, ReceiptDocument, ReceiptHost } from '../../src/receipt/document.ts';
import { terminalTransactionId } from '../../src/domain/identifiers.ts';

const at = new Date('2026-08-25T07:30:08Z');

/** Values of the sample sale in the ISO 8583 fixtures; the shop is invented, its number reserved for nobody. */
const host: ReceiptHost = {
  mid: '123456789012345',
  tid: '12345678',
  stan: 123,
  invoice: 45,
  batch: 1,
  rrn: '623710000123',
  approvalCode: '1A2B3C',
};

const card: ReceiptCard = {
  maskedPan: '************0119',
  aid: 'A0000000031010',
  appName: 'VISA CREDIT',
  cryptogram: { kind: 'ARQC', value: '7A788EA6B8A3E733' },
  atc: '001C',
  tvr: '8000048000',
  tsi: 'E800',
  authenticationMethod: 'NO_CVM',
};

/** An approved contactless sale of 30 HKD with the Visa test card. */
export function visaSale(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    copy: 'CUSTOMER',
    shop: {
      name: 'Harbour Café',
      address: "Shop 12, 1 Queen's Road Central, Hong Kong",
      phone: '+852 2345 6789',
      email: '',
    },
    transactionType: 'SALE',
    outcome: 'APPROVED',
    amount: { minor: 3000n, currency: 'HKD' },
    paymentMethod: 'VISA',
    entryMode: 'CONTACTLESS',
    at,
    timeZone: 'Asia/Hong_Kong',
    terminalTransactionId: terminalTransactionId(at, new Uint8Array(10)),
    host,
    card,
    ...changes,
  };
}

export function visaCard(changes: Partial<ReceiptCard> = {}): ReceiptCard {
  return { ...card, ...changes };
}

export function verifiedBy(authenticationMethod: AuthenticationMethod, copy: ReceiptDocument['copy']): ReceiptDocument {
  return visaSale({ copy, card: visaCard({ authenticationMethod }) });
}

export { host as visaHost };
