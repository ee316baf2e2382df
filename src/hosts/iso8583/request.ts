import type { Amount } from '../../base/domain/amount.ts';
import { numericCode } from '../../base/domain/currency.ts';
import type {
  AdviceOrder,
  CardAtHand,
  CardReference,
  OnlineOrder,
  OriginalReference,
  ReversalOrder,
  SettlementOrder,
  UploadOrder,
} from '../../payment/contracts/acquirer-host.ts';
import type { TraceNumbers } from '../../base/domain/identifiers.ts';
import { fieldValue, type Values } from './content.ts';
import { valuesIn } from './dialects/content-schema.ts';
import type { ValueName } from './dialects/values.ts';
import { type Carrier, type Dialect, type HostMessage, type NetworkMessage, operation, uploadRow } from './dialect.ts';
import { amountDigits, digits, totalsDigits } from './totals.ts';
import { localTime, type TerminalIdentity } from './terminal-identity.ts';
import { encodeTlv } from '../../codecs/emv/tlv.ts';
import type { EmvData } from '../../base/ports/card-reader.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';

/** Marks the reader's encrypted objects, whatever the cipher (fixtures/README.md). */
const encryptedMarker = 0xc1;

/** Key serial numbers of TDES DUKPT (ANSI X9.24-1:2009) and AES DUKPT (X9.24-3:2017). */
const ksnBytes: readonly number[] = [10, 12];

/** The values that have a PIN block of each format. */
const pinValues: Readonly<Record<EncryptedPin['format'], readonly ValueName[]>> = {
  'ISO-0': ['pinBlock', 'wholePinBlock'],
  'ISO-4': ['cardData', 'wholePinBlock'],
};

const cipherBytesMax = 127;

/** Bytes of a PIN block and of its key's serial number: format 0 is under TDES DUKPT, format 4 under AES DUKPT. */
const pinForms = { 'ISO-0': { block: 8, ksn: 10 }, 'ISO-4': { block: 16, ksn: 12 } } as const;

/**
 * Field 48 of a card that was just presented: track 2 data (EMV tag 57), then the serial number of its PIN key, and the
 * PIN block itself if field 52 has no room for it. Throws RangeError.
 */
function trackEnvelope({ ksn, encryptedTrack2, pin }: CardAtHand): Uint8Array {
  const track = envelope(0x57, ksn, encryptedTrack2);
  if (!pin) return track;
  const key = encodeTlv([['DFEE51', checkPin(pin).ksn]]);
  if (pin.format === 'ISO-0') return Buffer.concat([track, key]);
  return Buffer.concat([track, key, Uint8Array.of(0x99, encryptedMarker, pin.block.length), pin.block]);
}

/**
 * Field 52: a PIN block of format 0, eight bytes. A block of format 4 is in field 48 (fixtures/README.md). Throws
 * RangeError.
 */
function pinBlock(pin: EncryptedPin | undefined): Uint8Array | undefined {
  return pin?.format === 'ISO-0' ? checkPin(pin).block : undefined;
}

function checkPin(pin: EncryptedPin): EncryptedPin {
  const { block, ksn } = pinForms[pin.format];
  if (pin.block.length !== block) throw new RangeError(`a PIN block of ${pin.format} has ${block} bytes`);
  if (pin.ksn.length !== ksn) throw new RangeError(`the serial number of its PIN key has ${ksn} bytes`);
  return pin;
}

/** Numbers of records have four digits. */
const recordNumbers = 10_000;

/** Field 48 of a message that refers to an earlier card: only the card number (EMV tag 5A). Throws RangeError. */
function numberEnvelope({ ksn, encryptedPan }: CardReference): Uint8Array {
  return envelope(0x5a, ksn, encryptedPan);
}

/**
 * The reader's own objects unchanged, `DFEE12 <KSN> <tag> C1 <length> <ciphertext>`. Assumed layout
 * (fixtures/README.md): each real host has its own envelope. Throws RangeError for data that no reader can produce.
 */
function envelope(tag: 0x57 | 0x5a, ksn: Uint8Array, ciphertext: Uint8Array): Uint8Array {
  if (!ksnBytes.includes(ksn.length)) {
    throw new RangeError(`a key serial number has 10 or 12 bytes, not ${ksn.length}`);
  }
  if (ciphertext.length === 0 || ciphertext.length > cipherBytesMax) {
    throw new RangeError(`card ciphertext has 1 to ${cipherBytesMax} bytes, not ${ciphertext.length}`);
  }
  const key = encodeTlv([['DFEE12', ksn]]);
  return Buffer.concat([key, Uint8Array.of(tag, encryptedMarker, ciphertext.length), ciphertext]);
}

