import type { Card } from '../../card/card.ts';
import { Findings, type Unexpected } from '../findings.ts';
import { SwitchedPort } from '../switched-port.ts';
import { Acquirer, type Answered, type AnsweredKind, type RequestCounts } from './acquirer.ts';
import type { DeclinedEntry } from './books.ts';
import { emptyFrame, type Frame, framed, swapped } from './frame.ts';
import type { Link } from './link.ts';
import { Listener } from './listener.ts';
import { decodeMessage, encodeMessage, MalformedMessage, type Message } from './message.ts';
import { checkMode, type HostMode, lateDelayMs } from './mode.ts';
import { type Lingering, Overtaken } from './overtaken.ts';
import type { LedgerEntry } from './posting.ts';
import { type ProfileName, profiles } from './profile.ts';
import type { BaseKeys } from './reader-objects.ts';
import type { SettlementEntry } from './settlements.ts';

export type { Unexpected } from '../findings.ts';
export type { DeclinedEntry } from './books.ts';
export { adviceApprovals, cardHostModeNames, type HostMode, hostModeNames, settledManners } from './mode.ts';
export type { LedgerEntry } from './posting.ts';
export type { SettlementEntry } from './settlements.ts';

export interface Iso8583HostOptions extends BaseKeys {
  /** Name of this host: EDC, CUP, EPS. */
  readonly id: string;
  /** The cards whose issuer this host speaks for. */
  readonly cards: Iterable<Card>;
  /** What it takes: 'cards' when not given. */
  readonly profile?: ProfileName;
  /** 0 or nothing: any free one, which is then kept. */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  /** Approval codes and garbage are made of it; 1 when not given. */
  readonly seed?: number;
  /** How far a completion may exceed its auth: a whole number from 0 to 100; 15 when not given. */
  readonly completionTolerancePercent?: number;
  readonly now?: () => Date;
}

export interface HostState extends HostMode, RequestCounts {
  readonly id: string;
  readonly port: number;
  readonly listening: boolean;
  readonly connections: number;
  /** How many entries `unexpected` has. */
  readonly unexpected: number;
}

const completionTolerancePercent = 15;

/** An acquirer's host on TCP, ISO 8583:1987 as fixtures/README.md has it, with books, and with every kind of failure on demand. */
export class Iso8583Host {
  readonly id: string;
  readonly #acquirer: Acquirer;
  readonly #listener: Listener;
  readonly #switched: SwitchedPort<HostMode>;
  readonly #findings: Findings;
  readonly #overtaken = new Overtaken((request) => this.#readAtLast(request));

