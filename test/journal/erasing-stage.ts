import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { Accepted } from '../../src/payment/events/accepted.ts';
import type { JournalEvent } from '../../src/payment/events/event.ts';
import type { SettledBatch } from '../../src/payment/events/settlement.ts';
import { Eraser } from '../../src/journal/eraser.ts';
import { JournalStore } from '../../src/journal/store.ts';
import { accepted, draft, fromOne, numbered } from './events.ts';

export const EDC = acquirerId('EDC');
export const success: JournalEvent = { kind: 'ended', outcome: 'approved', result: 'SUCCESS', code: 0, message: '' };
export const dayMs = 86_400_000;
const january = Date.UTC(2026, 0, 20);

/** The card number of this payment as its reader encrypted it, and the serial number of its key. */
export const panOf = (ordinal: number) => `ABCD${String(ordinal).padStart(4, '0')}`.repeat(4);
export const ksnOf = (ordinal: number) => `FFFF9876543210E0${String(ordinal).padStart(4, '0')}`;

/** A journal whose payments have a card number each. */
export class ErasingStage {
  readonly dir: string;
  now = january;
  store: JournalStore;

  private constructor(dir: string, isOnTrial = false) {
    this.dir = dir;
    this.store = this.#open(isOnTrial);
  }

  static open(t: TestContext, isOnTrial = false): ErasingStage {
    const stage = new ErasingStage(mkdtempSync(path.join(tmpdir(), 'poid-erasing-')), isOnTrial);
    t.after(() => stage.#remove());
    return stage;
  }

  /** What a power cut now leaves: another directory with the same files, but for those that `instead` has. */
  cut(t: TestContext, instead: () => Readonly<Record<string, Buffer>> = () => ({})): ErasingStage {
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-erasing-cut-'));
    cpSync(this.dir, dir, { recursive: true });
    for (const [name, bytes] of Object.entries(instead())) writeFileSync(path.join(dir, name), bytes);
    const stage = new ErasingStage(dir);
    stage.now = this.now;
    t.after(() => stage.#remove());
    return stage;
  }

  /** `between`: what is done to the files while nobody uses them. */
  restart(isOnTrial = false, between: () => void = () => undefined): void {
    this.store.close();
    between();
    this.store = this.#open(isOnTrial);
  }

  /** After another process has used the files. */
  reopen(): void {
    this.store = this.#open(false);
  }

  sell(ordinal: number, events: readonly JournalEvent[] = [success], more: Partial<Accepted> = {}): void {
    const id = numbered(ordinal);
    this.store.open(id, { ...accepted(`M-${ordinal}`), ...more });
    this.store.intend(id, { ...draft(), encryptedPan: panOf(ordinal), ksn: ksnOf(ordinal) });
    this.store.append(id, events);
  }

  /** Closes the open batch; settled unless the host does not answer. */
  settle(isAnswered = true): void {
    const batch = this.store.openBatch(EDC);
    const at = new Date(this.now).toISOString();
    const id = numbered(900_000 + batch);
    const mark = this.store.batchMark(EDC, batch);
    this.store.openSettlement({ id, posId: 'POS-1', messageId: `S-${batch}`, digest: '', at });
    this.store.closeBatch({ acquirerId: EDC, batch, at, totals: [], currencies: [], mark, mayStayUnknown: true });
    const result: SettledBatch = { acquirerId: EDC, mid: '', tid: '', batch, result: 'BALANCED', totals: [] };
    if (isAnswered) this.store.endSettlement(id, [result], false);
  }

  archive(): void {
    for (let after: number | undefined = 0; after !== undefined; )
      ({ next: after } = this.store.archive(new Date(this.now + 1), after, 3));
  }

  /** Works on the file as another program does. */
  raw<T>(work: (database: DatabaseSync) => T, isOnTrial = false): T {
    let reported: T | undefined;
    this.restart(isOnTrial, () => {
      const database = new DatabaseSync(path.join(this.dir, 'journal.db'));
      reported = work(database);
      database.close();
    });
    return reported as T;
  }

  /** Everything that there is to do now, step by step. */
  erase(onStep: () => void = () => undefined): void {
    const onFailure = (error: unknown) => {
      throw error;
    };
    const eraser = new Eraser({ erasing: this.store.erasing, now: () => new Date(this.now), onFailure });
    eraser.stop();
    while (eraser.step()) onStep();
  }

  /** Of these payments, those whose card number or key serial number is anywhere in the files. */
  found(ordinals: readonly number[]): number[] {
    const bytes = readdirSync(this.dir).map((name) => contentOf(path.join(this.dir, name)));
    const has = (text: string) => bytes.some((each) => each.includes(text));
    return ordinals.filter((ordinal) => has(panOf(ordinal)) || has(ksnOf(ordinal)));
  }

  #open(isOnTrial: boolean): JournalStore {
    return new JournalStore(path.join(this.dir, 'journal.db'), () => new Date(this.now), fromOne, { isOnTrial });
  }

  #remove(): void {
    this.store.close();
    rmSync(this.dir, { recursive: true });
  }
}

/** An archive is compressed; whatever is behind its last whole member counts as it is. */
function contentOf(file: string): string {
  const bytes = readFileSync(file);
  const text = bytes.toString('latin1');
  try {
    return file.endsWith('.gz') ? text + gunzipSync(bytes).toString('latin1') : text;
  } catch {
    return text;
  }
}
