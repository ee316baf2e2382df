import type { Clock } from '../../base/ports/clock.ts';
import type { TerminalEvents } from '../../payment/contracts/terminal-events.ts';
import type { Log } from '../../observability/log.ts';
import { loadRelease, SpareMemory } from '../../observability/spare-memory.ts';
import type { Terminal } from '../../payment/terminal/terminal.ts';
import type { OpenParts } from './open-parts.ts';

interface SpareParts {
  readonly terminal: Pick<Terminal, 'running'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'failure'>;
}

/** None where nothing can be given back: the terminal sells all the same. */
export function openSpareMemory({ terminal, clock, log }: SpareParts, opened: OpenParts): readonly TerminalEvents[] {
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