  /** Throws RangeError for a completion tolerance that is none. */
  constructor(options: Iso8583HostOptions) {
    const { id, bdk, aesBdk, profile = 'cards', seed = 1, now = () => new Date() } = options;
    this.id = id;
    const cards = new Map([...options.cards].map((card) => [card.pan, card]));
    this.#acquirer = new Acquirer({
      completionTolerancePercent,
      ...options,
      profile: profiles[profile],
      cards,
      bdk,
      aesBdk,
      seed,
      now,
    });
    this.#listener = new Listener(options.host ?? '127.0.0.1', options.port ?? 0, {
      onFrame: (link, frame) => this.#take(link, frame),
      onMalformed: (why, bytes) => this.#record(why, bytes),
      onConnections: () => this.#changed(),
    });
    this.#findings = new Findings(now);
    this.#switched = new SwitchedPort<HostMode>({
      id,
      listener: this.#listener,
      up: { mode: 'up' },
      check: checkMode,
      onMode: ({ keepAliveMs }) => this.#listener.keepAlive(keepAliveMs),
    });
  }

  /** Opens the port and tells which it is. Rejects with the system's error (EADDRINUSE) where it can't. */
  listen(): Promise<number> {
    return this.#switched.listen();
  }

  /** The port once it was opened; it stays the same through `down` and `up`. */
  get port(): number {
    return this.#listener.port;
  }

  /** Rejects with RangeError for a mode that does not exist, and where the port was taken in the meantime. */
  setMode(mode: HostMode): Promise<void> {
    return this.#switched.setMode(mode);
  }

  state(): HostState {
    return {
      ...this.#switched.mode,
      id: this.id,
      port: this.#listener.port,
      listening: this.#listener.listening,
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

  /** Clean slate: no books, no findings, mode up, no answer that still waits. Connections stay open. */
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
    const request = this.#decoded(message);
    if (!request) {
      link.close();
      return;
    }
    if (this.#switched.mode.mode === 'overtaken' && (request.mti === '0100' || request.mti === '0200')) {
      const { lateAnswer = false, delayMs = 0 } = this.#switched.mode;
      this.#overtaken.add({ link, tpdu, message, lateAnswer, delayMs });
      return;
    }
    const answered = this.#carriedOut(request, message);
    if (answered.reply) this.#deliver(link, swapped(tpdu), answered.kind, this.#encoded(answered.reply));
    else link.close();
    if (answered.kind === 'reversal') this.#overtaken.release();
    this.#changed();
  }

  /** Its answer is for a terminal that was told 25 meanwhile. */
  #readAtLast({ link, tpdu, message, lateAnswer }: Lingering): void {
    const { reply } = this.#carriedOut(decodeMessage(message), message);
    if (lateAnswer && reply) link.send(this.#framed(swapped(tpdu), this.#encoded(reply)));
    this.#changed();
  }

  #encoded(reply: Message): Buffer {
    return encodeMessage(reply, this.#switched.mode);
  }

  #framed(tpdu: Buffer, reply: Buffer): Buffer {
    const frame = framed(tpdu, reply);
    return this.#switched.mode.keepAliveMs === undefined ? frame : Buffer.concat([emptyFrame, frame]);
  }

  #carriedOut(request: Message, message: Buffer): Answered {
    const answered = this.#acquirer.answer(request, this.#switched.mode);
    if (answered.mismatched) this.#switched.amend({ mismatch: false });
    const secret = answered.findings.some((finding) => finding.endsWith('in the clear'));
    for (const finding of answered.findings) this.#record(finding, secret ? Buffer.alloc(0) : message);
    return answered;
  }

  #decoded(bytes: Buffer): Message | undefined {
    try {
      return decodeMessage(bytes);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#record(error.message, bytes);
      return undefined;
    }
  }

  /** The books are written by now; what reaches the terminal is the mode's business. */
  #deliver(link: Link, tpdu: Buffer, kind: AnsweredKind, reply: Buffer): void {
    const { mode, delayMs, reversals = false } = this.#switched.mode;
    const answer = this.#framed(tpdu, reply);
    const unanswered = kind === 'reversal' && reversals;
    const struck = strikes(this.#switched.mode, kind);
    switch (mode) {
      case 'up':
        link.send(answer, delayMs);
        return;
      case 'down':
        return;
      case 'silent':
        if (!struck && !unanswered) link.send(answer);
        return;
      case 'late':
        if (!unanswered) link.send(answer, struck ? (delayMs ?? lateDelayMs) : 0);
        return;
      case 'garbage':
        link.send(struck ? framed(tpdu, this.#garbage(reply)) : answer);
        return;
      case 'duplicate':
        link.send(Buffer.concat([answer, answer]));
        return;
      case 'closeAfterRequest':
        if (struck) link.close();
        else link.send(answer);
        return;
      case 'overtaken':
        link.send(answer);
        return;
      default:
        mode satisfies never;
    }
  }

  /** Noise, or the true answer cut short: neither is a message, whatever the seed. */
  #garbage(reply: Buffer): Buffer {
    const { numbers } = this.#acquirer;
    if (numbers.below(2) === 0) return reply.subarray(0, 1 + numbers.below(reply.length - 1));
    // A nibble above 9 in the message type: no decoder can take it for one.
    return Buffer.concat([Buffer.of(0xf0 + numbers.below(16)), numbers.bytes(20 + numbers.below(100))]);
  }

  #record(why: string, bytes: Buffer): void {
    this.#findings.record(why, bytes);
    this.#changed();
  }

  #changed(): void {
    this.#switched.changed();
  }
}

/** Whether the mode is meant for messages of this kind. */
function strikes({ advices = false, settlement = false }: HostMode, kind: AnsweredKind): boolean {
  switch (kind) {
    case 'request':
      return true;
    case 'advice':
      return advices;
    case 'settlement':
      return settlement;
    case 'reversal':
    case 'other':
      return false;
    default:
      return kind satisfies never;
  }
}
