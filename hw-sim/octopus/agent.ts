import { openNoTap, tapSocket } from '../wires/tap.ts';
import { Findings, type Unexpected, upperHex } from '../findings.ts';
import { Turns } from '../turns.ts';
import { codes } from './code.ts';
import type { OctopusLedgerEntry } from './deduction.ts';
import type { LinkFaults, OctopusAgentOptions, OctopusFault, OctopusState } from './agent-state.ts';
import { type LibraryAnswer, OperatorLibrary } from './library.ts';
import { LineLink } from './line-link.ts';
import { OpenPoll } from './open-poll.ts';
import { Plate } from './plate.ts';
import { type OctopusPurse, Purses } from './purse.ts';
import { type AgentRequest, parseRequest } from './request.ts';
import { UnixListener } from './unix-listener.ts';

export type { OctopusFault, OctopusState } from './agent-state.ts';
export { loadOctopusCards } from './card.ts';
export type { OctopusLedgerEntry } from './deduction.ts';
export type { OctopusPurse } from './purse.ts';

const holdMsDefault = 3000;

/**
 * The agent that is linked with the operator's library, with a reader, cards, and every failure on request. A request
 * that no daemon should send is recorded in `unexpected`, and its connection is closed without an answer.
 */
export class OctopusAgent {
  readonly #purses: Purses;
  readonly #plate = new Plate(() => this.#changed());
  readonly #library: OperatorLibrary;
  readonly #listener: UnixListener;
  readonly #listeners = new Set<() => void>();
  readonly #findings: Findings;
  #link: LineLink | undefined;
  readonly #poll = new OpenPoll();
  #faults: LinkFaults = {};
  #closed = false;
  /** Opening and closing the socket. */
  readonly #turns = new Turns();

