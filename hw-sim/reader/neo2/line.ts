import type { Pty } from '../../pty.ts';
import type { Findings } from '../../findings.ts';
import { Outlet, type OutletFaults, type Spoilage } from '../outlet.ts';
import { type Arrival, type Command, CommandDecoder, responseFrame } from './frame.ts';
import { status } from './status.ts';

/** A partial header, then random bytes: the driver must still find the frame after them. */
const garbage = Buffer.from('5669564F7465FF00A5', 'hex');

const spoilage: Spoilage = { garbage, garbled };

export interface LineOptions {
  readonly findings: Findings;
  /** An incomplete frame is dropped this long after its last byte. */
  readonly frameGapMs: number;
  readonly obey: (command: Command) => void;
}

/** The reader's end of the wire: commands come in, responses go out, all other bytes are findings. */
export class Line {
  readonly #options: LineOptions;
  readonly #outlet: Outlet;
  readonly #decoder = new CommandDecoder();
  #frameGap: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(pty: Pty, options: LineOptions) {
    this.#options = options;
    this.#outlet = new Outlet((bytes) => {
      pty.write(bytes);
    }, spoilage);
    pty.onData((chunk) => {
      this.#receive(chunk);
    });
  }

  answer(command: number, code: number, data?: Buffer): void {
    this.#outlet.send(responseFrame(command, code, data));
  }

  /** Refuses a command that no driver should have sent, and records it. */
  refuse(command: Command, code: number, why: string): void {
    this.record(command, why);
    this.answer(command.command, code);
  }

  record(command: Command, why: string): void {
    this.#options.findings.record(why, command.bytes);
  }

  /** Adds faults of outgoing frames; `false` cancels one. */
  spoil(faults: OutletFaults): void {
    this.#outlet.spoil(faults);
  }

  /** Drops unsent bytes and all faults. */
  clearOutlet(): void {
    this.#outlet.clear();
  }

  /** Drops incomplete and unsent bytes in both directions. */
  cut(): void {
    clearTimeout(this.#frameGap);
    this.#decoder.abandon();
    this.#outlet.clear();
  }

  close(): void {
    this.#closed = true;
    this.cut();
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    for (const arrival of this.#decoder.push(chunk)) this.#arrive(arrival);
    this.#awaitRest();
  }

  /** An incomplete frame may contain another: they are dropped one after the other. */
  #awaitRest(): void {
    clearTimeout(this.#frameGap);
    if (this.#closed || this.#decoder.pendingBytes === 0) return;
    this.#frameGap = setTimeout(() => {
      for (const arrival of this.#decoder.abandon()) this.#arrive(arrival);
      this.#awaitRest();
    }, this.#options.frameGapMs);
  }

  #arrive(arrival: Arrival): void {
    const { findings, obey } = this.#options;
    const { kind } = arrival;
    switch (kind) {
      case 'command':
        obey(arrival.command);
        return;
      case 'badCrc':
        findings.record('a frame whose CRC is wrong', arrival.bytes);
        this.answer(arrival.bytes[10] ?? 0, status.crcError);
        return;
      case 'noise':
        findings.record('bytes that are no frame', arrival.bytes);
        return;
      case 'tooLong':
        findings.record('a frame that says it is longer than this reader takes', arrival.bytes);
        return;
      case 'incomplete':
        findings.record('a frame that did not go on', arrival.bytes);
        return;
      default:
        kind satisfies never;
    }
  }
}

/** Flips one bit of the command byte. The header still announces a frame; the CRC shows the error. */
function garbled(frame: Buffer): Buffer {
  const copy = Buffer.from(frame);
  copy[10] = (copy[10] ?? 0) ^ 0x40;
  return copy;
}
