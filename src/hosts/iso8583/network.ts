import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { InitialNumbers } from '../../base/domain/identifiers.ts';
import type { Dialect, HostMessage, NetworkMessage } from './dialect.ts';
import type { NumbersPlace } from './dialects/dialect-schema.ts';
import type { Ask, HostLink } from './link.ts';
import type { Requests } from './request.ts';
import type { SessionKeys } from './session-keys.ts';

export type SignOnFault = 'signOnRefused' | 'signOnNotAnswered';
export type KeyFault = 'keyExchangeRefused' | 'keyExchangeNotAnswered' | 'keyCheckFailed';

/** The connection that is kept open. */
type KeptLink = Pick<HostLink, 'open' | 'drop' | 'silentMs' | 'exchange' | 'state' | 'isIdle'>;

interface NetworkOptions {
  readonly dialect: Pick<Dialect, 'network' | 'codes' | 'numbersPlace'>;
  readonly requests: Pick<Requests, 'network'>;
  readonly clock: MonotonicClock;
  /** A host that is silent for this time gets an echo. */
  readonly echoMs: number;
  /** Called after each sign-on; undefined: it was accepted. */
  readonly onSignOn: (fault: SignOnFault | undefined) => void;
  /** Called with the first numbers that an accepted sign-on assigns. */
  readonly onNumbers: (numbers: InitialNumbers) => void;
  /** Absent: the host sends no keys. */
  readonly keys?: SessionKeys | undefined;
  /** Called after each exchange of keys; undefined: there is a new key. */
  readonly onKeys: (fault: KeyFault | undefined) => void;
}

/** Time limit of a sign-off: the host need not answer it. */
const signOffMs = 2_000;
const stanMax = 999_999;

/**
 * The network management messages (ISO 8583:1987, 0800): a sign-on before anything else, an echo while the host is
 * silent, a sign-off before the terminal ends the connection. Each is sent only if the dialect has it. With session
 * keys, an exchange of keys follows the sign-on if there is no key. A key in use is replaced while nothing is in
 * flight.
 */
export class NetworkManagement {
  readonly #options: NetworkOptions;
  #timer: unknown;
  /** An exchange of keys on the connection in use. */
  #renewing: Promise<boolean> | undefined;
  #stan: number;
  #isOver = false;

  constructor(options: NetworkOptions) {
    this.#options = options;
    // The numbers differ from those of an earlier process, which a host may remember. They are not those of payments.
    this.#stan = Math.floor(options.clock.now().getTime() / 1_000) % stanMax;
  }

  /** Whether the host has any network management message. */
  get isUsed(): boolean {
    const { dialect, keys } = this.#options;
    const { signOn, echo, signOff } = dialect.network;
    return (signOn ?? echo ?? signOff) !== undefined || keys !== undefined;
  }

  /** Signs on, and requests a key if there is none. Returns false if the connection must not be used. */
  async begin(ask: Ask): Promise<boolean> {
    if (!(await this.#signOn(ask))) return false;
    const { keys, dialect } = this.#options;
    const isDue = keys?.isMissing === true || (keys?.followsSignOn === true && dialect.network.signOn !== undefined);
    return isDue ? this.#exchangeKeys(ask) : true;
  }

  /** The exchange of keys that a request must wait for; undefined: none. Resolves to false if it fails. */
  prepare(link: KeptLink): Promise<boolean> | undefined {
    if (this.#options.keys?.isMissing === true && link.state === 'up') this.#renew(link);
    return this.#renewing;
  }

  /** The host has another key: begins an exchange of keys. */
  renewKeys(link: KeptLink): void {
    this.#options.keys?.doubt();
    if (this.#options.keys && link.state === 'up') this.#renew(link);
  }

  #renew(link: KeptLink): void {
    this.#renewing ??= this.#replaceKey(link).then((isDone) => {
      // The next connection begins with another exchange.
      if (!isDone) link.drop();
      this.#renewing = undefined;
      return isDone;
    });
  }

  /** Opens the connection again if it counts as dead. This also requests a missing key. */
  async #replaceKey(link: KeptLink): Promise<boolean> {
    const { keys } = this.#options;
    const wasMissing = keys?.isMissing === true;
    if (!(await link.open())) return false;
    return wasMissing && !keys.isMissing ? true : this.#exchangeKeys(askOf(link));
  }

