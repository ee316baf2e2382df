import { cardBrand } from '../../../src/emv/aid.ts';
import { sensitiveTags } from '../../../src/emv/tags.ts';
import { TlvError } from '../../../src/emv/tlv.ts';
import type { CollectOutcome, EmvData, EncryptedCard, PresentedCard } from '../../../src/ports/card-reader.ts';
import { DeviceError } from '../../../src/ports/device.ts';
import { cardObjects, contactlessError, type CardObject } from './card-objects.ts';
import { maskedPan, maskedPanOfTrack2 } from './masked-pan.ts';

/** Status codes: NEO 2 Interface Developer's Guide (IDG) p.28. */
export const status = {
  ok: 0x00,
  badHeader: 0x01,
  crcError: 0x04,
  timeout: 0x08,
  failed: 0x0a,
  event: 0x0e,
  requestOnline: 0x23,
} as const;

/** Cryptogram Information Data, bits 8 and 7: EMV 4.3 Book 3, 6.5.5.4. */
const cryptogram = { mask: 0xc0, declined: 0x00, goOnline: 0x80 } as const;

/** What of a card may be kept in the clear: field 55 and the receipt need it. Everything else is dropped. */
const keptTags: ReadonlySet<string> = new Set(
  (
    '9F26 9F27 9F10 9F37 9F36 95 9A 9C 9F02 5F2A 82 9F1A 9F03 9F33 9F34 9F35 9F1E 84 9F09 9F41 9F63 ' +
    '50 9F12 9B 5F34 9F39 DF52 9F6E 9F7C 4F'
  ).split(' '),
);

/** Error codes in FFEE1F: IDG p.32. */
const outcomeOfError: ReadonlyMap<number, CollectOutcome> = new Map<number, CollectOutcome>([
  [0x21, { kind: 'tryAgain', reason: 'collision' }],
  [0x22, { kind: 'refused', reason: 'over-limit' }],
  [0x24, { kind: 'tryAgain', reason: 'read-error' }],
  [0x25, { kind: 'refused', reason: 'blocked' }],
  [0x26, { kind: 'refused', reason: 'expired' }],
  [0x27, { kind: 'refused', reason: 'unsupported' }],
  [0x30, { kind: 'tryAgain', reason: 'card-lost' }],
]);

/**
 * What the answer to 02-40 says. `expected` is what the terminal had told the reader: an answer for another amount is
 * not an answer to this. Throws DeviceError 'protocol' for what the protocol does not allow, 'refused' for a status
 * that is no outcome. The caller owns `data` and wipes it; nothing of it is kept here but copies of what may be.
 */
export function collectOutcome(code: number, data: Uint8Array, expected: EmvData): CollectOutcome {
  switch (code) {
    case status.ok:
    case status.requestOnline:
      return cardOutcome(data, expected);
    case status.timeout:
      return { kind: 'timeout' };
    case status.failed:
      // Unknown codes and 62 (generic) are worth another try: the request's own time-out ends it.
      return outcomeOfError.get(contactlessError(data) ?? 0) ?? { kind: 'tryAgain', reason: 'read-error' };
    case status.badHeader:
    case status.crcError:
      // The command was damaged on its way, and the reader never armed.
      return { kind: 'tryAgain', reason: 'read-error' };
    default:
      throw new DeviceError('refused', `reader answered 02-40 with status ${hexByte(code)}`);
  }
}

/**
 * The first byte of the data: IDG p.232-233. Bits 7 and 6 say whether card data is encrypted for chip and for stripe;
 * which is which is not clear from the print, so both must be set.
 */
const attribution = { encrypted: 0xc0, kind: 0x19, chip: 0x01, stripe: 0x11, scheme: 0x06, tdes: 0x00, aes: 0x02 };

function cardOutcome(data: Uint8Array, expected: EmvData): CollectOutcome {
  const first = data[0];
  if (first === undefined) throw protocolError('no data');
  const objects = objectsOf(data.subarray(1));
  refuseClear(objects);
  if ((first & attribution.encrypted) !== attribution.encrypted) throw protocolError('encryption is off');
  const kind = first & attribution.kind;
  // Magnetic-stripe mode over contactless has no cryptogram for the issuer to check.
  if (kind === attribution.stripe) return { kind: 'refused', reason: 'unsupported' };
  if (kind !== attribution.chip) throw protocolError('an interface that was not armed');
  const emv = emvData(objects);
  for (const [tag, value] of expected) {
    const told = emv.get(tag);
    if (told && Buffer.compare(told, value) !== 0) throw protocolError(`another ${tag} than was asked for`);
  }
  const information = emv.get('9F27');
  if (information?.length !== 1 || emv.get('9F26')?.length !== 8) throw protocolError('no cryptogram');
  switch ((information[0] ?? 0) & cryptogram.mask) {
    case cryptogram.declined:
      return { kind: 'refused', reason: 'declined' };
    case cryptogram.goOnline:
      return { kind: 'card', card: presentedCard(first, objects, emv) };
    default:
      // A card that approved offline: this terminal takes online approvals only, so no money may come of it.
      return { kind: 'refused', reason: 'unsupported' };
  }
}

