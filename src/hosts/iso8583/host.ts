import { ksnBytes } from '../../base/domain/dukpt-counter.ts';
import type { AcquirerId, InitialNumbers } from '../../base/domain/identifiers.ts';
import type { EncryptedPin } from '../../base/ports/pin-pad.ts';
import type { LineReport, SecuredLine } from '../../base/domain/line-security.ts';
import { type Site, siteName } from '../../base/domain/site.ts';
import { pack } from '../../codecs/iso8583/message.ts';
import { tpdu } from '../../codecs/iso8583/tpdu.ts';
import {
  type AcquirerHost,
  type AdviceOrder,
  type AdviceOutcome,
  type HostOutcome,
  type LinkState,
  type OnlineOrder,
  type ReversalOrder,
  type ReversalOutcome,
  type SettlementOrder,
  type SettlementOutcome,
  type UploadOrder,
  UnsendableOrder,
  type UploadOutcome,
} from '../../payment/contracts/acquirer-host.ts';
import type { MonotonicClock } from '../../base/ports/clock.ts';
import type { LineMessageListener } from '../../payment/contracts/line-message.ts';
import type { KeyCounter } from '../../payment/contracts/key-counter.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import {
  adviceOutcome,
  hostOutcome,
  reversalOutcome,
  settlementOutcome,
  recognitionIn,
  uploadOutcome,
} from './answer.ts';
import type { RecognitionListener } from '../../payment/contracts/terminal-recognition.ts';
import type { Dial, HostAddress } from './dial.ts';
import {
  compileDialect,
  type Dialect,
  type DialectName,
  dialects,
  type HostMessage,
  operation,
  typesBeforeKey,
  uploadRow,
} from './dialect.ts';
import type { DialectFile } from './dialects/dialect-schema.ts';
import { lateAnswer } from './late.ts';
import { CardLine, type LineListener } from './line.ts';
import { HostLink, type LinkObserver } from './link.ts';
import { DukptKeys } from './dukpt-keys.ts';
import { fixedKeys, type MacKeys } from './mac-keys.ts';
import { type MacSettings, MessageMacs } from './message-macs.ts';
import { MessageMask } from './message-mask.ts';
import { NetworkManagement } from './network.ts';
import { Requests } from './request.ts';
import { sampleFaults } from './sample.ts';
import { SessionKeys } from './session-keys.ts';
import { totalsMax } from './totals.ts';
import type { SiteHost } from './site.ts';
import { SitedAcquirer, type SiteListeners } from './sites.ts';
import { checkIdentity, type TerminalIdentity } from './terminal-identity.ts';
import type { Limits } from '../../base/domain/capability.ts';

/** Field 4: n12. Field 49 can express every currency. */
export const iso8583Limits: Limits = { mostMinor: 999_999_999_999n };

export interface Iso8583Config extends HostAddress, SecuredLine, TerminalIdentity {
  readonly id: AcquirerId;
  /** Ten hexadecimal digits: '6000030000'. Absent for a dialect without one. */
  readonly tpdu?: string | undefined;
  readonly replyTimeoutMs: number;
  /** The interval of echoes to a silent host in seconds, if its dialect has an echo. Default: 60. */
  readonly echoS?: number | undefined;
  /** Absent: messages have no authentication code. */
  readonly mac?: MacSettings | undefined;
  /** A built-in dialect, or the content of a dialect file. Default: EDC. */
  readonly dialect?: DialectName | DialectFile;
  /** Codes of field 39 for "could not decide", if they differ from the dialect's. */
  readonly undecidedCodes?: readonly string[] | undefined;
  /** Codes of field 39 for "this terminal is not known", if they differ from the usual ones. */
  readonly unknownTerminalCodes?: readonly string[] | undefined;
  /** The host may approve a part of a sale. */
  readonly partialApproval?: boolean | undefined;
  /** If the host has several addresses: all of them in order. `host` and `port` are then the first. */
  readonly sites?: readonly Site[] | undefined;
  /** What one site has posted can be reversed, advised and settled at any other. */
  readonly sharedBooks?: boolean | undefined;
}

