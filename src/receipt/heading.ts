import { cells } from './cells.ts';
import type { ReceiptDocument, ReceiptShop } from './document.ts';
import { blank, centredLine, type PairLine, pair, pairs, type TextLine } from './line.ts';
import type { Words } from './words.ts';

export function shopLines(shop: ReceiptShop): TextLine[] {
  const details = [shop.address, shop.phone, shop.email].map((text) => centredLine(text));
  return [centredLine(shop.name, 'double'), ...details].filter((line) => line.text !== '');
}

/** The marks of a receipt that is not the first on paper, or that does not stand any more. */
export function markLines(
  { duplicate, cutOff, voided }: Pick<ReceiptDocument, 'duplicate' | 'cutOff' | 'voided'>,
  { heading }: Words,
): TextLine[] {
  const marks = [
    ...(duplicate === true ? [heading.duplicate] : []),
    ...(cutOff === true ? [heading.cutOff] : []),
    ...(voided === true ? [heading.voided] : []),
  ];
  return marks.length === 0 ? [] : [...marks.map((mark) => centredLine(`*** ${mark} ***`, 'bold')), blank];
}

interface ZoneFormats {
  readonly date: Intl.DateTimeFormat;
  readonly time: Intl.DateTimeFormat;
}

/** By time zone: a format takes longer to make than a whole receipt. A terminal has one zone. */
const formats = new Map<string, ZoneFormats>();

/** '2026-08-25' and '15:30:08' in that IANA time zone. */
export function dateTimeLine(at: Date, timeZone: string): PairLine {
  let zone = formats.get(timeZone);
  if (!zone) formats.set(timeZone, (zone = formatsOf(timeZone)));
  return pair(zone.date.format(at), zone.time.format(at));
}

/** The locale sv-SE formats by ISO 8601. */
function formatsOf(timeZone: string): ZoneFormats {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return {
    date: new Intl.DateTimeFormat('sv-SE', { timeZone, ...digits }),
    time: new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' }),
  };
}

/** Merchant and terminal identifier, fields 42 and 41: on one line if both fit. */
export function merchantLines(
  { mid, tid }: { readonly mid: string; readonly tid: string },
  { heading }: Words,
  columns: number,
): PairLine[] {
  const both = pair(`${heading.mid} ${mid}`, `${heading.tid} ${tid}`);
  const fits = cells(both.left) + 1 + cells(both.right) <= columns;
  return mid !== '' && tid !== '' && fits ? [both] : pairs([heading.mid, mid], [heading.tid, tid]);
}
