import * as z from 'zod';
import { counterOf, ksnBytes, withCounter } from '../../base/domain/dukpt-counter.ts';
import type { KeyCounterFault } from '../../base/domain/line-security.ts';
import { inState } from '../../base/domain/written-files.ts';
import { readSecret, writeSecret } from '../../base/secrets/secret-file.ts';
import type { Journal } from '../../payment/contracts/journal.ts';
import type { KeyCounter, KeyCounters } from '../../payment/contracts/key-counter.ts';
import { ReservedCounter } from './reserved-counter.ts';

const stored = z.object({
  /** The time of the last restoration of the journal that this file has recorded. */
  restoredAt: z.string().optional(),
  /** The file has replaced a damaged one, which may have had further counters. */
  isIncomplete: z.literal(true).optional(),
  counters: z.record(
    z.string(),
    z.object({
      /** All counters up to this one are used. */
      reserved: z.number().int().min(0),
      /** The value may be that of an older copy. */
      isDoubtful: z.literal(true).optional(),
    }),
  ),
});
type Stored = z.infer<typeof stored>;

interface Loaded {
  content: Stored;
  /** The file could not be read. */
  readonly isDamaged: boolean;
  /** The journal was restored from an older copy since the file was written; the file may be as old. */
  readonly isCopy: boolean;
}

type KnownJournal = Pick<Journal, 'keyCounter' | 'noteKeyCounter' | 'restored'>;

/**
 * The counters in key-counters.json of the state directory. A block of counters is first written to the file, then to
 * the journal, and only then used. So the file is behind the journal only if it is not the one that was last written
 * here. A counter in doubt is not used until the configuration has a serial number from which it can continue.
 */
export class KeyCounterFile implements KeyCounters {
  readonly #file: string;
  readonly #journal: KnownJournal;
  readonly #open = new Map<string, Promise<ReservedCounter>>();
  #loading: Promise<Loaded> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateDir: string, journal: KnownJournal) {
    this.#file = inState(stateDir, 'key-counters.json');
    this.#journal = journal;
  }

  open(ksn: string): Promise<KeyCounter> {
    if (ksn.length !== 2 * ksnBytes) throw new RangeError(`a key serial number has ${ksnBytes} bytes`);
    const name = withCounter(ksn, 0);
    const known = this.#open.get(name);
    if (known) return known;
    const opened = this.#openCounter(name, counterOf(ksn));
    this.#open.set(name, opened);
    return opened;
  }

  async #openCounter(name: string, configured: number): Promise<ReservedCounter> {
    const loaded = await (this.#loading ??= this.#load());
    const journalled = await this.#journal.keyCounter(name);
    const entry = loaded.content.counters[name];
    const fault = faultOf(entry, journalled, loaded);
    const most = Math.max(entry?.reserved ?? 0, journalled ?? 0);
    // A fault ends if the configured counter is not below the counters of file and journal.
    const isSettled = fault !== undefined && configured > 0 && configured >= most;
    const used = Math.max(configured, most);
    if (fault !== undefined && !isSettled) {
      // The next start does not detect the restoration again, so it is stored. An unreadable file is not changed.
      if (fault === 'keyCounterRestored' && !entry)
        await this.#keep(name, { reserved: most, isDoubtful: true }).catch(() => undefined);
      return new ReservedCounter({ used, fault, reserve: refuse });
    }
    return new ReservedCounter({ used, fault: undefined, reserve: (upTo) => this.#reserve(name, upTo) });
  }

  async #load(): Promise<Loaded> {
    const { content, isDamaged } = await this.#read();
    const restoredAt = this.#journal.restored?.at;
    if (restoredAt === undefined || restoredAt === content.restoredAt) return { content, isDamaged, isCopy: false };
    const doubtful = Object.entries(content.counters).map(
      ([name, entry]) => [name, { ...entry, isDoubtful: true as const }] as const,
    );
    const marked = { ...content, restoredAt, counters: Object.fromEntries(doubtful) };
    // Stored, because the journal reports the restoration only until the operator has settled it.
    if (!isDamaged) await this.#write(marked).catch(() => undefined);
    return { content: marked, isDamaged, isCopy: true };
  }

  async #read(): Promise<Pick<Loaded, 'content' | 'isDamaged'>> {
    const nothing: Stored = { counters: {} };
    try {
      const text = await readSecret(this.#file);
      const content = text === undefined ? nothing : stored.parse(JSON.parse(text));
      return { content, isDamaged: false };
    } catch {
      return { content: { ...nothing, isIncomplete: true }, isDamaged: true };
    }
  }

  async #reserve(name: string, reserved: number): Promise<void> {
    await this.#keep(name, { reserved });
    await this.#journal.noteKeyCounter(name, reserved);
  }

  async #keep(name: string, entry: Stored['counters'][string]): Promise<void> {
    const loaded = await (this.#loading ??= this.#load());
    const { counters, ...others } = loaded.content;
    loaded.content = { ...others, counters: { ...counters, [name]: entry } };
    await this.#write(loaded.content);
  }

  /** Writes run one after the other, because each writes the whole file. */
  #write(content: Stored): Promise<void> {
    const written = this.#writing
      .catch(() => undefined)
      .then(() => writeSecret(this.#file, `${JSON.stringify(content)}\n`));
    this.#writing = written;
    return written;
  }
}

/** Why a counter can't be used. If neither file nor journal has the counter, the key is new. */
function faultOf(
  entry: Stored['counters'][string] | undefined,
  journalled: number | undefined,
  { content, isDamaged, isCopy }: Loaded,
): KeyCounterFault | undefined {
  if (isDamaged) return 'keyCounterDamaged';
  if (entry === undefined) {
    if (isCopy) return 'keyCounterRestored';
    if (content.isIncomplete) return 'keyCounterDamaged';
    return journalled === undefined ? undefined : 'keyCounterLost';
  }
  if (entry.isDoubtful) return 'keyCounterRestored';
  return journalled !== undefined && journalled > entry.reserved ? 'keyCounterBehind' : undefined;
}

function refuse(): Promise<never> {
  return Promise.reject(new RangeError('this counter is not used'));
}
