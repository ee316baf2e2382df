import type { Card } from '../../card/card.ts';
import { money, type Money } from './currency.ts';
import { MalformedObjects, parseEmvData } from './emv-data.ts';
import type { Message } from './message.ts';
import { type OpenedObject, openReaderObjects, readPan, readTrack2 } from './reader-objects.ts';

/** A sale as its 0200 tells it, opened and consistent in itself. Whether it is approved is another question. */
export interface Sale extends Money {
  readonly trace: Trace;
  readonly card: Card;
  readonly ksn: string;
  readonly panSequenceNumber: string;
  readonly emv: ReadonlyMap<string, string>;
}

/** What names one request of one terminal. */
export interface Trace {
  readonly stan: string;
  readonly tid: string;
  readonly mid: string;
  readonly nii: string;
  readonly invoice: string;
}

/** A reversal as its 0400 tells it. */
export interface Reversal {
  readonly stan: string;
  readonly tid: string;
  readonly amountMinor: string;
  readonly pan: string;
}

/**
 * Why a message is refused: field 39. `finding` is set where no sound terminal would send such a message at all, and says
 * what is wrong with it.
 */
export interface Refusal {
  readonly refused: string;
  readonly finding?: string;
}

const saleFields = [3, 4, 11, 22, 24, 25, 41, 42, 48, 55, 62] as const;
const reversalFields = [3, 4, 11, 24, 41, 42, 48] as const;

/** 9F27: the card asks to go online. */
const arqcAsked = '80';

/** The trace data of a 0200, or why it is no sale that this host knows. Checked before anything else of it. */
export function readTrace({ fields }: Message): Trace | Refusal {
  // Positions 3 to 6 are account types; 00 in front is goods and services.
  if (!/^00\d{4}$/.test(fields.get(3) ?? '')) return { refused: '12', finding: 'a processing code that is no sale' };
  const missing = saleFields.filter((field) => !fields.has(field));
  if (missing.length > 0) return { refused: '30', finding: `a sale without field ${missing.join(', ')}` };
  const text = (field: number) => fields.get(field) ?? '';
  if (!/^\d{6}$/.test(text(62))) return { refused: '30', finding: 'field 62 is no invoice number' };
  return { stan: text(11), tid: text(41), mid: text(42), nii: text(24), invoice: text(62) };
}

/** Opens a 0200 whose trace data is read already. */
export function readSale(
  { fields }: Message,
  trace: Trace,
  keys: { bdk: Buffer; cards: ReadonlyMap<string, Card> },
): Sale | Refusal {
  const emv = opened(() => parseEmvData(fields.get(55) ?? ''));
  if ('refused' in emv) return emv;
  const object = opened(() => openReaderObjects(keys.bdk, fields.get(48) ?? '', '57'));
  if ('refused' in object) return object;
  const track2 = opened(() => readTrack2(object.value));
  if ('refused' in track2) return track2;

  const card = keys.cards.get(track2.pan);
  if (!card) return { refused: '14' };
  if (card.expiry !== track2.expiry) return { refused: '54' };
  if (emv.get('9F02') !== fields.get(4)) return { refused: '13', finding: 'field 4 is not 9F02' };
  const numeric = /^0(\d{3})$/.exec(emv.get('5F2A') ?? '')?.[1] ?? '';
  // Field 49 may be left out in this dialect; then 5F2A alone names the currency.
  if (numeric !== (fields.get(49) ?? numeric)) return { refused: '12', finding: 'field 49 is not 5F2A' };
  if (emv.get('9F27') !== arqcAsked) return { refused: '12', finding: 'a card that did not ask to go online' };
  const amount = money(fields.get(4) ?? '', numeric);
  if (!amount) return { refused: '12' };
  if (amount.amountMinor === '0') return { refused: '13' };
  const panSequenceNumber = fields.get(23)?.slice(-2) ?? '00';
  return { ...amount, trace, card, ksn: object.ksn, panSequenceNumber, emv };
}

/** Opens a 0400 or 0401. */
export function readReversal({ fields }: Message, bdk: Buffer): Reversal | Refusal {
  const missing = reversalFields.filter((field) => !fields.has(field));
  if (missing.length > 0) return { refused: '30', finding: `a reversal without field ${missing.join(', ')}` };
  const pan = opened(() => ({ text: readPan(openReaderObjects(bdk, fields.get(48) ?? '', '5A').value) }));
  if ('refused' in pan) return pan;
  const text = (field: number) => fields.get(field) ?? '';
  return { stan: text(11), tid: text(41), amountMinor: BigInt(text(4)).toString(), pan: pan.text };
}

/** Card data that must never travel in the clear: fields of the message, then objects of field 55. */
export function clearCardData({ fields }: Message): string[] {
  const found = [2, 14, 35].filter((field) => fields.has(field)).map((field) => `field ${field} in the clear`);
  const objects = opened(() => parseEmvData(fields.get(55) ?? ''));
  if ('refused' in objects) return found;
  const tags = ['56', '57', '5A', '5F20', '9F1F', '9F20', '9F6B'].filter((tag) => objects.has(tag));
  return [...found, ...tags.map((tag) => `tag ${tag} in the clear`)];
}

function opened<T extends OpenedObject | object>(open: () => T): T | Refusal {
  try {
    return open();
  } catch (error) {
    if (error instanceof MalformedObjects) return { refused: '30', finding: error.message };
    throw error;
  }
}
