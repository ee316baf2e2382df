import { majorText } from '../base/domain/amount.ts';
import type { ReceiptDocument } from './document.ts';

/** The sections of a receipt, in the default order. */
export const receiptSections = [
  'shop',
  'title',
  'time',
  'pos',
  'host',
  'original',
  'instrument',
  'amounts',
  'outcome',
  'verification',
  'promotion',
  'qr',
  'footer',
  'id',
] as const;
export type ReceiptSection = (typeof receiptSections)[number];

/** A shop may leave these out. The card schemes, or a dispute later, need the others. */
const optionalSections: readonly ReceiptSection[] = ['pos', 'promotion', 'qr', 'footer', 'id'];
export const requiredSections = receiptSections.filter((each) => !optionalSections.includes(each));

/** The shop's own content on its receipts. All of it is for customers: the merchant's copy has none. */
export interface ReceiptLayout {
  /** From top to bottom: each at most once, and all of `requiredSections`. */
  readonly sections: readonly ReceiptSection[];
  /** Below an approved payment, on the days from `from` to `until` ('2026-12-24') of the shop's time zone. */
  readonly promotion: {
    readonly lines: readonly string[];
    readonly from?: string | undefined;
    readonly until?: string | undefined;
  };
  /** Text of a QR code below an approved payment, with names of `qrNames` in braces; empty for none. */
  readonly qr: string;
  readonly footer: readonly string[];
}

export const plainLayout: ReceiptLayout = { sections: receiptSections, promotion: { lines: [] }, qr: '', footer: [] };

export const qrNames = ['terminalTransactionId', 'amount', 'currency', 'posReference'] as const;

/** A name in braces. */
const placeholder = /\{([^{}]*)\}/g;

/** The names in braces that a QR code's text must not have. */
export function unknownNames(template: string): string[] {
  const names: readonly string[] = qrNames;
  return [...template.matchAll(placeholder)].map(([, name = '']) => name).filter((name) => !names.includes(name));
}

/** Values are percent-encoded: they may be part of an address. */
export function filledQr(template: string, { terminalTransactionId, amount, pos }: ReceiptDocument): string {
  const values: Readonly<Record<(typeof qrNames)[number], string>> = {
    terminalTransactionId,
    amount: majorText(amount),
    currency: amount.currency,
    posReference: pos?.posReference ?? '',
  };
  return template.replaceAll(placeholder, (whole, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(values[name as keyof typeof values]) : whole,
  );
}
