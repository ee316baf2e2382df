import * as z from 'zod';
import { shownFrame } from '../wires/shown.ts';
import type { Wires } from '../wires/record.ts';

/** Where the terminal loses its power: as soon as a frame whose sentence has these words crosses this line. */
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

/** The terminal's power, where `poid run --sim` has started both: a power cut kills its process, and nothing of it runs on. */
export class TerminalPower {
  readonly #wires: Wires;
  readonly #send: (message: { readonly power: 'on' }) => void;
  readonly #kill: (pid: number) => void;
  readonly #listeners = new Set<() => void>();
  #pid: number | undefined;
  #power: 'on' | 'off' | undefined;
  #cutAt: CutPlace | undefined;
  /** How long after a cut it is on again; undefined if nobody has asked for that. */
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

  /** A message of the process that has started both; any other message is none of this. */
  take(message: unknown): void {
    const { data } = powerMessage.safeParse(message);
    if (!data) return;
    this.#power = data.power;
    this.#pid = data.power === 'on' ? data.pid : undefined;
    // From now on the process is gone, and another one may take its place.
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

  /** No power cut is to come any more. */
  forget(): void {
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    if (this.#cutAt === undefined) return;
    this.#cutAt = undefined;
    this.#changed();
  }

  /** Switches it on again. While its process is still ending, nothing happens: it comes by itself. */
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
