import type {
  CardCompletion,
  CardDecision,
  CardInterface,
  CardReader,
  CollectOutcome,
  CollectRequest,
} from '../../../src/base/ports/card-reader.ts';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import type { ScriptedPinPad } from './scripted-pin-pad.ts';
import type { ScriptedReader } from './scripted-reader.ts';
import type { Trace } from './trace.ts';

export const agrees: CardCompletion = { kind: 'agreed', emv: new Map([['9F27', Uint8Array.of(0x40)]]) };

/** The scripted reader with slot, magnetic head and PIN pad. */
export class EquippedReader implements CardReader {
  readonly interfaces: readonly CardInterface[] = ['contactless', 'chip', 'magstripe'];
  readonly pinPad: ScriptedPinPad;
  readonly decisions: CardDecision[] = [];
  readonly shown: CardDecision[] = [];
  readonly #reader: ScriptedReader;
  readonly #trace: Trace;
  onComplete: (decision: CardDecision) => CardCompletion | Promise<CardCompletion> = ({ kind }) =>
    kind === 'approved' ? agrees : { kind: 'refused', emv: new Map() };

  constructor(reader: ScriptedReader, pinPad: ScriptedPinPad, trace: Trace) {
    this.#reader = reader;
    this.pinPad = pinPad;
    this.#trace = trace;
  }

  get name(): string {
    return this.#reader.name;
  }

  get state(): DeviceState {
    return this.#reader.state;
  }

  collect(request: CollectRequest, signal: AbortSignal): Promise<CollectOutcome> {
    return this.#reader.collect(request, signal);
  }

  /** Ends the current collect with this result. */
  fail(error: Error): void {
    this.#trace.push('reader: failed');
    this.#reader.fail(error);
  }

  async complete(decision: CardDecision): Promise<CardCompletion> {
    this.#trace.push(`reader: complete ${decision.kind}`);
    this.decisions.push(decision);
    const completion = await this.onComplete(decision);
    this.#trace.push(`reader: completed ${completion.kind}`);
    return completion;
  }

  show(decision: CardDecision): Promise<void> {
    this.#trace.push(`reader: show ${decision.kind}`);
    this.shown.push(decision);
    return Promise.resolve();
  }

  onState(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {}
}
