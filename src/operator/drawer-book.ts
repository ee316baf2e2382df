import * as z from 'zod';
import { inState } from '../base/domain/written-files.ts';
import type { Clock } from '../base/ports/clock.ts';
import type { DrawerOpening } from '../payment/records/drawer-openings.ts';
import { KeptLines } from './kept-lines.ts';

/** Some 800 openings: a report reads all of them. */
const bytesMax = 256 * 1024;

const drawerLine = z.object({
  at: z.string(),
  posId: z.string(),
  messageId: z.string(),
  cashierId: z.string().optional(),
  acquirer: z.string(),
  batch: z.number(),
  state: z.string(),
});

/** One step of an opening without a sale: asked before the pulse, then opened or the printer's fault. */
export type DrawerEntry = Omit<z.infer<typeof drawerLine>, 'at'>;

/** The durable record of drawer openings without a sale, with user and batch, for accounting. */
export class DrawerBook {
  readonly #lines: KeptLines;

  constructor(stateDir: string, clock: Pick<Clock, 'now'>) {
    this.#lines = new KeptLines(inState(stateDir, 'drawer.jsonl'), bytesMax, clock);
  }

  /** Survives a power cut once this resolves. Rejects with the system's error. */
  write(entry: DrawerEntry): Promise<void> {
    return this.#lines.write(entry);
  }

  /**
   * All stored openings, the oldest first. An opening whose end a power cut has prevented counts, because the drawer
   * may have opened.
   */
  async openings(): Promise<readonly DrawerOpening[]> {
    const asked = new Map<string, DrawerOpening[]>();
    const all = new Set<DrawerOpening>();
    for (const line of await this.#lines.read()) {
      const entry = entryOf(line);
      if (!entry) continue;
      const { messageId, state, ...opening } = entry;
      const name = JSON.stringify([opening.posId, messageId]);
      const own = asked.get(name) ?? [];
      asked.set(name, own);
      if (state === 'asked') {
        own.push(opening);
        all.add(opening);
      } else {
        const ended = own.pop();
        if (ended && state !== 'opened') all.delete(ended);
      }
    }
    return [...all];
  }
}

/** Undefined for a line that a power cut has torn. */
function entryOf(line: string): z.infer<typeof drawerLine> | undefined {
  try {
    return drawerLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
