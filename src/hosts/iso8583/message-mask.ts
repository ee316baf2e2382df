import { scrub, scrubHex } from '../../base/domain/masking.ts';
import { type KnownTag, tagNames } from '../../codecs/emv/tags.ts';
import { parseTlv, TlvError } from '../../codecs/emv/tlv.ts';
import { fields1987 } from '../../codecs/iso8583/fields-1987.ts';
import { FrameDecoder } from '../../codecs/iso8583/frame.ts';
import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import { type FieldTable, type MessageSpec, type PartListener, unpack } from '../../codecs/iso8583/message.ts';
import type { MaskedMessage, MaskedObject, MaskedPart } from '../../payment/contracts/line-message.ts';
import { type Content, settingsIn, valuesIn } from './dialects/content-schema.ts';
import type { ValueName } from './dialects/values.ts';
import type { Carrier, Dialect } from './dialect.ts';

/**
 * The values that are shown. All others are hidden, so a new value is hidden until it is added here. Settings are never
 * shown, because a bank may have given one as a password.
 */
const shownValues: ReadonlySet<ValueName> = new Set<ValueName>([
  'processingCode',
  'amount',
  'tip',
  'cash',
  'originalAmount',
  'currency',
  'currencyCode',
  'stan',
  'invoice',
  'batch',
  'time',
  'date',
  'year',
  'dateTimeUtc',
  'entryMode',
  'panSequence',
  'tid',
  'mid',
  'nii',
  'country',
  'rrn',
  'reversalReason',
  'approvalCode',
  'hostTime',
  'hostDate',
  'originalType',
  'originalStan',
  'originalIfUnknown',
  'uploadNumber',
  'uploadCount',
  'totals',
  'salesCount',
  'salesAmount',
  'refundsCount',
  'refundsAmount',
  'netAmount',
  'netSign',
]);

/**
 * Fields of a host's messages that are shown: ISO 8583:1987 defines their content. Private fields are not shown,
 * because a host may send keys in them; nor is free text of the host.
 */
const shownFromHost: ReadonlySet<number> = new Set([
  3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 22, 23, 24, 25, 37, 38, 39, 41, 42, 49, 50, 51, 66, 70, 71, 72,
  74, 75, 76, 77, 78, 79, 80, 81, 86, 87, 88, 89, 90, 97,
]);

/** Never shown, whatever the dialect: card numbers and their expiry, tracks, PIN blocks, keys, authentication codes. */
const neverShown: ReadonlySet<number> = new Set([2, 14, 20, 34, 35, 36, 45, 52, 53, 64, 96, 102, 103, 128]);

/** EMV objects that are shown. None of them has a card's number, name, expiry date or track, or encrypted data. */
const shownTags: ReadonlySet<string> = new Set<KnownTag>([
  '4F',
  '50',
  '5F2A',
  '5F34',
  '82',
  '84',
  '8A',
  '91',
  '95',
  '9A',
  '9B',
  '9C',
  '9F02',
  '9F03',
  '9F09',
  '9F10',
  '9F1A',
  '9F1E',
  '9F26',
  '9F27',
  '9F33',
  '9F34',
  '9F35',
  '9F36',
  '9F37',
  '9F39',
  '9F41',
]);

const chipField = 55;

