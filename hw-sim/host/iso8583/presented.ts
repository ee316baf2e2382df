import { type Card, hasChip } from '../../card/card.ts';
import { type Currency, currencyOf } from './currency.ts';
import { parseEmvData } from './emv-data.ts';
import type { IssuerCheck } from './issuer.ts';
import type { Message } from './message.ts';
import type { Profile } from './profile.ts';
import { type BaseKeys, openReaderObjects, type ReaderPin, readPan, readTrack2 } from './reader-objects.ts';
import { opened, type Refusal } from './verdict.ts';

/** The data needed to open a message: the readers' base keys, and the known cards. */
export interface Keys extends BaseKeys {
  /** By card number. */
  readonly cards: ReadonlyMap<string, Card>;
}

/** A sale, auth or refund with a card, decrypted and consistent in itself. It is not approved yet. */
export interface Presented extends Amounts {
  readonly currency: Currency;
  readonly card: Card;
  readonly ksn: string;
  /** The chip's data for the issuer; absent for a stripe. */
  readonly chip?: IssuerCheck;
  readonly pin?: PresentedPin;
}

/** Minor units. */
export interface Amounts {
  readonly amountMinor: bigint;
  /** Part of the amount. */
  readonly tipMinor: bigint;
  /** Part of the amount. */
  readonly cashbackMinor: bigint;
}

/** A PIN block and its key serial number. Field 48 has the number, and a block that is too long for field 52. */
export interface PresentedPin {
  /** 8 bytes, or 16 under an AES key. */
  readonly block: Buffer;
  /** 20 hexadecimal digits, or 24 of an AES key. */
  readonly ksn: string;
}

/** 9F27: the card asks to go online. */
const arqcAsked = '80';

/** Decrypts and checks a well-formed message. */
export function readPresented({ fields }: Message, keys: Keys, profile: Profile): Presented | Refusal {
  const emv = fields.has(55) ? opened(() => parseEmvData(fields.get(55) ?? '')) : undefined;
  if (emv && 'refused' in emv) return emv;
  const object = opened(() => openReaderObjects(keys, fields.get(48) ?? '', '57'));
  if ('refused' in object) return object;
  const track2 = opened(() => readTrack2(object.value));
  if ('refused' in track2) return track2;
  const pin = readPin(fields.get(52), object.pin, profile);
  if (pin && 'refused' in pin) return pin;

  const card = keys.cards.get(track2.pan);
  if (!card) return { refused: '14' };
  if (card.expiry !== track2.expiry) return { refused: '54' };
  const numeric = emv ? currencyOfChip(emv, fields) : (fields.get(49) ?? '');
  if (typeof numeric !== 'string') return numeric;
  const currency = currencyOf(numeric);
  if (!currency) return { refused: '12' };
  const amounts = readAmounts(fields, profile);
  if ('refused' in amounts) return amounts;
  const common = { ...amounts, currency, card, ksn: object.ksn, ...(pin && { pin }) };
  if (!emv) return common;
  if (!hasChip(card)) return { refused: '63', finding: 'field 55 of a card without a chip' };
  return { ...common, chip: { card, panSequenceNumber: fields.get(23)?.slice(-2) ?? '00', emv } };
}

/** Compares the chip's signed data with the message's fields. Returns the currency, three digits. */
function currencyOfChip(emv: ReadonlyMap<string, string>, fields: Message['fields']): string | Refusal {
  if (emv.get('9F02') !== fields.get(4)) return { refused: '13', finding: 'field 4 is not 9F02' };
  const numeric = /^0(\d{3})$/.exec(emv.get('5F2A') ?? '')?.[1] ?? '';
  if (numeric !== (fields.get(49) ?? numeric)) return { refused: '12', finding: 'field 49 is not 5F2A' };
  if (emv.get('9F27') !== arqcAsked) return { refused: '12', finding: 'a card that did not ask to go online' };
  return numeric;
}

/** 70 is "PIN required" (DE39). A block without its key, or a key without a block, is a message of the wrong form. */
function readPin(
  field52: string | undefined,
  pin: ReaderPin | undefined,
  profile: Profile,
): PresentedPin | Refusal | undefined {
  if (field52 !== undefined && pin?.block !== undefined) return { refused: '30', finding: 'two PIN blocks' };
  const block = field52 ?? pin?.block;
  if (block !== undefined && pin !== undefined) return { block: Buffer.from(block, 'hex'), ksn: pin.ksn };
  if (block !== undefined) return { refused: '30', finding: 'field 52 without DFEE51 in field 48' };
  if (pin !== undefined) return { refused: '30', finding: 'DFEE51 in field 48 without field 52' };
  return profile.pin === 'mandatory' ? { refused: '70', finding: 'a sale without field 52' } : undefined;
}

/** Fields 4 and 54. */
export function readAmounts(fields: Message['fields'], { field54 }: Pick<Profile, 'field54'>): Amounts | Refusal {
  const amountMinor = BigInt(fields.get(4) ?? '0');
  const partMinor = BigInt(fields.get(54) ?? '0');
  if (amountMinor === 0n) return { refused: '13' };
  if (partMinor >= amountMinor) return { refused: '13', finding: `a ${field54} that is the whole amount` };
  return field54 === 'tip'
    ? { amountMinor, tipMinor: partMinor, cashbackMinor: 0n }
    : { amountMinor, tipMinor: 0n, cashbackMinor: partMinor };
}

/** The card number of a message that refers back to a card. */
export function readNumber({ fields }: Message, keys: Keys): { readonly pan: string } | Refusal {
  return opened(() => ({ pan: readPan(openReaderObjects(keys, fields.get(48) ?? '', '5A').value) }));
}

/** Card data that must never travel in the clear: fields of the message, then objects of field 55. */
export function clearCardData({ fields }: Message): string[] {
  const found = [2, 14, 35].filter((field) => fields.has(field)).map((field) => `field ${field} in the clear`);
  const objects = opened(() => parseEmvData(fields.get(55) ?? ''));
  if ('refused' in objects) return found;
  const tags = ['56', '57', '5A', '5F20', '9F1F', '9F20', '9F6B'].filter((tag) => objects.has(tag));
  return [...found, ...tags.map((tag) => `tag ${tag} in the clear`)];
}
