import type { ReceiptShop } from './document.ts';
import { centred, type PairLine, pair, type TextLine } from './line.ts';

export function shopLines(shop: ReceiptShop): TextLine[] {
  const details = [shop.address, shop.phone, shop.email].map((text) => centred(text));
  return [centred(shop.name, 'double'), ...details].filter((line) => line.text !== '');
}

/** '2026-08-25' and '15:30:08' on the clocks of that IANA time zone: Swedish custom is ISO 8601. */
export function dateTimeLine(at: Date, timeZone: string): PairLine {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return pair(
    new Intl.DateTimeFormat('sv-SE', { timeZone, ...digits }).format(at),
    new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }).format(at),
  );
}

/** Merchant and terminal identifier, fields 42 and 41. */
export function merchantLine({ mid, tid }: { readonly mid: string; readonly tid: string }): PairLine {
  return pair(`MID ${mid}`, `TID ${tid}`);
}

/** The n6 of a batch, invoice or trace number. */
export function sixDigits(value: number | undefined): string | undefined {
  return value?.toString().padStart(6, '0');
}