/** Decodes messages of one host by its dialect, and keeps only what may be shown. */
export class MessageMask {
  readonly #dialect: Pick<Dialect, 'spec' | 'framing'>;
  /** By field: whether the terminal's own content may be shown. */
  readonly #written: ReadonlyMap<number, boolean>;
  /** Whether field 55 is a list of EMV objects. */
  readonly #hasObjects: boolean;
  readonly #secret: ReadonlySet<number>;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#secret = new Set([...dialect.secretFields, ...neverShown]);
    const contents = contentsOf(dialect);
    this.#written = new Map([...contents].map(([number, all]) => [number, all.every(isShown)]));
    const chip = contents.get(chipField) ?? [];
    this.#hasObjects = !this.#secret.has(chipField) && chip.every((each) => valuesIn(each).join() === 'emv');
  }

  ofSent(frame: Uint8Array): MaskedMessage {
    const { frames } = new FrameDecoder({ framing: this.#dialect.framing }).push(frame);
    const message = frames[0]?.message;
    if (!message) return { bytes: frame.length, parts: [], fault: 'it is no frame' };
    return this.#masked(message, (number) => this.#written.get(number) === true);
  }

  ofReceived(message: Uint8Array): MaskedMessage {
    // The host may repeat a secret that this terminal has written into a field.
    return this.#masked(message, (number) => shownFromHost.has(number) && this.#written.get(number) !== false);
  }

  #masked(bytes: Uint8Array, isClear: (field: number) => boolean): MaskedMessage {
    const numbers = Object.keys(this.#dialect.spec.fields).map(Number);
    const clear = new Set(numbers.filter((number) => isClear(number) && !this.#secret.has(number)));
    if (this.#hasObjects) clear.add(chipField);
    try {
      return this.#read(bytes, clear);
    } catch (error) {
      if (!(error instanceof Iso8583Error)) throw error;
      return this.#readLengths(bytes, error.message);
    }
  }

  /** If a field does not have its format: shows the lengths of all fields, and no value. */
  #readLengths(bytes: Uint8Array, fault: string): MaskedMessage {
    try {
      return { ...this.#read(bytes, new Set()), fault };
    } catch (error) {
      if (!(error instanceof Iso8583Error)) throw error;
      return { bytes: bytes.length, parts: [], fault };
    }
  }

  /** Fields that are not shown are not read. */
  #read(bytes: Uint8Array, clear: ReadonlySet<number>): MaskedMessage {
    const places: (readonly [number: number, length: number])[] = [];
    const onPart: PartListener = (number, start, end) => void places.push([number, end - start]);
    const spec: MessageSpec<FieldTable> = { ...this.#dialect.spec, used: () => clear };
    const { mti, fields } = unpack(spec, bytes, onPart);
    const values = fields as Readonly<Record<number, string | Uint8Array | undefined>>;
    const parts = places
      .filter(([number]) => number > 1)
      .map(([field, length]): MaskedPart => {
        const part = { field, name: fields1987[field]?.name ?? 'private', bytes: length };
        const value = values[field];
        if (value === undefined) return part;
        if (field !== chipField) return { ...part, value: shownText(value) };
        const objects = value instanceof Uint8Array ? objectsIn(value) : undefined;
        return objects ? { ...part, objects } : part;
      });
    return { mti, bytes: bytes.length, parts };
  }
}

/** The contents that this terminal writes into each field, in all of its messages. */
function contentsOf({ operations, reversal, settlement, trailer, upload, network }: Dialect) {
  const rows: readonly (Carrier | undefined)[] = [
    ...Object.values(operations),
    ...Object.values(network),
    reversal,
    settlement,
    trailer,
    upload,
  ];
  const contents = new Map<number, Content[]>();
  for (const { number, content } of rows.flatMap((row) => row?.fields ?? [])) {
    contents.set(number, [...(contents.get(number) ?? []), content]);
  }
  return contents;
}

function isShown(content: Content): boolean {
  return settingsIn(content).length === 0 && valuesIn(content).every((name) => shownValues.has(name));
}

/** Undefined if it is not a list of data objects. */
function objectsIn(bytes: Uint8Array): readonly MaskedObject[] | undefined {
  try {
    return parseTlv(bytes).map(({ tag, value }) => {
      const name = (tagNames as Readonly<Record<string, string>>)[tag] ?? 'not known';
      const object = { tag, name, bytes: value.length };
      return shownTags.has(tag) ? { ...object, value: shownText(value) } : object;
    });
  } catch (error) {
    if (error instanceof TlvError) return undefined;
    throw error;
  }
}

function shownText(value: string | Uint8Array): string {
  return typeof value === 'string' ? scrub(value) : scrubHex(value);
}
