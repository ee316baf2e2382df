import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../base/ports/clock.ts';
import type { TerminalEvent, TerminalEvents } from '../payment/contracts/terminal-events.ts';
import type { Log } from './log.ts';

/** spare-memory.c. Returns 0 if there was nothing to give back. */
interface Addon {
  release(): number;
}

/** Beside the bundle. Sources that run directly have none (build/addons.ts). */
const installedAddon = new URL('spare-memory.node', import.meta.url);

/** Whoever sells once often sells twice, and would ask for the same memory again. */
const restMs = 60_000;

export interface SpareMemoryParts {
  /** Gives the system back what was freed. It holds up the thread for some milliseconds. */
  readonly release: () => void;
  /** No payment runs. */
  readonly isIdle: () => boolean;
  readonly clock: Clock;
}

/**
 * Gives the system back what the terminal has freed: a minute after its start, and a minute after it was busy. V8's compiler takes 30 MiB
 * in the first thousand sales, in pieces between others, and glibc keeps them.
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

/** Undefined where the sources run, which have no addon. Throws if it can't be loaded. */
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

/** None where nothing can be given back: the terminal sells all the same. */
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
