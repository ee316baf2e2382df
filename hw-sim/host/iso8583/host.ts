import type { Card } from '../../card/card.ts';
import { Findings, type Unexpected } from '../../findings.ts';
import { type OpenTap, openNoTap } from '../../wires/tap.ts';
import type { HostTls } from '../../tls/host-tls.ts';
import { SwitchedPort } from '../switched-port.ts';
import { Acquirer, type Answered, type RequestCounts } from './acquirer.ts';
import { Aim, wayOf } from './aim.ts';
import type { DeclinedEntry } from './books.ts';
import { type Frame, swapped } from './frame.ts';
import type { Link } from './link.ts';
import { type HostWire, terminalWire } from './host-wire.ts';
import { Listener, type ListenerEvents } from './listener.ts';
import { MalformedMessage, type Message } from './message.ts';
import { checkMode, type HostMode } from './mode.ts';
import { SignOns } from './network.ts';
import type { NetworkRequest } from './network-request.ts';
import { Outlet } from './outlet.ts';
import { type Lingering, Overtaken } from './overtaken.ts';
import type { LedgerEntry } from './posting.ts';
import { type ProfileName, profiles } from './profile.ts';
import type { BaseKeys } from './reader-objects.ts';
import { type Agreed, SealedWire } from './sealed.ts';
import type { SettlementEntry } from './settlements.ts';

export type { Unexpected } from '../../findings.ts';
export type { DeclinedEntry } from './books.ts';
export { amountEndings } from './amount-endings.ts';
export {
  adviceApprovals,
  cardHostModeNames,
  type HostMode,
  hostModeNames,
  settledManners,
  siteFaults,
} from './mode.ts';
export type { LedgerEntry } from './posting.ts';
export type { SettlementEntry } from './settlements.ts';

export interface Iso8583HostOptions extends BaseKeys {
  /** Name of this host: EDC, CUP, EPS. */
  readonly id: string;
  /** The cards whose issuer this host simulates. */
  readonly cards: Iterable<Card>;
  /** The host's dialect: 'cards' by default. */
  readonly profile?: ProfileName;
  /** Messages have an authentication code; undefined: they have none. */
  readonly mac?: Agreed;
  /** Connections begin with a TLS handshake; undefined: no TLS. */
  readonly tls?: HostTls;
  /** The encoding of its messages; default: the host's own dialect. */
  readonly wire?: HostWire;
  /** If the bank has several sites: the name of this one in the books. */
  readonly site?: string;
  /** The other site of the bank, whose books it shares; undefined: its own books. */
  readonly sharing?: Iso8583Host;
  /** 0 or nothing: any free port, which is then kept. */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** Seed of approval codes and garbage; 1 by default. */
  readonly seed?: number;
  /** How far a completion may exceed its auth: a whole number from 0 to 100; 15 by default. */
  readonly completionTolerancePercent?: number;
  readonly now?: () => Date;
  /** Hears each connection. */
  readonly openTap?: OpenTap;
}

export interface HostState extends HostMode, RequestCounts {
  readonly id: string;
  readonly port: number;
  readonly listening: boolean;
  readonly tls: boolean;
  readonly connections: number;
  /** How many entries `unexpected` has. */
  readonly unexpected: number;
}

const completionTolerancePercent = 15;

/**
 * An acquirer's host on TCP, ISO 8583:1987 as fixtures/README.md describes it, with books, and every kind of failure
 * on request.
 */
export class Iso8583Host {
  readonly id: string;
  readonly #acquirer: Acquirer;
  readonly #listener: Listener;
  readonly #switched: SwitchedPort<HostMode>;
  readonly #findings: Findings;
  readonly #site: string | undefined;
  readonly #wire: HostWire;
  readonly #outlet: Outlet;
  readonly #aim = new Aim();
  readonly #signOns: SignOns;
  readonly #overtaken = new Overtaken((request) => this.#readOvertaken(request));