type PresentedOrder = Extract<OnlineOrder, { readonly card: CardAtHand }>;

/** The processing code and the type of a message's operation, or of its original's. */
type Subject = Pick<Values, 'processingCode' | 'originalType'>;

/**
 * Builds the messages of one terminal to one host. Each method throws RangeError for an order that can't be encoded.
 */
export class Requests {
  readonly #dialect: Dialect;
  readonly #terminal: TerminalIdentity;
  readonly #macKsn: Uint8Array | undefined;

  /** `macKsn`: a placeholder for the serial number of the key, which is known when the code is added. */
  constructor(dialect: Dialect, terminal: TerminalIdentity, macKsn?: Uint8Array) {
    this.#dialect = dialect;
    this.#terminal = terminal;
    this.#macKsn = macKsn;
  }

  /** 0100 and 0200. */
  online(order: OnlineOrder): HostMessage {
    const row = operation(this.#dialect, order.operation);
    const code = processingCode(this.#dialect, row.processingCode, order.card);
    return this.#message(row.mti, row, { ...this.#common(order), processingCode: code, ...this.#online(order, row) });
  }

  /** Whether the message of this operation has a PIN block of this format, or of any if none is given. */
  sendsPin(name: OnlineOrder['operation'], format?: EncryptedPin['format']): boolean {
    const { fields } = operation(this.#dialect, name);
    const wanted = format ? pinValues[format] : [...pinValues['ISO-0'], ...pinValues['ISO-4']];
    return fields.some(({ content }) => valuesIn(content).some((value) => wanted.includes(value)));
  }

  /** 0220, or 0221 for a repeat. */
  advice(order: AdviceOrder, repeat: boolean): HostMessage {
    const row = operation(this.#dialect, order.operation);
    const code = processingCode(this.#dialect, row.processingCode, order.card);
    const values = { ...this.#common(order), ...numberValues(order.card), processingCode: code };
    return this.#message(repeat ? row.repeatMti : row.mti, row, { ...values, ...this.#advice(order, row) });
  }

  /** 0400, or 0401 for a repeat: the original's fields, but never its track or PIN. */
  reversal(order: ReversalOrder, repeat: boolean): HostMessage {
    const { mti, repeatMti, repeats, reasons, fields, emvTags } = this.#dialect.reversal;
    const original = operation(this.#dialect, order.operation);
    const subject: Subject = {
      processingCode: processingCode(this.#dialect, original.processingCode, order.card),
      originalType: original.mti,
    };
    const own = new Set(fields.map(({ number }) => number));
    const shared = original.fields.filter(({ number }) => repeats.includes(number) && !own.has(number));
    const values = { ...this.#common(order), ...numberValues(order.card), ...subject };
    const all = { fields: [...shared, ...fields], emvTags };
    return this.#message(repeat ? repeatMti : mti, all, {
      ...values,
      originalStan: digits(order.trace.stan, 6),
      rrn: order.rrn,
      reversalReason: reasons?.[order.reason ?? 'other'],
    });
  }

  /** 0500, or 0501 for a repeat: the totals of a batch; as a trailer, sent after an upload. */
  settlement({ stan, batch, totals, trailer, at, repeat }: SettlementOrder): HostMessage {
    const row = trailer ? uploadRow(this.#dialect, 'trailer') : this.#dialect.settlement;
    const { sales, refunds } = totals;
    const net = sales.minor - refunds.minor;
    return this.#message(repeat ? (row.repeatMti ?? row.mti) : row.mti, row, {
      ...this.#identity(),
      ...this.#times(at),
      processingCode: row.processingCode,
      stan: digits(stan, 6),
      currency: numericCode(totals.currency),
      currencyCode: totals.currency,
      batch: digits(batch, 6),
      totals: totalsDigits(this.#dialect.totals, totals),
      salesCount: digits(sales.count, 6),
      salesAmount: amountDigits(sales.minor),
      refundsCount: digits(refunds.count, 6),
      refundsAmount: amountDigits(refunds.minor),
      netAmount: amountDigits(net < 0n ? -net : net),
      netSign: net < 0n ? 'D' : 'C',
    });
  }

  /** 0800: network management. Throws RangeError if the host has no such message. */
  network(name: NetworkMessage, stan: number, at: Date): HostMessage {
    const row = this.#dialect.network[name] ?? noSuch(name);
    const values = { ...this.#identity(), ...this.#times(at), processingCode: row.processingCode };
    return this.#message(row.mti, row, { ...values, stan: digits(stan, 6) });
  }

  /** 0320, or 0321 for a repeat: one transaction of the batch, with its present amount. */
  upload(order: UploadOrder, repeat: boolean): HostMessage {
    const upload = uploadRow(this.#dialect, 'upload');
    const { card, original, stan, place } = order;
    const row = operation(this.#dialect, order.operation);
    const code = processingCode(this.#dialect, row.processingCode, card);
    return this.#message(repeat ? upload.repeatMti : upload.mti, upload, {
      ...this.#common({ ...order, trace: { ...original.trace, stan } }),
      ...referring(order),
      ...numberValues(card),
      processingCode: place.number < place.count ? code.slice(0, -1) + upload.moreDigit : code,
      originalType: row.mti,
      originalStan: digits(original.trace.stan, 6),
      uploadNumber: digits(place.number % recordNumbers, 4),
      uploadCount: digits(place.count % recordNumbers, 4),
    });
  }

  #message(mti: string, { fields }: Carrier, values: Values): HostMessage {
    const material = { values: { ...values, macKsn: this.#macKsn }, settings: this.#terminal.values ?? {} };
    const filled = fields.map((field) => {
      const value = fieldValue(field.content, material, field);
      if (value === undefined && field.isRequired) throw new RangeError(`there is no value for field ${field.number}`);
      return [field.number, value] as const;
    });
    return { mti, fields: Object.fromEntries(filled) };
  }

  #identity(): Values {
    const { nii, tid, mid, countryNumeric } = this.#terminal;
    return { nii, tid, mid, country: countryNumeric };
  }

  #times(at: Date | undefined): Values {
    if (!at) return {};
    const { time, date, year } = localTime(at, this.#terminal.timeZone);
    return { time, date, year, dateTimeUtc: at.toISOString().replaceAll(/\D/g, '').slice(4, 14) };
  }

  /** The values common to all messages, except the card's number and track. */
  #common(order: { trace: TraceNumbers; amount: Amount; card: CardReference; at?: Date | undefined }): Values {
    const { trace, amount, card, at } = order;
    return {
      ...this.#identity(),
      ...this.#times(at),
      amount: amountDigits(amount.minor),
      stan: digits(trace.stan, 6),
      batch: digits(trace.batch, 6),
      entryMode: this.#dialect.entryModes[card.entryMode],
      panSequence: card.panSequenceNumber?.padStart(3, '0'),
      currency: numericCode(amount.currency),
      currencyCode: amount.currency,
      invoice: digits(trace.invoice, 6),
    };
  }

  #online(order: OnlineOrder, row: Carrier): Values {
    if ('original' in order) {
      const { original } = order;
      return {
        ...numberValues(order.card),
        ...referringByInvoice(order),
        originalType: original.operation && operation(this.#dialect, original.operation).mti,
        originalStan: digits(original.trace.stan, 6),
        originalIfUnknown: this.#originalData(original),
      };
    }
    return {
      ...trackValues(order.card),
      ...this.#pin(order.card),
      ...(this.#dialect.debit ? { cash: cash(order) } : { tip: tip(order) }),
      emv: chipData(row.emvTags, this.#terminal, order.card.emv),
    };
  }

  /** Message type and trace number of an original without the host's own number, as an upload has them. */
  #originalData({ operation: name, trace, rrn }: OriginalReference): string | undefined {
    if (rrn !== '' || name === undefined) return undefined;
    return operation(this.#dialect, name).mti + digits(trace.stan, 6);
  }

  #pin({ pin }: CardAtHand): Values {
    if (!pin && this.#dialect.debit) throw new RangeError('this host requires a PIN');
    return { pinBlock: pinBlock(pin), wholePinBlock: pin && checkPin(pin).block, pinKsn: pin?.ksn };
  }

  #advice(order: AdviceOrder, row: Carrier): Values {
    switch (order.operation) {
      case 'offlineSale': {
        const emv = chipData(row.emvTags, this.#terminal, order.card.emv);
        return { approvalCode: order.approvalCode, tip: tip(order), emv };
      }
      case 'completion':
        return { ...referring(order), originalAmount: amountDigits(order.original.amount.minor) };
      case 'tipAdjust':
        return {
          ...referringByInvoice(order),
          tip: tip(order),
          originalAmount: amountDigits(order.original.amount.minor),
        };
      default:
        return order satisfies never;
    }
  }
}

function noSuch(name: NetworkMessage): never {
  throw new RangeError(`this host has no ${name}`);
}

function trackValues(card: CardAtHand): Values {
  const { ksn, encryptedTrack2 } = card;
  return { cardData: trackEnvelope(card), ksn, encryptedTrack2 };
}

function numberValues(card: CardReference): Values {
  const { ksn, encryptedPan } = card;
  return { cardData: numberEnvelope(card), ksn, encryptedPan };
}

function tip({ tipMinor }: { readonly tipMinor?: bigint }): string | undefined {
  return tipMinor === undefined ? undefined : amountDigits(tipMinor);
}

/** Field 54 of a debit host. There is only one, so a tip has no place beside the cash. */
function cash({ amount, card, tipMinor }: PresentedOrder): string | undefined {
  if (tipMinor !== undefined) throw new RangeError('this host accepts no tip');
  const minor = cashback(card);
  if (minor === undefined) return undefined;
  if (minor > amount.minor) throw new RangeError('the cash is more than the whole amount');
  return amountDigits(minor);
}

/** The host's data of the original. Data that the host left out can't be repeated. */
function referring({ amount, original }: { amount: Amount; original: OriginalReference }): Values {
  // One field 49 applies to both amounts.
  if (amount.currency !== original.amount.currency) throw new RangeError('the original has another currency');
  const { hostTime, hostDate, rrn, approvalCode } = original;
  return {
    hostTime: textOrNothing(hostTime),
    hostDate: textOrNothing(hostDate),
    rrn: textOrNothing(rrn),
    approvalCode: textOrNothing(approvalCode),
    originalStan: digits(original.trace.stan, 6),
  };
}

/**
 * As `referring`, for messages whose field 62 also names the original: their reversal can repeat it from `trace` only.
 */
function referringByInvoice(order: { trace: TraceNumbers; amount: Amount; original: OriginalReference }): Values {
  const { trace, original } = order;
  if (trace.invoice !== original.trace.invoice) throw new RangeError("the invoice number is not the original's");
  return referring(order);
}

function textOrNothing(text: string): string | undefined {
  return text === '' ? undefined : text;
}

/**
 * Field 55; undefined for a card without a chip, which has no cryptogram. A magstripe has some EMV objects too, such as
 * 9F39. Objects that the dialect does not list are not sent.
 */
function chipData(tags: readonly string[], terminal: TerminalIdentity, emv: EmvData): Uint8Array | undefined {
  if (!emv.has('9F26')) return undefined;
  const country = terminal.countryNumeric === undefined ? undefined : Buffer.from(`0${terminal.countryNumeric}`, 'hex');
  const objects = tags.flatMap((tag): [string, Uint8Array][] => {
    const value = emv.get(tag) ?? (tag === '9F1A' ? country : undefined);
    return value === undefined ? [] : [[tag, value]];
  });
  return encodeTlv(objects);
}

/**
 * Field 3: `base` with the choices of a debit card's customer. A message that refers to an earlier card gets the same
 * code, because the reference keeps the choices. Throws RangeError for an unknown or missing choice.
 */
function processingCode({ debit }: Dialect, base: string, card: CardReference): string {
  const cash = cashback(card);
  if (!debit) {
    if (card.account !== undefined || cash !== undefined)
      throw new RangeError('this host has no accounts and no cash back');
    return base;
  }
  if (card.account === undefined) throw new RangeError('this host needs an account');
  return (cash === undefined ? base.slice(0, 2) : debit.cashbackType) + debit.accounts[card.account] + base.slice(4);
}

/** The cashback amount in minor units; undefined also for zero. */
function cashback({ cashbackMinor }: CardReference): bigint | undefined {
  return cashbackMinor === 0n ? undefined : cashbackMinor;
}