interface Iso8583HostOptions {
  readonly clock: MonotonicClock;
  /** Default: TCP, or TLS as configured in `security`. */
  readonly dial?: Dial;
  /** Receives late, repeated and unexpected answers, in order of arrival. Their requests already have an outcome. */
  readonly onLate?: (answer: LateAnswer) => void;
  /** Hears of each answer that tells whether the host knows this terminal. */
  readonly onRecognition?: RecognitionListener;
  /** Called when a fault of the line begins, changes or ends. */
  readonly onLine?: LineListener;
  /** Called when new payments go to another site. */
  readonly onSite?: (site: string) => void;
  /** Called with the first numbers that the host assigns in its answer to the sign-on. */
  readonly onNumbers?: (numbers: InitialNumbers) => void;
  /** Called with each message that is sent or received. It must not throw. */
  readonly onMessage?: LineMessageListener | undefined;
  /** The counter of the initial key, with `mac.key.dukpt`. */
  readonly keyCounter?: KeyCounter | undefined;
}

/** The options of a host that is one site of several. */
interface SiteParts extends Iso8583HostOptions, Partial<Pick<SiteListeners, 'onExchange' | 'isKept'>> {
  /** The DUKPT keys, shared by all sites. */
  readonly dukptKeys?: DukptKeys | undefined;
}

/** An acquirer reached by ISO 8583:1987 over TCP. The connection opens with the first request. Throws RangeError. */
export function iso8583Acquirer(config: Iso8583Config, options: Iso8583HostOptions): AcquirerHost {
  const { sites = [], sharedBooks: isShared = false } = config;
  const dukptKeys = dukptKeysOf(config, options);
  if (sites.length < 2) return new Iso8583Acquirer(config, { ...options, dukptKeys });
  const { clock, onLate, onLine, onSite } = options;
  return new SitedAcquirer({
    sites: sites.map(siteName),
    isShared,
    clock,
    open: (name, listeners) => {
      const site = sites.find((each) => siteName(each) === name);
      return new Iso8583Acquirer({ ...config, ...site }, { ...options, ...listeners, dukptKeys });
    },
    onLate: (answer) => onLate?.(answer),
    onLine: (report) => onLine?.(report),
    onUse: (site) => onSite?.(site),
  });
}

/**
 * An order that can't be encoded rejects with UnsendableOrder; a settlement or upload order rejects with RangeError or
 * Iso8583Error.
 */
class Iso8583Acquirer implements SiteHost {
  readonly id: AcquirerId;
  readonly mid: string;
  readonly tid: string;
  readonly batchMax: AcquirerHost['batchMax'];
  readonly limits = iso8583Limits;
  readonly #dialect: Dialect;
  readonly #requests: Requests;
  readonly #line: CardLine;
  readonly #link: HostLink;
  readonly #network: NetworkManagement;
  readonly #sessionKeys: SessionKeys | undefined;
  readonly #approvesInPart: boolean;
  readonly #onRecognition: RecognitionListener | undefined;
  readonly #onExchange: SiteParts['onExchange'];
  readonly #clock: MonotonicClock;
  readonly #dukptKeys: DukptKeys | undefined;