  async #exchangeKeys(ask: Ask): Promise<boolean> {
    const { keys, dialect, onKeys } = this.#options;
    const exchange = await this.#ask('keyExchange', ask);
    const fault = ((): KeyFault | undefined => {
      if (exchange.kind !== 'answer') return 'keyExchangeNotAnswered';
      if (!dialect.codes.approved.includes(exchange.answer.fields[39] ?? '')) return 'keyExchangeRefused';
      return keys?.take(exchange.answer) === true ? undefined : 'keyCheckFailed';
    })();
    if (fault) keys?.drop();
    // The terminal itself has ended the connection.
    if (fault === 'keyExchangeNotAnswered' && this.#isOver) return false;
    onKeys(fault);
    return fault === undefined;
  }

  async #signOn(ask: Ask): Promise<boolean> {
    if (!this.#options.dialect.network.signOn) return true;
    const exchange = await this.#ask('signOn', ask);
    if (exchange.kind === 'answer') {
      const { dialect, onNumbers } = this.#options;
      const isAccepted = dialect.codes.approved.includes(exchange.answer.fields[39] ?? '');
      this.#options.onSignOn(isAccepted ? undefined : 'signOnRefused');
      const { numbersPlace } = dialect;
      const numbers = isAccepted && numbersPlace ? readInitialNumbers(exchange.answer, numbersPlace) : undefined;
      if (numbers) onNumbers(numbers);
      return isAccepted;
    }
    this.#options.onSignOn('signOnNotAnswered');
    return false;
  }

  /** Signs off, with a time limit. */
  async signOff(ask: Ask): Promise<void> {
    const { clock, dialect } = this.#options;
    if (!dialect.network.signOff) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimeout(resolve, signOffMs);
    await Promise.race([this.#ask('signOff', ask), late]);
    clock.clearTimeout(timer);
  }

  /**
   * Keeps a connection open, and sends an echo while the host is silent. If it is not answered, replaces the
   * connection.
   */
  keep(link: KeptLink): void {
    if (!this.isUsed || this.#isOver) return;
    const { clock, echoMs, dialect, keys } = this.#options;
    const look = async () => {
      if (!(await link.open())) return;
      if (keys && (keys.isOld || keys.isMissing) && link.isIdle) this.#renew(link);
      await this.#renewing;
      if (!dialect.network.echo || link.silentMs < echoMs) return;
      if ((await this.#ask('echo', askOf(link))).kind !== 'answer') link.drop();
    };
    // An exchange reports its faults by its result.
    void look().then(() => {
      const waitMs = dialect.network.echo ? Math.max(1_000, echoMs - link.silentMs) : echoMs;
      if (!this.#isOver) this.#timer = clock.setTimeout(() => this.keep(link), Math.min(waitMs, echoMs));
    });
  }

  /** Whether the host answers an echo on this open connection; true if the dialect has no echo. */
  async hears(link: Pick<HostLink, 'exchange'>): Promise<boolean> {
    if (!this.#options.dialect.network.echo) return true;
    return (await this.#ask('echo', (request, answerMti) => link.exchange(request, answerMti))).kind === 'answer';
  }

  /** Ends the echoes. */
  stop(): void {
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  #ask(name: NetworkMessage, ask: Ask): ReturnType<Ask> {
    const { requests, clock, dialect } = this.#options;
    this.#stan = (this.#stan % stanMax) + 1;
    const request: HostMessage = requests.network(name, this.#stan, clock.now());
    return ask(request, dialect.network[name]?.answerMti ?? '');
  }
}

function askOf(link: KeptLink): Ask {
  return (request, answerMti) => link.exchange(request, answerMti);
}

/**
 * Reads the first numbers that a host assigns in its answer to a sign-on. Omits those that the answer does not have, or
 * that are not from 1 to 999999. Undefined if none remains.
 */
export function readInitialNumbers({ fields }: HostMessage, places: NumbersPlace): InitialNumbers | undefined {
  const numbers: { -readonly [Name in keyof InitialNumbers]: InitialNumbers[Name] } = {};
  for (const name of ['batch', 'invoice', 'stan'] as const) {
    const place = places[name];
    const value = place && fields[place.field];
    if (!place || typeof value !== 'string') continue;
    const text = value.slice(place.at, place.at + place.digits);
    if (text.length === place.digits && /^\d+$/.test(text) && Number(text) > 0) numbers[name] = Number(text);
  }
  return Object.keys(numbers).length === 0 ? undefined : numbers;
}