  constructor(options: OctopusAgentOptions) {
    const {
      path,
      cards,
      deviceId = '1A2B3C',
      companyId = '021',
      now = () => new Date(),
      openTap = openNoTap,
    } = options;
    this.#findings = new Findings({ now, onChange: () => this.#changed(), toHex: upperHex(256) });
    this.#purses = new Purses(cards);
    this.#library = new OperatorLibrary(this.#purses, this.#plate, { deviceId, companyId, now });
    this.#listener = new UnixListener(path, {
      onClient: (socket) => {
        tapSocket(socket, openTap());
        const link = new LineLink(socket, {
          onLine: (line) => this.#take(link, line),
          onMalformed: (why, bytes) => this.#findings.record(why, bytes),
          onClose: () => this.#lose(),
        });
        this.#link = link;
        this.#changed();
      },
      onTurnedAway: () => this.#findings.record('one client more than can wait', Buffer.alloc(0)),
    });
  }

  /** Opens the socket. Rejects with the system's error if it can't. */
  listen(): Promise<void> {
    return this.#turns.take(() => this.#plug());
  }

  get path(): string {
    return this.#listener.path;
  }

  /** At most 200 entries: the first ones count, because they explain the others. */
  get unexpected(): readonly Unexpected[] {
    return this.#findings.list;
  }

  state(): OctopusState {
    const card = this.#plate.card;
    const incomplete = this.#library.deductions.incomplete;
    return {
      plugged: this.#listener.listening,
      connected: this.#link !== undefined,
      silent: this.#faults.silent === true,
      polling: this.#poll.isOpen,
      ...(card && { heldCard: card.name }),
      ...(incomplete && { incomplete: { cardId: incomplete.cardId, reference: incomplete.reference } }),
    };
  }

  /** Every deduction that was begun, oldest first. */
  ledger(): OctopusLedgerEntry[] {
    return this.#library.deductions.ledger();
  }

  /** Every card with its balance. */
  cards(): OctopusPurse[] {
    return this.#purses.entries();
  }

  /**
   * The customer holds the card of that name to the reader. True once a deduction was tried with it, or the reader
   * refused the card. False if it was not used: `holdMs` ended first, another card took its place, or the reader
   * waited for another card. Throws RangeError for an unknown name.
   */
  tap(name: string, { holdMs = holdMsDefault }: { readonly holdMs?: number } = {}): Promise<boolean> {
    const card = this.#purses.named(name);
    if (!card) {
      const names = this.cards().map((purse) => purse.name);
      throw new RangeError(`card: one of ${names.join(', ')}`);
    }
    if (this.#closed) return Promise.resolve(false);
    const gone = this.#plate.hold(card, holdMs);
    this.#meetCard();
    return gone;
  }

  /** The customer takes the card away unused. */
  remove(): void {
    this.#plate.release(false);
  }

  async fault({ unplug, silent, garble, disconnectDuringDeduct, ...cardFaults }: OctopusFault): Promise<void> {
    this.#library.spoil(cardFaults);
    this.#faults = {
      ...this.#faults,
      ...(silent !== undefined && { silent }),
      ...(garble !== undefined && { garble }),
      ...(disconnectDuringDeduct !== undefined && { disconnectDuringDeduct }),
    };
    if (unplug === true) await this.#turns.take(() => this.#unplug());
    if (unplug === false) await this.#turns.take(() => this.#plug());
    this.#changed();
  }

  /** Resets to: plugged in, no card, no fault, no deduction, initial balances, no findings. Connections stay. */
  async reset(): Promise<void> {
    this.remove();
    this.#faults = {};
    this.#library.clear();
    this.#findings.clear();
    await this.#turns.take(() => this.#plug());
    this.#changed();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.remove();
    await this.#turns.take(() => this.#unplug());
    this.#listeners.clear();
  }

  /** Called after every change of state, money or findings. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #take(link: LineLink, line: Buffer): void {
    const request = parseRequest(line);
    if (!request || this.#poll.isOpen) {
      this.#findings.record(request ? 'a request while another was open' : 'a line that is no request', line);
      link.close();
      return;
    }
    if (request.call === 'poll') this.#beginPoll(request.id, request.timeoutMs);
    else this.#answer(request.id, this.#carryOut(request, line), request.call === 'deduct');
    this.#changed();
  }

  #carryOut(request: Exclude<AgentRequest, { readonly call: 'poll' }>, line: Buffer): LibraryAnswer {
    const { call } = request;
    switch (call) {
      case 'open':
        return this.#library.open();
      case 'deduct':
        return this.#library.deduct(request, (finding) => this.#findings.record(finding, line));
      case 'find':
        return this.#library.find(request.reference);
      case 'upload':
        return this.#library.upload();
      default:
        return call satisfies never;
    }
  }

  #beginPoll(id: number, timeoutMs: number): void {
    if (this.#faults.silent === true) return;
    this.#poll.open(id, timeoutMs, () => this.#endPoll({ code: codes.noCard }));
    this.#meetCard();
  }

  /** Called when a poll begins and when a card comes: a poll ends when both are there. */
  #meetCard(): void {
    if (!this.#poll.isOpen) return;
    const answer = this.#library.poll();
    if (answer) this.#endPoll(answer);
  }

  #endPoll(answer: LibraryAnswer): void {
    const id = this.#poll.take();
    if (id === undefined) return;
    this.#answer(id, answer, false);
    this.#changed();
  }

  #answer(id: number, answer: LibraryAnswer, deducting: boolean): void {
    const { silent, garble, disconnectDuringDeduct } = this.#faults;
    if (deducting && answer.code === codes.done && disconnectDuringDeduct === true) {
      this.#faults = { ...this.#faults, disconnectDuringDeduct: false };
      this.#link?.close();
      return;
    }
    if (silent === true) return;
    const line = JSON.stringify({ id, ...answer });
    if (garble === true) this.#faults = { ...this.#faults, garble: false };
    this.#link?.send(garble === true ? line.slice(0, line.length >> 1) : line);
  }

  async #plug(): Promise<void> {
    if (this.#closed) throw new Error('this agent is closed');
    await this.#listener.open();
    this.#changed();
  }

  async #unplug(): Promise<void> {
    this.#poll.take();
    this.#library.restart();
    await this.#listener.shut();
  }

  /** The daemon has disconnected: the poll ends without an answer. */
  #lose(): void {
    this.#link = undefined;
    this.#poll.take();
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
