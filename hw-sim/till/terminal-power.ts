import * as z from 'zod';
import { shownFrame } from '../wires/shown.ts';
import type { Wires } from '../wires/record.ts';

/** The frame at which the terminal loses its power: the first one on this line whose summary contains these words. */
export interface CutPlace {
  readonly line: string;
  readonly words: string;
}

export interface PowerState {
  /** Absent where the terminal was not started beside this simulator. */
  readonly power?: 'on' | 'off';
  /** A power cut that is to come. */
  readonly cutAt?: CutPlace;
}

const powerMessage = z.union([
  z.strictObject({ power: z.literal('on'), pid: z.int().min(2) }),
  z.strictObject({ power: z.literal('off') }),
]);

/** The terminal's power, if `poid run --sim` has started both. A power cut kills its process. */
export class TerminalPower {
  readonly #wires: Wires;
  readonly #send: (message: { readonly power: 'on' }) => void;
  readonly #kill: (pid: number) => void;
  readonly #listeners = new Set<() => void>();
  #pid: number | undefined;
  #power: 'on' | 'off' | undefined;
  #cutAt: CutPlace | undefined;
  /** Time from a cut until the power is on again; undefined if none was requested. */
  #offMs: number | undefined;
  #stopWatching: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    wires: Wires,
    send: (message: { readonly power: 'on' }) => void = (message) => process.send?.(message),
    kill: (pid: number) => void = (pid) => process.kill(pid, 'SIGKILL'),
  ) {
    this.#wires = wires;
    this.#send = send;
    this.#kill = kill;
  }

  state(): PowerState {
    return {
      ...(this.#power !== undefined && { power: this.#power }),
      ...(this.#cutAt !== undefined && { cutAt: this.#cutAt }),
    };
  }

  /** A message of the process that has started both. Any other message is ignored. */
  take(message: unknown): void {
    const { data } = powerMessage.safeParse(message);
    if (!data) return;
    this.#power = data.power;
    this.#pid = data.power === 'on' ? data.pid : undefined;
    // The process has ended, so another one may be started.
    if (data.power === 'off' && this.#offMs !== undefined) this.#timer = setTimeout(() => this.restore(), this.#offMs);
    if (data.power === 'on') this.#offMs = undefined;
    this.#changed();
  }

  /** Cuts the power now, or at a frame; `offMs` later it is on again. */
  cut(at: CutPlace | undefined, offMs: number): void {
    this.forget();
    if (at === undefined) {
      this.#cutNow(offMs);
      return;
    }
    const protocol = this.#wires.lines.find(({ name }) => name === at.line)?.protocol;
    if (protocol === undefined) throw new Error(`no line ${at.line}`);
    this.#cutAt = at;
    let after = this.#wires.frames().at(-1)?.id ?? 0;
    this.#stopWatching = this.#wires.watchEach(() => {
      const fresh = this.#wires.frames({ line: at.line, after });
      after = fresh.at(-1)?.id ?? after;
      if (!fresh.some((frame) => shownFrame(frame, protocol).summary.includes(at.words))) return;
      this.forget();
      this.#cutNow(offMs);
    });
    this.#changed();
  }

  /** Cancels a planned power cut. */
  forget(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    if (this.#cutAt === undefined) return;
    this.#cutAt = undefined;
    this.#changed();
  }

  /** Switches the power on again. While its process is still ending, this has no effect: the timer does it later. */
  restore(): void {
    clearTimeout(this.#timer);
    if (this.#power === 'off') this.#send({ power: 'on' });
  }

  close(): void {
    this.forget();
    clearTimeout(this.#timer);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #cutNow(offMs: number): void {
    if (this.#pid === undefined) return;
    const pid = this.#pid;
    this.#pid = undefined;
    this.#power = 'off';
    this.#offMs = offMs;
    this.#kill(pid);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