  constructor(
    config: Iso8583Config,
    {
      clock,
      dial,
      onLate,
      onRecognition,
      onLine,
      onNumbers,
      onMessage,
      onExchange,
      isKept = () => true,
      dukptKeys,
    }: SiteParts,
  ) {
    checkIdentity(config);
    this.id = config.id;
    this.mid = config.mid;
    this.tid = config.tid;
    this.#approvesInPart = config.partialApproval === true;
    this.#dialect = dialectOf(config);
    this.#onRecognition = onRecognition;
    this.#onExchange = onExchange;
    this.#clock = clock;
    this.#dukptKeys = dukptKeys;
    this.batchMax = totalsMax(this.#dialect.totals);
    this.#requests = new Requests(this.#dialect, config, dukptKeys && new Uint8Array(ksnBytes));
    this.#line = new CardLine(config, onLine);
    const sessionKeys = config.mac && sessionKeysOf(config.mac, this.#dialect, clock);
    this.#sessionKeys = sessionKeys;
    this.#network = new NetworkManagement({
      dialect: this.#dialect,
      requests: this.#requests,
      clock,
      echoMs: (config.echoS ?? 60) * 1_000,
      onSignOn: (fault) => this.#line.noteSignOn(fault, clock),
      onNumbers: (numbers) => onNumbers?.(numbers),
      keys: sessionKeys,
      onKeys: (fault) => this.#line.noteKeys(fault, clock),
    });
    const isManaged = this.#network.isUsed;
    this.#link = new HostLink({
      ...config,
      tpdu: tpduOf(config.tpdu, this.#dialect),
      dialect: this.#dialect,
      macs: config.mac && messageMacs(config.mac, this.#dialect, sessionKeys ?? dukptKeys),
      onMac: (isValid) => {
        this.#line.noteMac(isValid, clock);
        if (!isValid) sessionKeys?.doubt();
      },
      clock,
      dial: this.#withKey(dial ?? this.#line.dial),
      observer: onMessage && this.#observer(onMessage),
      onUnmatched: (message) => onLate?.(this.#late(message)),
      ...(isManaged ? { onBegin: (ask) => this.#network.begin(ask), onEnd: (ask) => this.#network.signOff(ask) } : {}),
    });
    this.#network.keep(keptLink(this.#link, isKept));
    // Reports an unusable counter before the first payment.
    void this.#prepareKey();
  }

  get canProve(): boolean {
    const { signOn, echo } = this.#dialect.network;
    return signOn !== undefined || echo !== undefined;
  }

  connect(): Promise<boolean> {
    return this.#link.open();
  }

  async probe(isFresh: boolean): Promise<boolean> {
    if (isFresh) this.#link.renew();
    if (!(await this.#link.open())) return false;
    const hears = await this.#network.hears(this.#link);
    if (!hears) this.#link.retreat();
    return hears;
  }

  get link(): LinkState {
    return this.#link.state;
  }

  get line(): LineReport {
    return this.#line.report;
  }

  async request(order: OnlineOrder): Promise<HostOutcome> {
    const request = this.#sendable(() => this.#requests.online(order));
    const exchange = await this.#exchange(request, operation(this.#dialect, order.operation).answerMti);
    switch (exchange.kind) {
      case 'answer':
        return hostOutcome(this.#dialect, order.operation, { request, answer: exchange.answer }, this.#approvesInPart);
      case 'notSent':
        return { kind: 'notSent', reason: this.#notSentReason() };
      case 'unknown':
        return exchange;
      default:
        return exchange satisfies never;
    }
  }

  #notSentReason(): 'host-down' | 'not-signed-on' | 'keys-unusable' {
    if (this.#line.lacksKeys) return 'keys-unusable';
    return this.#line.isReady ? 'host-down' : 'not-signed-on';
  }

  async reverse(order: ReversalOrder, repeat: boolean): Promise<ReversalOutcome> {
    const request = this.#sendable(() => this.#requests.reversal(order, repeat));
    // A repeat has the numbers of the reversal before it. "No record" may be the late answer to that one, from before
    // the original reached the host. On a connection of its own, an answer can only be to this question.
    const asksAfresh = !repeat || this.#link.state !== 'up';
    const outcome = await this.#askReversal(request);
    if (asksAfresh || outcome.kind !== 'noRecord') return outcome;
    if (!this.#link.renew()) return { kind: 'unanswered' };
    const decided = await this.#askReversal(request);
    // A host may serve one connection alone. Then the next repeat opens the only one.
    if (decided.kind === 'unanswered') this.#link.drop();
    return decided;
  }

  async #askReversal(request: HostMessage): Promise<ReversalOutcome> {
    const exchange = await this.#exchange(request, this.#dialect.reversal.answerMti);
    if (exchange.kind !== 'answer') return { kind: 'unanswered' };
    return reversalOutcome(this.#dialect, { request, answer: exchange.answer });
  }

  async advise(order: AdviceOrder, repeat: boolean): Promise<AdviceOutcome> {
    const request = this.#sendable(() => this.#requests.advice(order, repeat));
    const exchange = await this.#exchange(request, operation(this.#dialect, order.operation).answerMti);
    if (exchange.kind === 'notSent') return exchange;
    if (exchange.kind === 'unknown') return { kind: 'unanswered' };
    return adviceOutcome(this.#dialect, { request, answer: exchange.answer }, repeat);
  }

  sendsPin(operation: OnlineOrder['operation'], format?: EncryptedPin['format']): boolean {
    return this.#requests.sendsPin(operation, format);
  }

  get repeatsSettlements(): boolean {
    return this.#dialect.settlement.repeatMti !== undefined;
  }

  async settle(order: SettlementOrder): Promise<SettlementOutcome> {
    const request = this.#requests.settlement({ at: this.#clock.now(), ...order });
    const { answerMti } = order.trailer ? uploadRow(this.#dialect, 'trailer') : this.#dialect.settlement;
    const exchange = await this.#exchange(request, answerMti);
    switch (exchange.kind) {
      case 'answer':
        return settlementOutcome(this.#dialect, { request, answer: exchange.answer });
      case 'notSent':
        return exchange;
      case 'unknown':
        return { kind: 'unanswered' };
      default:
        return exchange satisfies never;
    }
  }

  async upload(order: UploadOrder, repeat: boolean): Promise<UploadOutcome> {
    const request = this.#requests.upload(order, repeat);
    const exchange = await this.#exchange(request, uploadRow(this.#dialect, 'upload').answerMti);
    if (exchange.kind === 'notSent') return exchange;
    if (exchange.kind === 'unknown') return { kind: 'unanswered' };
    return uploadOutcome(this.#dialect, { request, answer: exchange.answer });
  }

  close(): Promise<void> {
    this.#network.stop();
    return this.#link.close();
  }

  /** Connects only if there is a key for the next message: without one, even a sign-on could not be sent. */
  #withKey(dial: Dial): Dial {
    if (!this.#dukptKeys) return dial;
    return async (...parameters) => ((await this.#prepareKey()) ? dial(...parameters) : undefined);
  }

  /** Whether the next message has a key. Always true without DUKPT. */
  async #prepareKey(): Promise<boolean> {
    if (!this.#dukptKeys) return true;
    const fault = await this.#dukptKeys.prepare();
    this.#line.noteKeys(fault, this.#clock);
    return fault === undefined;
  }

  async #exchange(request: HostMessage, answerMti: string): ReturnType<HostLink['exchange']> {
    if (this.#dukptKeys && !(await this.#prepareKey())) return { kind: 'notSent' };
    const exchangeOfKeys = this.#sessionKeys && this.#network.prepare(this.#link);
    if (exchangeOfKeys && !(await exchangeOfKeys)) return { kind: 'notSent' };
    const exchange = await this.#link.exchange(request, answerMti);
    const isOver = exchange.kind === 'notSent' || (exchange.kind === 'unknown' && exchange.reason === 'interrupted');
    if (!isOver) {
      this.#onExchange?.(exchange.kind === 'answer');
      this.#sessionKeys?.noteExchange(exchange.kind === 'answer');
    }
    const code = exchange.kind === 'answer' ? exchange.answer.fields[39] : undefined;
    if (code !== undefined && this.#dialect.codes.keysOutOfStep.includes(code)) this.#network.renewKeys(this.#link);
    const recognition =
      exchange.kind === 'answer' && recognitionIn(this.#dialect, { request, answer: exchange.answer });
    if (recognition) this.#onRecognition?.({ acquirerId: this.id, ...recognition });
    return exchange;
  }

  #late(message: HostMessage): LateAnswer {
    const reversing = this.#link.awaits(this.#dialect.reversal.answerMti, message);
    const { id: acquirerId, tid } = this;
    return lateAnswer(message, reversing, { acquirerId, tid, dialect: this.#dialect, requests: this.#requests });
  }

  /** A message is decoded only when the listener asks for it, during the call. Its bytes are not kept. */
  #observer(onMessage: LineMessageListener): LinkObserver {
    const { id: acquirerId } = this;
    let mask: MessageMask | undefined;
    const maskOf = () => (mask ??= new MessageMask(this.#dialect));
    return {
      sent: (frame) => onMessage({ acquirerId, direction: 'sent', masked: () => maskOf().ofSent(frame) }),
      received: (bytes) => onMessage({ acquirerId, direction: 'received', masked: () => maskOf().ofReceived(bytes) }),
    };
  }

  /** If no message can be built, nothing is sent: the caller, above all the queue, must know. */
  #sendable(made: () => HostMessage): HostMessage {
    try {
      const request = made();
      pack(this.#dialect.spec, request);
      return request;
    } catch (error) {
      throw new UnsendableOrder((error as Error).message);
    }
  }
}

/** A connection that is kept open only while `isKept` returns true. */
function keptLink(link: HostLink, isKept: () => boolean): Parameters<NetworkManagement['keep']>[0] {
  return {
    open: async () => isKept() && link.open(),
    drop: () => link.drop(),
    get silentMs() {
      return link.silentMs;
    },
    get state() {
      return link.state;
    },
    get isIdle() {
      return link.isIdle;
    },
    exchange: (request, answerMti) => link.exchange(request, answerMti),
  };
}

/** The dialect with the codes of this configuration. Throws RangeError if one of its messages can't be built. */
function dialectOf({ id, dialect: named = 'EDC', undecidedCodes, unknownTerminalCodes }: Iso8583Config): Dialect {
  const dialect = typeof named === 'string' ? dialects[named] : compileDialect(named);
  const [unbuilt] = typeof named === 'string' ? [] : sampleFaults(named, dialect);
  if (unbuilt) throw new RangeError(`the dialect of ${id}: messages.${unbuilt.kind}: ${unbuilt.message}`);
  const { undecided, terminalUnknown } = dialect.codes;
  const codes = {
    ...dialect.codes,
    undecided: undecidedCodes ?? undecided,
    terminalUnknown: unknownTerminalCodes ?? terminalUnknown,
  };
  return { ...dialect, codes };
}

/** Throws RangeError. */
function tpduOf(text: string | undefined, { framing }: Dialect): Uint8Array {
  if (!framing.hasTpdu) return new Uint8Array(0);
  if (text === undefined) throw new RangeError('the messages of this host have a TPDU');
  return tpdu(text);
}

/** Undefined if the key is fixed. Throws RangeError for a dialect without `keyExchange`. */
function sessionKeysOf(
  { algorithm, key: { session: settings } }: MacSettings,
  { keyPlace: place }: Dialect,
  clock: MonotonicClock,
): SessionKeys | undefined {
  if (!settings) return undefined;
  if (!place) throw new RangeError('this host has no keyExchange');
  return new SessionKeys({ settings, algorithm, place, clock });
}

/** Undefined without `mac.key.dukpt`. Throws RangeError. */
function dukptKeysOf(
  { mac }: Pick<Iso8583Config, 'mac'>,
  { keyCounter }: Pick<Iso8583HostOptions, 'keyCounter'>,
): DukptKeys | undefined {
  if (!mac?.key.dukpt) return undefined;
  if (!keyCounter) throw new RangeError('keys that are used only once need a counter');
  return new DukptKeys(mac.key.dukpt, keyCounter);
}

/** Throws RangeError. */
function messageMacs(
  settings: MacSettings,
  dialect: Dialect,
  renewed: SessionKeys | DukptKeys | undefined,
): MessageMacs {
  const { fixed } = settings.key;
  const keys: MacKeys | undefined = renewed ?? (fixed === undefined ? undefined : fixedKeys(fixed));
  if (!keys) throw new RangeError('authentication codes need a key');
  const { spec, ksnField } = dialect;
  if (renewed instanceof DukptKeys && !ksnField) throw new RangeError('this host has no field for a key serial number');
  const without = renewed instanceof SessionKeys ? typesBeforeKey(dialect) : [];
  return new MessageMacs({ settings, spec, keys, without, ksnField });
}