  /** Throws RangeError for an invalid completion tolerance. */
  constructor(options: Iso8583HostOptions) {
    const { id, bdk, aesBdk, profile = 'cards', seed = 1, now = () => new Date() } = options;
    this.id = id;
    this.#site = options.site;
    const wire = options.wire ?? terminalWire;
    this.#wire = options.mac ? new SealedWire(wire, options.mac) : wire;
    const keys = options.mac?.keys;
    this.#signOns = new SignOns(keys?.issue?.bind(keys));
    this.#outlet = new Outlet(() => this.#acquirer.numbers, this.#wire);
    const cards = new Map([...options.cards].map((card) => [card.pan, card]));
    const own = { ...options, profile: profiles[profile], cards, bdk, aesBdk, seed, now };
    const { sharing } = options;
    this.#acquirer = sharing ? sharing.#acquirer : new Acquirer({ completionTolerancePercent, ...own });
    const events: ListenerEvents = {
      onFrame: (link, frame) => this.#take(link, frame),
      onMalformed: (why, bytes) => this.#record(why, bytes),
      onConnections: () => this.#changed(),
      openTap: options.openTap ?? openNoTap,
      wire: this.#wire,
    };
    this.#listener = new Listener(options.host ?? '127.0.0.1', options.port ?? 0, events, options.tls);
    this.#findings = new Findings({ now, entriesMax: 500 });
    this.#switched = new SwitchedPort<HostMode>({
      id,
      listener: this.#listener,
      up: { mode: 'up' },
      check: (mode) => {
        checkMode(mode);
        if (mode.tlsFault !== undefined && !options.tls) throw new RangeError('tlsFault goes with a host with TLS');
        if (options.mac?.field === 64 && Object.keys(mode.extraFields ?? {}).some((each) => Number(each) > 64))
          throw new RangeError('a code in field 64 has no field behind it');
        if ((mode.keyExchange ?? mode.keysOutOfStep) !== undefined && !keys?.issue)
          throw new RangeError('keyExchange and keysOutOfStep go with a host with session keys');
        if (mode.acceptsUsedKeys === true && !keys?.isFresh)
          throw new RangeError('acceptsUsedKeys goes with a host with DUKPT');
        if (mode.wrongMac === true && !options.mac) throw new RangeError('wrongMac goes with a host with a MAC');
      },
      onMode: ({ keepAliveMs, tlsFault, keysOutOfStep }) => {
        if (keysOutOfStep !== undefined) keys?.fallOutOfStep?.(keysOutOfStep);
        this.#listener.setTlsFault(tlsFault);
        this.#listener.keepAlive(keepAliveMs);
        this.#aim.begin();
      },
    });
  }

  /** Opens the port and tells which it is. Rejects with the system's error (EADDRINUSE) if it can't. */
  listen(): Promise<number> {
    return this.#switched.listen();
  }

  /** The port once it was opened; it stays the same through `down` and `up`. */
  get port(): number {
    return this.#listener.port;
  }

  /** Rejects with RangeError for an unknown mode, and if the port was taken in the meantime. */
  setMode(mode: HostMode): Promise<void> {
    return this.#switched.setMode(mode);
  }

  state(): HostState {
    return {
      ...this.#switched.mode,
      id: this.id,
      port: this.#listener.port,
      listening: this.#listener.listening,
      tls: this.#listener.isSecure,
      connections: this.#listener.links.size,
      ...this.#acquirer.counts,
      unexpected: this.#findings.list.length,
    };
  }

  /** Every posting, oldest first. Declined requests are no postings. */
  ledger(): LedgerEntry[] {
    return this.#acquirer.books.ledger();
  }

  /** Every batch that a terminal has asked to settle, oldest first. */
  settlements(): SettlementEntry[] {
    return this.#acquirer.settlements();
  }

  declined(): DeclinedEntry[] {
    return this.#acquirer.books.declined();
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.list;
  }

  /** Resets to: empty books, no findings, mode up, no delayed answers. Connections stay open. */
  async reset(): Promise<void> {
    await this.#switched.reset();
    this.#acquirer.clear();
    this.#findings.clear();
    this.#overtaken.drop();
    for (const link of this.#listener.links) link.dropWaiting();
    this.#changed();
  }

  async close(): Promise<void> {
    this.#overtaken.drop();
    await this.#switched.close();
  }

  /** Calls back after every change of books, connections, mode or findings, until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.#switched.onChange(listener);
  }

  #take(link: Link, { tpdu, message }: Frame): void {
    const { siteFault } = this.#switched.mode;
    if (siteFault === 'siteLost') link.close();
    if (siteFault !== undefined) return;
    const refusal = this.#refusal(message);
    if (refusal) return link.send(this.#wire.frame(swapped(tpdu), refusal));
    const network = this.#network(message);
    if (network) {
      const answer = this.#signOns.take(link, network, this.#switched.mode);
      if (answer) link.send(this.#wire.frame(swapped(tpdu), answer));
      return;
    }
    if (this.#wire.needsSignOn === true && !this.#signOns.has(link)) {
      if (this.#switched.mode.signOn !== 'forgotten') this.#record('a message before the sign-on', message);
      link.close();
      return;
    }
    const request = this.#decode(message);
    if (!request) {
      link.close();
      return;
    }
    const mode = this.#aim.modeFor(request, this.#switched.mode);
    if (mode.mode === 'overtaken' && (request.mti === '0100' || request.mti === '0200')) {
      const { lateAnswer = false, delayMs = 0 } = mode;
      this.#overtaken.add({ link, tpdu, message, lateAnswer, delayMs });
      return;
    }
    const { kind, reply } = this.#carryOut(request, message, mode);
    if (reply) this.#outlet.deliver(link, { kind, tpdu, message: reply, request: message }, wayOf(request, mode));
    else link.close();
    if (kind === 'reversal') this.#overtaken.release();
    this.#changed();
  }

  /** The terminal was told 25 (no record) to its reversal meanwhile. */
  #readOvertaken({ link, tpdu, message, lateAnswer }: Lingering): void {
    const { kind, reply } = this.#carryOut(this.#wire.read(message), message, this.#switched.mode);
    if (lateAnswer && reply)
      this.#outlet.send(link, { kind, tpdu, message: reply, request: message }, this.#switched.mode);
    this.#changed();
  }

  #carryOut(request: Message, message: Buffer, mode: HostMode): Answered {
    this.#acquirer.books.site = this.#site;
    const answered = this.#acquirer.answer(request, mode);
    if (answered.mismatched) this.#switched.amend({ mismatch: false });
    const secret = answered.findings.some((finding) => finding.endsWith('in the clear'));
    for (const finding of answered.findings) this.#record(finding, secret ? Buffer.alloc(0) : message);
    return answered;
  }

  /** Undefined also for a message that can't be read. */
  #network(bytes: Buffer): NetworkRequest | undefined {
    try {
      return this.#wire.network?.(bytes);
    } catch (error) {
      if (error instanceof MalformedMessage) return undefined;
      throw error;
    }
  }

  #refusal(bytes: Buffer): Buffer | undefined {
    try {
      return this.#wire.refusal?.(bytes, this.#switched.mode);
    } catch (error) {
      if (error instanceof MalformedMessage) return undefined;
      throw error;
    }
  }

  #decode(bytes: Buffer): Message | undefined {
    try {
      return this.#wire.read(bytes);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#record(error.message, bytes);
      return undefined;
    }
  }

  #record(why: string, bytes: Buffer): void {
    this.#findings.record(why, bytes);
    this.#changed();
  }

  #changed(): void {
    this.#switched.changed();
  }
}