function objectsOf(bytes: Uint8Array): CardObject[] {
  try {
    return cardObjects(bytes);
  } catch (error) {
    if (error instanceof TlvError) throw protocolError(error.message);
    throw error;
  }
}

/** Not masked, not encrypted, and should be: the reader has lost its keys or its settings. */
function refuseClear(objects: readonly CardObject[]): void {
  for (const { tag, form, value } of objects) {
    if (!sensitiveTags.has(tag) || form === 'encrypted') continue;
    if (form === 'clear') {
      // A cardholder's name in the clear is dropped like all that is not kept; it pays for nothing.
      if (tag !== '5F20') throw protocolError(`tag ${tag} in the clear`);
    } else if (tag === '57' ? maskedPanOfTrack2(value) === undefined : tag === '5A' && maskedPan(value) === undefined) {
      throw protocolError(`tag ${tag} is not masked`);
    }
  }
}

function emvData(objects: readonly CardObject[]): Map<string, Uint8Array> {
  const emv = new Map<string, Uint8Array>();
  for (const { tag, form, value } of objects) {
    if (form !== 'clear' || !keptTags.has(tag)) continue;
    const known = emv.get(tag);
    if (known && Buffer.compare(known, value) !== 0) throw protocolError(`two different ${tag}`);
    emv.set(tag, Uint8Array.from(value));
  }
  return emv;
}

function presentedCard(attributes: number, objects: readonly CardObject[], emv: EmvData): PresentedCard {
  const aid = hex(emv.get('84') ?? emv.get('4F') ?? new Uint8Array());
  if (aid === '') throw protocolError('no application identifier');
  const fromTrack2 = maskedPanOfTrack2(only(objects, '57', 'masked') ?? new Uint8Array());
  const fromPan = maskedPan(only(objects, '5A', 'masked') ?? new Uint8Array());
  const masked = fromPan ?? fromTrack2;
  if (masked === undefined) throw protocolError('no masked card number');
  if (fromPan !== undefined && fromTrack2 !== undefined && fromPan !== fromTrack2) {
    throw protocolError('two different card numbers');
  }
  return {
    entryMode: 'CONTACTLESS',
    aid,
    appName: printable(emv.get('9F12')) ?? printable(emv.get('50')) ?? cardBrand(aid) ?? aid,
    maskedPan: masked,
    emv,
    encrypted: encryptedCard(attributes, objects),
  };
}

/** Key serial numbers: 10 bytes TDES (ANSI X9.24-1:2009), 12 bytes AES (X9.24-3:2017). Ciphertext: whole blocks. */
function encryptedCard(attributes: number, objects: readonly CardObject[]): EncryptedCard {
  const scheme = schemeOf(attributes);
  const [ksnBytes, blockBytes] = scheme === 'TDES-DUKPT' ? [10, 8] : [12, 16];
  const ksn = only(objects, 'DFEE12', 'clear');
  if (ksn?.length !== ksnBytes) throw protocolError('no key serial number');
  const ciphertext = (tag: string) => {
    const value = only(objects, tag, 'encrypted');
    if (!value || value.length === 0 || value.length % blockBytes !== 0) throw protocolError(`no ciphertext of ${tag}`);
    return Uint8Array.from(value);
  };
  return { scheme, ksn: Uint8Array.from(ksn), track2: ciphertext('57'), pan: ciphertext('5A') };
}

function schemeOf(attributes: number): EncryptedCard['scheme'] {
  switch (attributes & attribution.scheme) {
    case attribution.tdes:
      return 'TDES-DUKPT';
    case attribution.aes:
      return 'AES-DUKPT';
    default:
      throw protocolError('an unknown encryption mode');
  }
}

/** The one object of this tag and form; two of them could not both be believed. */
function only(objects: readonly CardObject[], tag: string, form: CardObject['form']): Uint8Array | undefined {
  const found = objects.filter((object) => object.tag === tag && object.form === form);
  if (found.length > 1) throw protocolError(`two objects ${tag}`);
  return found[0]?.value;
}

/** A name for the receipt, up to 16 characters (EMV 4.3 Book 3, Annex A1): printable ASCII, or not used at all. */
function printable(value: Uint8Array | undefined): string | undefined {
  const text = value ? Buffer.from(value).toString('latin1').trim() : '';
  return /^[\x20-\x7e]{1,16}$/.test(text) ? text : undefined;
}

/** Its message names tags and offsets, never a value. */
function protocolError(what: string): DeviceError {
  return new DeviceError('protocol', `answer to 02-40: ${what}`);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

function hexByte(code: number): string {
  return code.toString(16).padStart(2, '0').toUpperCase();
}
