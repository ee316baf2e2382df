import { randomBytes } from 'node:crypto';
import type { Card } from '../../card/card.ts';
import type { Pty } from '../../pty.ts';
import { type Activation, parseActivation } from './activation.ts';
import { Antenna } from './antenna.ts';
import { failureAnswer } from './card-answer.ts';
import { Findings, type Unexpected } from './findings.ts';
import { type Arrival, type Command, CommandDecoder, responseFrame } from './frame.ts';
import { Outlet, type OutletFaults } from './outlet.ts';
import { Reading, type ReadingOptions } from './reading.ts';
import { rfError, status } from './status.ts';

/** The keys are needed, the rest has a default. */
export interface Neo2Options extends Pick<ReadingOptions, 'bdk' | 'ksn'>, Partial<Omit<ReadingOptions, 'bdk' | 'ksn'>> {
  /** ASCII answer of 29-00. */
  readonly version?: string;
  /** ASCII answer of 09-03. */
  readonly firmware?: string;
  /** A frame that does not go on for so long is given up. */
  readonly frameGapMs?: number;
}

/** `collision` and `unsupported` meet the next card; the others meet bytes. `unplug: false` plugs the reader in again. */
export interface Neo2Fault extends OutletFaults {
  readonly unplug?: boolean;
  readonly collision?: boolean;
  readonly unsupported?: boolean;
}

export interface Neo2State {
  readonly connected: boolean;
  /** A transaction is under way and waits for a card. */
  readonly armed: boolean;
  readonly pollOnDemand: boolean;
  /** Minor units, while armed. */
  readonly amountMinor?: string;
  readonly currencyNumeric?: string;
  readonly transactionType?: string;
  /** The card that is held to the reader and not read yet. */
  readonly heldCard?: string;
  /** Key serial number of the last transaction. */
  readonly ksn: string;
  readonly cardsRead: number;
}

interface Armed {
  readonly activation: Activation;
  readonly timer: NodeJS.Timeout;
}

const holdMsDefault = 3000;

/** Answer of 09-02 as published (IDG p.255): DF61 names the processor. */
const processorType = Buffer.from('DF61024D00', 'hex');

const knownCommands = new Set([0x01, 0x02, 0x05, 0x09, 0x18, 0x29]);

/**
 * ID TECH's NEO2 reader on a serial wire, contactless only, as the Interface Developer's Guide and fixtures/README.md
 * have it. Whatever a driver should not have sent is recorded in `unexpected` and not mended.
 */
