import type { DeviceAbsence } from '../../src/base/ports/device.ts';
import { AbsenceError } from './absence.ts';
import type { Channel, ChannelEnds, Wire } from './line.ts';
import { closePort, openPort, type Port, type SerialOptions, wireMs } from './serial.ts';
import { openTtyChannel } from './tty-channel.ts';

/** Calls of the thread that uses a line to the main thread, which opens it. */
export type PortCall =
  | { readonly port: 'open'; readonly number: number }
  | { readonly port: 'close'; readonly number: number; readonly stuck: boolean };

export type PortAnswer =
  | { readonly port: 'opened'; readonly number: number; readonly fd: number }
  | { readonly port: 'refused'; readonly number: number; readonly reason: string; readonly why?: DeviceAbsence }
  | { readonly port: 'closed'; readonly number: number };

/**
 * Opens and closes ports for another thread. The binding belongs to the main thread: its poller is bound to that loop.
 */
export class PortLender {
  readonly #options: SerialOptions;
  readonly #send: (answer: PortAnswer) => void;
  readonly #lent = new Map<number, Port>();
  #ended = false;

  constructor(options: SerialOptions, send: (answer: PortAnswer) => void) {
    this.#options = options;
    this.#send = send;
  }

  async handle(call: PortCall): Promise<void> {
    const { number } = call;
    if (call.port === 'open') return this.#open(number);
    await this.#close(number, call.stuck);
    this.#send({ port: 'closed', number });
  }

  /** Closes the ports of a thread that has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all([...this.#lent.keys()].map((number) => this.#close(number, true)));
  }

  async #open(number: number): Promise<void> {
    try {
      const port = await openPort(this.#options);
      this.#lent.set(number, port);
      if (this.#ended) await this.#close(number, true);
      else this.#send({ port: 'opened', number, fd: port.fd ?? -1 });
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'it can’t be opened';
      const why = error instanceof AbsenceError ? { why: error.why } : {};
      if (!this.#ended) this.#send({ port: 'refused', number, reason, ...why });
    }
  }

  async #close(number: number, stuck: boolean): Promise<void> {
    const port = this.#lent.get(number);
    this.#lent.delete(number);
    if (port) await closePort(port, stuck);
  }
}

/** The wire of a line whose ports the main thread opens. */
export class LentWire implements Wire {
  readonly #baudRate: number;
  readonly #ask: (call: PortCall) => void;
  readonly #waiting = new Map<number, (answer: PortAnswer) => void>();
  #number = 0;

  constructor(baudRate: number, ask: (call: PortCall) => void) {
    this.#baudRate = baudRate;
    this.#ask = ask;
  }

  async open(ends: ChannelEnds): Promise<Channel> {
    const number = ++this.#number;
    const answer = await this.#answered({ port: 'open', number });
    if (answer.port === 'refused') throw refusalOf(answer);
    if (answer.port !== 'opened') throw new Error('the port was not opened');
    const release = async (stuck: boolean) => void (await this.#answered({ port: 'close', number, stuck }));
    try {
      return openTtyChannel(answer.fd, ends, release);
    } catch (error) {
      await release(false);
      throw error;
    }
  }

  wireMs(bytes: number): number {
    return wireMs(bytes, this.#baudRate);
  }

  handle(answer: PortAnswer): void {
    const answered = this.#waiting.get(answer.number);
    this.#waiting.delete(answer.number);
    answered?.(answer);
  }

  #answered(call: PortCall): Promise<PortAnswer> {
    return new Promise((resolve) => {
      this.#waiting.set(call.number, resolve);
      this.#ask(call);
    });
  }
}

function refusalOf({ reason, why }: Extract<PortAnswer, { port: 'refused' }>): Error {
  return why === undefined ? new Error(reason) : new AbsenceError(why, reason);
}
