import type { Card } from '../../card/card.ts';
import { type Currency, currencyOf } from './currency.ts';
import { parseEmvData } from './emv-data.ts';
import type { Message } from './message.ts';
import { openReaderObjects, readPan, readTrack2 } from './reader-objects.ts';
import { opened, type Refusal } from './verdict.ts';

/** What decides about a message: the readers' base key, and the cards that exist. */
export interface Keys {
  readonly bdk: Buffer;
  /** By card number. */
  readonly cards: ReadonlyMap<string, Card>;
}

/** A sale, auth or refund with a card, opened and consistent in itself. Whether it is approved is another question. */
export interface Presented {
  readonly amountMinor: bigint;
  /** Part of the amount. */
  readonly tipMinor: bigint;
  readonly currency: Currency;
  readonly card: Card;
  readonly ksn: string;
  readonly panSequenceNumber: string;
  readonly emv: ReadonlyMap<string, string>;
}

/** 9F27: the card asks to go online. */
const arqcAsked = '80';

/** Opens a message whose form is right. */
export function readPresented({ fields }: Message, keys: Keys): Presented | Refusal {
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
  if (numeric !== (fields.get(49) ?? numeric)) return { refused: '12', finding: 'field 49 is not 5F2A' };
  if (emv.get('9F27') !== arqcAsked) return { refused: '12', finding: 'a card that did not ask to go online' };
  const currency = currencyOf(numeric);
  if (!currency) return { refused: '12' };
  const amounts = readAmounts(fields);
  if ('refused' in amounts) return amounts;
  const panSequenceNumber = fields.get(23)?.slice(-2) ?? '00';
  return { ...amounts, currency, card, ksn: object.ksn, panSequenceNumber, emv };
}

/** Fields 4 and 54. */
export function readAmounts(fields: Message['fields']): { amountMinor: bigint; tipMinor: bigint } | Refusal {
  const amountMinor = BigInt(fields.get(4) ?? '0');
  const tipMinor = BigInt(fields.get(54) ?? '0');
  if (amountMinor === 0n) return { refused: '13' };
  if (tipMinor >= amountMinor) return { refused: '13', finding: 'a tip that is the whole amount' };
  return { amountMinor, tipMinor };
}

/** The card number of a message that refers back to a card. */
export function readNumber({ fields }: Message, { bdk }: Keys): { readonly pan: string } | Refusal {
  return opened(() => ({ pan: readPan(openReaderObjects(bdk, fields.get(48) ?? '', '5A').value) }));
}

/** Card data that must never travel in the clear: fields of the message, then objects of field 55. */
export function clearCardData({ fields }: Message): string[] {
  const found = [2, 14, 35].filter((field) => fields.has(field)).map((field) => `field ${field} in the clear`);
  const objects = opened(() => parseEmvData(fields.get(55) ?? ''));
  if ('refused' in objects) return found;
  const tags = ['56', '57', '5A', '5F20', '9F1F', '9F20', '9F6B'].filter((tag) => objects.has(tag));
  return [...found, ...tags.map((tag) => `tag ${tag} in the clear`)];
}