export class Neo2Reader {
  readonly #pty: Pty;
  readonly #version: Buffer;
  readonly #firmware: Buffer;
  readonly #frameGapMs: number;
  readonly #reading: Reading;
  readonly #findings: Findings;
  readonly #outlet: Outlet;
  readonly #decoder = new CommandDecoder();
  readonly #antenna = new Antenna();
  readonly #armedListeners = new Set<() => void>();
  #pollOnDemand = false;
  #armed: Armed | undefined;
  #nextCardError: number | undefined;
  #frameGap: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pty: Pty, options: Neo2Options) {
    const { bdk, ksn, countryNumeric = '0344', now = () => new Date(), random = randomBytes } = options;
    this.#pty = pty;
    this.#version = Buffer.from(options.version ?? 'NEO2 simulator 1.0.0', 'latin1');
    this.#firmware = firmwareObject(options.firmware ?? 'NEO2-sim_1.0.0');
    this.#frameGapMs = options.frameGapMs ?? 1000;
    this.#reading = new Reading({ bdk, ksn, countryNumeric, now, random });
    this.#findings = new Findings(now);
    this.#outlet = new Outlet((bytes) => {
      pty.write(bytes);
    });
    pty.onData((chunk) => {
      this.#receive(chunk);
    });
  }

  get armed(): boolean {
    return this.#armed !== undefined;
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.entries;
  }

  state(): Neo2State {
    const activation = this.#armed?.activation;
    const card = this.#antenna.card;
    return {
      connected: this.#pty.plugged,
      armed: this.armed,
      pollOnDemand: this.#pollOnDemand,
      ...(activation && {
        amountMinor: activation.amountMinor.toString(),
        currencyNumeric: activation.currencyNumeric,
        transactionType: activation.transactionType,
      }),
      ...(card && { heldCard: card.name }),
      ksn: this.#reading.ksn.toString('hex').toUpperCase(),
      cardsRead: this.#reading.count,
    };
  }

  /** Called each time the reader begins to wait for a card. Returns the way to stop listening. */
  onArmed(listener: () => void): () => void {
    this.#armedListeners.add(listener);
    return () => this.#armedListeners.delete(listener);
  }

  /**
   * The customer holds the card there: true once a transaction has met it, whatever came of it, and the customer takes
   * it away; false when `holdMs` ended before, or another card took its place.
   */
  tap(card: Card, holdMs: number = holdMsDefault): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    const gone = this.#antenna.hold(card, holdMs);
    this.#meetCard();
    return gone;
  }

  /** The customer takes the card away before it was read. */
  remove(): void {
    this.#antenna.release(false);
  }

  async fault(fault: Neo2Fault): Promise<void> {
    const { unplug, collision, unsupported, ...outletFaults } = fault;
    this.#outlet.spoil(outletFaults);
    this.#spoilNextCard(rfError.collision, collision);
    this.#spoilNextCard(rfError.unsupportedCard, unsupported);
    if (unplug === true) {
      this.#loseState();
      await this.#pty.unplug();
    }
    if (unplug === false) await this.#pty.plug();
  }

  /** Clean slate for the next test: no card, no fault, nothing recorded, plugged in. What was armed stays armed. */
  async reset(): Promise<void> {
    this.remove();
    this.#outlet.clear();
    this.#nextCardError = undefined;
    this.#findings.clear();
    await this.#pty.plug();
  }

  /** Lets go of every timer. The pty is the caller's. */
  close(): Promise<void> {
    this.#closed = true;
    this.remove();
    this.#loseState();
    return Promise.resolve();
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    clearTimeout(this.#frameGap);
    for (const arrival of this.#decoder.push(chunk)) this.#arrive(arrival);
    if (this.#decoder.pendingBytes === 0) return;
    this.#frameGap = setTimeout(() => {
      for (const arrival of this.#decoder.abandon()) this.#arrive(arrival);
    }, this.#frameGapMs);
  }

  #arrive(arrival: Arrival): void {
    const { kind } = arrival;
    switch (kind) {
      case 'command':
        this.#obey(arrival.command);
        return;
      case 'badCrc':
        this.#findings.record(arrival.bytes, 'a frame whose CRC is wrong');
        this.#answer(arrival.bytes[10] ?? 0, status.crcError);
        return;
      case 'noise':
        this.#findings.record(arrival.bytes, 'bytes that are no frame');
        return;
      case 'tooLong':
        this.#findings.record(arrival.bytes, 'a frame that says it is longer than this reader takes');
        return;
      case 'incomplete':
        this.#findings.record(arrival.bytes, 'a frame that did not go on');
        return;
      default:
        kind satisfies never;
    }
  }

  #obey(command: Command): void {
    const name = nameOf(command);
    if (this.#armed !== undefined && name !== '05-01') {
      // The reader takes any command for a cancel (VP3350 user manual, 7.1). A driver that counts on it is wrong.
      this.#disarm();
      this.#findings.record(command.bytes, `${name} while 02-40 was under way`);
      return;
    }
    switch (name) {
      case '18-01':
        this.#tell(command, Buffer.alloc(0));
        return;
      case '29-00':
        this.#tell(command, this.#version);
        return;
      case '09-02':
        this.#tell(command, processorType);
        return;
      case '09-03':
        this.#tell(command, this.#firmware);
        return;
      case '01-01':
        this.#setPollMode(command);
        return;
      case '02-40':
        this.#activate(command);
        return;
      case '05-01':
        this.#cancel(command);
        return;
      default:
        this.#refuseUnknown(command);
    }
  }

  #tell(command: Command, data: Buffer): void {
    if (command.data.length === 0) this.#answer(command.command, status.ok, data);
    else this.#refuse(command, status.badParameter, `${nameOf(command)} takes no data`);
  }

  #setPollMode(command: Command): void {
    const mode = command.data[0];
    if (command.data.length !== 1 || (mode !== 0 && mode !== 1)) {
      this.#refuse(command, status.badParameter, '01-01 takes 00 (auto poll) or 01 (poll on demand)');
      return;
    }
    this.#pollOnDemand = mode === 1;
    this.#answer(command.command, status.ok);
  }

  #activate(command: Command): void {
    if (!this.#pollOnDemand) {
      // Assumed: a reader comes up in auto poll, where it finds cards by itself and 02-40 has no place.
      this.#refuse(command, status.notAllowed, '02-40 without poll on demand');
      return;
    }
    const activation = parseActivation(command.data, this.#reading.countryNumeric);
    if (typeof activation === 'string') {
      this.#refuse(command, status.badParameter, activation);
      return;
    }
    const timer = setTimeout(() => {
      this.#disarm();
      this.#answer(command.command, status.timeout);
    }, activation.timeoutMs);
    this.#armed = { activation, timer };
    this.#meetCard();
    if (this.armed) for (const listener of this.#armedListeners) listener();
  }

  /** Data 01 asks for a reset (IDG p.242), which here is the same. The 02-40 that is cancelled gets no answer. */
  #cancel(command: Command): void {
    if (command.data.length > 1 || (command.data.length === 1 && command.data[0] !== 1)) {
      this.#refuse(command, status.badParameter, '05-01 takes no data or 01');
      return;
    }
    this.#disarm();
    this.#answer(command.command, status.ok);
  }

  #refuseUnknown(command: Command): void {
    const code = knownCommands.has(command.command) ? status.unknownSubCommand : status.unknownCommand;
    this.#refuse(command, code, `${nameOf(command)} is not known here`);
  }

  /** A transaction and a card have to meet; the later of the two calls this. */
  #meetCard(): void {
    const armed = this.#armed;
    const card = this.#antenna.card;
    if (armed === undefined || card === undefined) return;
    this.#disarm();
    const error = this.#nextCardError;
    this.#nextCardError = undefined;
    if (error === undefined) {
      this.#answer(0x02, status.onlineAuthorization, this.#reading.read(card, armed.activation));
    } else {
      this.#answer(0x02, status.failed, failureAnswer(error));
    }
    this.#antenna.release(true);
  }

  #disarm(): void {
    clearTimeout(this.#armed?.timer);
    this.#armed = undefined;
  }

  /** Without power nothing is left but the keys. */
  #loseState(): void {
    this.#disarm();
    clearTimeout(this.#frameGap);
    this.#decoder.abandon();
    this.#outlet.clear();
    this.#pollOnDemand = false;
  }

  #spoilNextCard(error: number, wanted: boolean | undefined): void {
    if (wanted === true) this.#nextCardError = error;
    if (wanted === false && this.#nextCardError === error) this.#nextCardError = undefined;
  }

  #refuse(command: Command, code: number, why: string): void {
    this.#findings.record(command.bytes, why);
    this.#answer(command.command, code);
  }

  #answer(command: number, code: number, data?: Buffer): void {
    this.#outlet.send(responseFrame(command, code, data));
  }
}

/** '02-40', as the guide writes commands. */
function nameOf({ command, subCommand }: Command): string {
  return `${Buffer.of(command).toString('hex')}-${Buffer.of(subCommand).toString('hex')}`;
}

/** DF62 with the name and a zero byte, as published for the VP3350 (user manual p.16). */
function firmwareObject(firmware: string): Buffer {
  const name = Buffer.from(`${firmware}\0`, 'latin1');
  return Buffer.concat([Buffer.from('DF62', 'hex'), Buffer.of(name.length), name]);
}
