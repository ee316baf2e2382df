import { Findings, type Unexpected } from '../findings.ts';
import type { Pty } from '../pty.ts';
import { type Command, CommandStream } from './command-stream.ts';
import { Interpreter, type KanjiRom } from './interpreter.ts';
import { Paper, type PaperItem } from './paper.ts';
import { paperPng } from './picture.ts';
import { RealTimeScanner } from './real-time.ts';
import { allWell, automaticStatus, type Condition, isOffline, isReported, realTimeStatus } from './status.ts';

/** Faults of a printer; a missing field stays as it is. */
export interface PrinterFault {
  readonly unplug?: boolean;
  readonly paperOut?: boolean;
  readonly paperNearEnd?: boolean;
  readonly coverOpen?: boolean;
  readonly cutterError?: boolean;
  /** The printer takes data and answers nothing. */
  readonly silent?: boolean;
  /** The paper ends after this number of lines, images or feeds: in the middle of a receipt. */
  readonly paperOutAfter?: number;
}

export interface PrinterState extends Condition {
  readonly connected: boolean;
  readonly silent: boolean;
  /** Incremented whenever paper is printed or torn off: a picture of an older number is out of date. */
  readonly paperRevision: number;
  readonly drawerKicks: number;
  /** Bytes that came while the printer was off-line: it drops them. */
  readonly droppedBytes: number;
  readonly unexpected: readonly Unexpected[];
}

/** Limit of the bytes that are kept of an unknown command. */
const hexMaxBytes = 64;

/** An ESC/POS receipt printer at the other end of a pty. The caller closes the pty. */
export class EscPosPrinter {
  readonly paper = new Paper();
  readonly #pty: Pty;
  readonly #stream = new CommandStream();
  readonly #realTime = new RealTimeScanner();
  readonly #interpreter: Interpreter;
  readonly #listeners = new Set<() => void>();
  #condition: Condition = allWell;
  #silent = false;
  #paperLeft: number | undefined;
  #reportMask = 0;
  #paperRevision = 0;
  #drawerKicks = 0;
  #droppedBytes = 0;
  readonly #findings = new Findings({
    now: () => new Date(),
    toHex: (bytes) => bytes.toString('hex', 0, hexMaxBytes),
  });

  constructor(pty: Pty, options: { readonly kanjiRom?: KanjiRom } = {}) {
    this.#pty = pty;
    this.#interpreter = new Interpreter(
      {
        print: (item) => this.#print(item),
        kickDrawer: () => this.#drawerKicks++,
        reportChanges: (mask) => this.#reportChanges(mask),
        unexpected: (bytes, why) => this.#findings.record(why, Buffer.from(bytes)),
      },
      options.kanjiRom,
    );
    pty.onData((chunk) => this.#receive(chunk));
  }

  get unexpected(): readonly Unexpected[] {
    return this.#findings.list;
  }

  state(): PrinterState {
    return {
      connected: this.#pty.plugged,
      ...this.#condition,
      silent: this.#silent,
      paperRevision: this.#paperRevision,
      drawerKicks: this.#drawerKicks,
      droppedBytes: this.#droppedBytes,
      unexpected: this.#findings.list,
    };
  }

  /** The paper as a PNG, 576 dots wide. */
  png(): Buffer {
    return paperPng(this.paper);
  }

  clearPaper(): void {
    this.paper.clear();
    this.#paperRevision++;
    this.#changed();
  }

  /** Called whenever the paper or the state has changed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async fault(fault: PrinterFault): Promise<void> {
    this.#silent = fault.silent ?? this.#silent;
    this.#paperLeft = fault.paperOutAfter ?? this.#paperLeft;
    const { paperOut, paperNearEnd, coverOpen, cutterError } = this.#condition;
    this.#become({
      paperOut: fault.paperOut ?? paperOut,
      paperNearEnd: fault.paperNearEnd ?? paperNearEnd,
      coverOpen: fault.coverOpen ?? coverOpen,
      cutterError: fault.cutterError ?? cutterError,
    });
    if (fault.unplug === true && this.#pty.plugged) {
      await this.#pty.unplug();
      this.#powerOff();
    }
    if (fault.unplug === false && !this.#pty.plugged) await this.#pty.plug();
    this.#changed();
  }

  /** Resets to: new roll, no fault, no findings. */
  async reset(): Promise<void> {
    this.#powerOff();
    this.paper.clear();
    this.#paperRevision++;
    this.#condition = allWell;
    this.#silent = false;
    this.#paperLeft = undefined;
    this.#drawerKicks = 0;
    this.#droppedBytes = 0;
    this.#findings.clear();
    if (!this.#pty.plugged) await this.#pty.plug();
    this.#changed();
  }

  /** The cable carries the power too: unplugging it resets modes and drops an incomplete command. */
  #powerOff(): void {
    this.#stream.clear();
    this.#realTime.clear();
    this.#interpreter.initialise();
    this.#reportMask = 0;
  }

  #receive(chunk: Uint8Array): void {
    for (const { bytes, request } of this.#realTime.scan(chunk)) {
      if (isOffline(this.#condition)) {
        this.#droppedBytes += bytes.length - (request === undefined ? 0 : 3);
      } else {
        const commands = this.#stream.push(bytes);
        if (request !== undefined && commands.at(-1)?.name !== 'DLE EOT') {
          this.#findings.record(
            'a real-time request within the data of another command',
            Buffer.from(bytes.subarray(-3)),
          );
        }
        this.#execute(commands);
      }
      if (request !== undefined) this.#send([realTimeStatus(request, this.#condition)]);
    }
    this.#changed();
  }

  #execute(commands: readonly Command[]): void {
    for (const command of commands) {
      if (!isOffline(this.#condition)) this.#interpreter.execute(command);
      else if (command.name !== 'DLE EOT') this.#droppedBytes += command.bytes.length;
    }
  }

  #print(item: PaperItem): void {
    if (isOffline(this.#condition)) return;
    this.paper.add(item);
    this.#paperRevision++;
    if (this.#paperLeft === undefined || item.kind === 'cut') return;
    this.#paperLeft--;
    if (this.#paperLeft > 0) return;
    this.#paperLeft = undefined;
    this.#become({ ...this.#condition, paperOut: true });
  }

  #become(next: Condition): void {
    const before = this.#condition;
    this.#condition = next;
    if (!isOffline(before) && isOffline(next)) {
      this.#droppedBytes += this.#stream.pending;
      this.#stream.clear();
    }
    if (isReported(this.#reportMask, before, next)) this.#send(automaticStatus(next));
  }

  /** GS a: any bit set sends the status once, and from then on whenever it changes. */
  #reportChanges(mask: number): void {
    this.#reportMask = mask;
    if (mask !== 0) this.#send(automaticStatus(this.#condition));
  }

  #send(bytes: ArrayLike<number>): void {
    if (!this.#silent && this.#pty.plugged) this.#pty.write(Uint8Array.from(bytes));
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
