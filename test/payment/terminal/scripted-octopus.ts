import type { DeviceState } from '../../../src/base/ports/device.ts';
import type {
  OctopusCard,
  OctopusDeduct,
  OctopusDeduction,
  OctopusFinding,
  OctopusPoll,
  OctopusReader,
  OctopusUpload,
} from '../../../src/base/ports/octopus-reader.ts';
import { ArmedWait } from './armed-wait.ts';
import type { Trace } from './trace.ts';

export const octopusCard: OctopusCard = { cardId: '12345678', balanceMinor: 50_000n };

/** The outcome of one deduction, and the answer to the terminal. */
export interface DeductionScript {
  /** If missing, nothing was deducted. */
  readonly state?: 'deducted' | 'incomplete';
  readonly outcome: OctopusDeduction;
}

export const deducts: DeductionScript = {
  state: 'deducted',
  outcome: { kind: 'deducted', card: { ...octopusCard, balanceMinor: 47_000n }, receipt: 'R-1' },
};
export const staysIncomplete: DeductionScript = { state: 'incomplete', outcome: { kind: 'incomplete', code: 100_022 } };
export const deductsAndGoesAway: DeductionScript = { state: 'deducted', outcome: { kind: 'unknown' } };
export const goesAway: DeductionScript = { outcome: { kind: 'unknown' } };

/** A reader with books: a reference is deducted once; after the answer "none", never. */
export class ScriptedOctopus implements OctopusReader {
  readonly name = 'scripted Octopus reader';
  deviceId = 'first';
  state: DeviceState = 'ready';
  readonly wait: ArmedWait<OctopusPoll>;
  readonly books = new Map<string, 'deducted' | 'incomplete' | 'none'>();
  readonly deductions: OctopusDeduct[] = [];
  readonly #trace: Trace;
  readonly #listeners = new Set<(state: DeviceState) => void>();

  onDeduct: (order: OctopusDeduct) => DeductionScript | Promise<DeductionScript> = () => deducts;
  /** If missing, the answer is that of the books. */
  onFind: (reference: string) => OctopusFinding | undefined | Promise<OctopusFinding | undefined> = () => undefined;
  onUpload: () => OctopusUpload | Promise<OctopusUpload> = () => ({
    kind: 'uploaded',
    count: this.deducted,
    totalMinor: 0n,
  });

  constructor(trace: Trace) {
    this.wait = new ArmedWait<OctopusPoll>('octopus', { kind: 'cancelled' }, trace);
    this.#trace = trace;
  }

  get deducted(): number {
    return [...this.books.values()].filter((state) => state === 'deducted').length;
  }

  poll(signal: AbortSignal): Promise<OctopusPoll> {
    return this.wait.arm(signal);
  }

  tap(card: OctopusCard = octopusCard): void {
    this.wait.answer({ kind: 'card', card });
  }

  async deduct(order: OctopusDeduct): Promise<OctopusDeduction> {
    if (order.deviceId !== undefined && order.deviceId !== this.deviceId) return { kind: 'unknown' };
    this.deductions.push(order);
    this.#trace.push('octopus: deduct');
    const { state, outcome } = await this.onDeduct(order);
    const before = this.books.get(order.reference);
    if (before === 'deducted') return deducts.outcome;
    if (before === 'none') return { kind: 'refused', reason: 'cardUnusable', code: 100_021 };
    if (state) this.books.set(order.reference, state);
    return outcome;
  }

  async find(reference: string, deviceId = this.deviceId): Promise<OctopusFinding> {
    this.#trace.push('octopus: find');
    const reported = await this.onFind(reference);
    if (reported) return reported;
    const state = this.books.get(reference) ?? 'none';
    if (state === 'none' && deviceId !== this.deviceId) return { kind: 'otherReader' };
    this.books.set(reference, state);
    return state === 'deducted' ? { kind: 'deducted', card: octopusCard, receipt: 'R-1' } : { kind: state };
  }

  async upload(): Promise<OctopusUpload> {
    return this.onUpload();
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The reader was connected or disconnected. */
  become(state: DeviceState): void {
    this.state = state;
    for (const listener of this.#listeners) listener(state);
  }

  async close(): Promise<void> {}
}
