import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../base/ports/clock.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import type { Log } from './log.ts';

/** spare-memory.c. Returns 0 if there was nothing to release. */
interface Addon {
  release(): number;
}

/** Beside the bundle. Sources that run directly have none (build/addons.ts). */
const installedAddon = new URL('spare-memory.node', import.meta.url);

/** Pause after a payment, because a second one often follows and would need the same memory. */
const restMs = 60_000;

export interface SpareMemoryParts {
  /** Returns freed memory to the system. Blocks the thread for some milliseconds. */
  readonly release: () => void;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
}

/**
 * Returns freed memory to the system: a minute after the start, and a minute after the terminal was busy. V8's compiler
 * uses 30 MiB in the first thousand sales, in fragments that glibc would keep.
 */
export class SpareMemory implements TerminalEvents {
  readonly #parts: SpareMemoryParts;
  #timer: unknown;

  constructor(parts: SpareMemoryParts) {
    this.#parts = parts;
    this.#plan();
  }

  emit({ state }: Pick<TerminalEvent, 'state'>): void {
    if (state === 'idle' && this.#timer === undefined) this.#plan();
  }

  close(): void {
    this.#parts.clock.clearTimeout(this.#timer);
  }

  #plan(): void {
    this.#timer = this.#parts.clock.setTimeout(() => this.#look(), restMs);
  }

  #look(): void {
    const { release, isIdle } = this.#parts;
    this.#timer = undefined;
    if (!isIdle()) return this.#plan();
    release();
  }
}

/** Undefined if the sources run, which have no addon. Throws if it can't be loaded. */
export function loadRelease(addon: URL = installedAddon): (() => void) | undefined {
  const file = fileURLToPath(addon);
  if (!existsSync(file)) return undefined;
  const addonOfGlibc = createRequire(import.meta.url)(file) as Addon;
  return () => void addonOfGlibc.release();
}

interface SpareOptions {
  readonly terminal: { readonly running: unknown };
  readonly clock: Clock;
  readonly log: Pick<Log, 'failure'>;
}

/** None if memory can't be returned: the terminal sells without it. */
export function openSpareMemory(
  { terminal, clock, log }: SpareOptions,
  opened: { add(part: { close(): Promise<void> }): unknown },
): readonly TerminalEvents[] {
  try {
    const release = loadRelease();
    if (!release) return [];
    const spare = new SpareMemory({ release, isIdle: () => terminal.running === undefined, clock });
    opened.add({ close: async () => spare.close() });
    return [spare];
  } catch (error) {
    log.failure('memory', error);
    return [];
  }
}
