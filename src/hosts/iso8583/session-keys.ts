import type { MacAlgorithm } from '../../base/domain/mac-algorithm.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import { hasCheckValue, unwrapKey } from '../../codecs/iso8583/wrapped-key.ts';
import type { HostMessage } from './dialect.ts';
import type { KeyPlace, PartPlace } from './dialects/dialect-schema.ts';
import type { KeyPair, MacKeys } from './mac-keys.ts';

export interface SessionKeySettings {
  /** Hexadecimal. */
  readonly keyEncryptingKey: string;
  /** An exchange of keys follows each sign-on. */
  readonly afterSignOn: boolean;
  /** A key is replaced after this number of hours; absent: never because of its age. */
  readonly everyH?: number | undefined;
}

interface SessionKeyOptions {
  readonly settings: SessionKeySettings;
  readonly algorithm: MacAlgorithm;
  readonly place: KeyPlace;
  readonly clock: MonotonicClock;
}

/** For this time after an exchange, a late answer may be under the former key. */
const lateMs = 300_000;
const hourMs = 3_600_000;
/** After this number of consecutive messages without an answer, the host may have another key. */
const unansweredMax = 2;

/** The working key that the host sends encrypted. It is kept in memory only. */
export class SessionKeys implements MacKeys {
  readonly #options: SessionKeyOptions;
  #current: KeyPair | undefined;
  #former: { readonly pair: KeyPair; readonly untilMs: number } | undefined;
  #sinceMs = 0;
  #isDoubtful = false;
  #unanswered = 0;

  constructor(options: SessionKeyOptions) {
    this.#options = options;
  }

  next(): KeyPair | undefined {
    return this.#current;
  }

  get recent(): readonly KeyPair[] {
    const former = this.#former && this.#options.clock.elapsedMs() < this.#former.untilMs ? [this.#former.pair] : [];
    return this.#current ? [this.#current, ...former] : former;
  }

  get followsSignOn(): boolean {
    return this.#options.settings.afterSignOn;
  }

  /** Whether messages must wait for an exchange. */
  get isMissing(): boolean {
    return this.#current === undefined || this.#isDoubtful;
  }

  /** Whether the key has reached its maximum age. */
  get isOld(): boolean {
    const { settings, clock } = this.#options;
    return settings.everyH !== undefined && clock.elapsedMs() - this.#sinceMs >= settings.everyH * hourMs;
  }

  /** Notes that the host seems to have another key. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Called when the exchange of a message has ended. A host that can't verify a message may not answer. */
  noteExchange(isAnswered: boolean): void {
    this.#unanswered = isAnswered ? 0 : this.#unanswered + 1;
    if (this.#unanswered >= unansweredMax) this.doubt();
  }

  /** Discards the present key for further messages. */
  drop(): void {
    this.#retire();
    this.#current = undefined;
  }

  /** Takes the key from an approved answer. False: the key is missing, or its check value does not match. */
  take({ fields }: HostMessage): boolean {
    const { settings, algorithm, place, clock } = this.#options;
    const wrapped = bytesAt(fields[place.field], place);
    const expected = bytesAt(fields[place.checkValue.field], place.checkValue);
    if (!wrapped || !expected) return false;
    const key = unwrapKey(algorithm, Buffer.from(settings.keyEncryptingKey, 'hex'), wrapped, place.mode);
    if (!hasCheckValue(algorithm, key, expected)) return false;
    this.#retire();
    this.#current = { request: key, answer: key };
    this.#sinceMs = clock.elapsedMs();
    this.#isDoubtful = false;
    this.#unanswered = 0;
    return true;
  }

  #retire(): void {
    if (!this.#current) return;
    this.#former = { pair: this.#current, untilMs: this.#options.clock.elapsedMs() + lateMs };
  }
}

/** Reads bytes of a field, which text has in hexadecimal. Undefined if the field does not have them. */
function bytesAt(value: string | Uint8Array | undefined, { at, bytes }: PartPlace): Uint8Array | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return value.length < at + bytes ? undefined : value.subarray(at, at + bytes);
  const text = value.slice(at, at + 2 * bytes);
  return text.length === 2 * bytes && /^[\dA-Fa-f]*$/.test(text) ? Buffer.from(text, 'hex') : undefined;
}
