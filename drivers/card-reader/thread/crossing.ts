import type {
  CardCompletion,
  CollectOutcome,
  EncryptedCard,
  PresentedCard,
} from '../../../src/base/ports/card-reader.ts';
import type { EncryptedPin, PinOutcome } from '../../../src/base/ports/pin-pad.ts';

/** Bytes by name in one buffer. The buffer is transferred, so the sending thread no longer has it. */
export interface Parcel {
  readonly contents: readonly (readonly [name: string, length: number])[];
  readonly buffer: ArrayBuffer;
}

type SentCard = Omit<PresentedCard, 'emv' | 'encrypted'> & { readonly scheme: EncryptedCard['scheme'] };

/** The outcome of a call to the reader, in the form that is sent to the main thread. */
export type SentOutcome =
  | Exclude<CollectOutcome, { kind: 'card' }>
  | { readonly kind: 'card'; readonly card: SentCard; readonly emv: Parcel; readonly encrypted: Parcel }
  | { readonly kind: 'pin'; readonly format: EncryptedPin['format']; readonly parcel: Parcel }
  | { readonly kind: 'agreed' | 'refused'; readonly emv: Parcel }
  | { readonly kind: 'lost' | 'shown' };

/** Moves the values into a buffer, and overwrites the originals. */
export function packParcel(values: Iterable<readonly [name: string, value: Uint8Array]>): Parcel {
  const all = [...values];
  const bytes = new Uint8Array(new ArrayBuffer(all.reduce((sum, [, value]) => sum + value.length, 0)));
  let at = 0;
  for (const [, value] of all) {
    bytes.set(value, at);
    at += value.length;
    value.fill(0);
  }
  return { contents: all.map(([name, value]) => [name, value.length]), buffer: bytes.buffer };
}

/** Copies the values out of the buffer, and overwrites the buffer. */
export function unpackParcel({ contents, buffer }: Parcel): Map<string, Uint8Array> {
  const bytes = new Uint8Array(buffer);
  const values = new Map<string, Uint8Array>();
  let at = 0;
  for (const [name, length] of contents) {
    values.set(name, bytes.slice(at, at + length));
    at += length;
  }
  bytes.fill(0);
  return values;
}

export function sendCollected(outcome: CollectOutcome): SentOutcome {
  if (outcome.kind !== 'card') return outcome;
  const { emv, encrypted, ...card } = outcome.card;
  const { scheme, ksn, track2, pan } = encrypted;
  return {
    kind: 'card',
    card: { ...card, scheme },
    emv: packParcel(emv),
    encrypted: packParcel([
      ['ksn', ksn],
      ['track2', track2],
      ['pan', pan],
    ]),
  };
}

export function sendPin(outcome: PinOutcome): SentOutcome {
  if (outcome.kind !== 'pin') return outcome;
  const { format, ksn, block } = outcome.pin;
  const parcel = packParcel([
    ['ksn', ksn],
    ['block', block],
  ]);
  return { kind: 'pin', format, parcel };
}

export function sendCompletion(completion: CardCompletion): SentOutcome {
  return completion.kind === 'lost' ? completion : { kind: completion.kind, emv: packParcel(completion.emv) };
}

/** The buffers to transfer. */
export function buffersOf(sent: SentOutcome): ArrayBuffer[] {
  if (sent.kind === 'card') return [sent.emv.buffer, sent.encrypted.buffer];
  if (sent.kind === 'pin') return [sent.parcel.buffer];
  return 'emv' in sent ? [sent.emv.buffer] : [];
}

/** Overwrites the data of an outcome that is no longer awaited. */
export function wipeSent(sent: SentOutcome): void {
  for (const buffer of buffersOf(sent)) new Uint8Array(buffer).fill(0);
}

export function receiveCollected(sent: SentOutcome): CollectOutcome {
  switch (sent.kind) {
    case 'card': {
      const { scheme, ...card } = sent.card;
      const [emv, bytes] = [unpackParcel(sent.emv), unpackParcel(sent.encrypted)];
      const of = (name: string) => bytes.get(name) ?? new Uint8Array();
      return {
        kind: 'card',
        card: { ...card, emv, encrypted: { scheme, ksn: of('ksn'), track2: of('track2'), pan: of('pan') } },
      };
    }
    case 'refused':
      if ('reason' in sent) return sent;
      throw unexpected();
    case 'tryAgain':
    case 'timeout':
    case 'cancelled':
      return sent;
    default:
      throw unexpected();
  }
}

export function receivePin(sent: SentOutcome): PinOutcome {
  if (sent.kind === 'cancelled' || sent.kind === 'timeout') return sent;
  if (sent.kind !== 'pin') throw unexpected();
  const bytes = unpackParcel(sent.parcel);
  const of = (name: string) => bytes.get(name) ?? new Uint8Array();
  return { kind: 'pin', pin: { format: sent.format, ksn: of('ksn'), block: of('block') } };
}

export function receiveCompletion(sent: SentOutcome): CardCompletion {
  if (sent.kind === 'lost') return { kind: 'lost' };
  if ((sent.kind !== 'agreed' && sent.kind !== 'refused') || !('emv' in sent)) throw unexpected();
  return { kind: sent.kind, emv: unpackParcel(sent.emv) };
}

function unexpected(): Error {
  return new Error('the thread of the reader gave the outcome of another call');
}
