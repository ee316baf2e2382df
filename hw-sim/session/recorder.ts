import type { TillAnswer, TillCall } from '../till/till.ts';
import { type RecordedStep, type TillStep, toldOf, transactionOf } from './recording.ts';

const stepsMax = 500;

type Identity = Readonly<Record<'posId' | 'messageId', unknown>>;

interface NotedStep {
  step: RecordedStep;
  /** Of a request. */
  readonly identity?: Identity;
  /** Of its answer. */
  transaction?: string | undefined;
}

/** Notes what was done on the simulator: the customers' acts, the faults, and what the page's till asked. */
export class Recorder {
  readonly #now: () => number;
  #noted: NotedStep[] = [];
  #beganMs: number;
  /** The newest frame when the recording began. */
  afterFrame = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#beganMs = now();
  }

  begin(afterFrame: number): void {
    this.#noted = [];
    this.#beganMs = this.#now();
    this.afterFrame = afterFrame;
  }

  /** Milliseconds since the recording began. */
  get atMs(): number {
    return Math.round(this.#now() - this.#beganMs);
  }

  /** A call that succeeded; `atMs` is when it came. */
  note(call: string, body: Record<string, unknown>, atMs: number): void {
    this.#add({ step: { atMs, call, body } });
  }

  /** A request of the till that leaves now. The returned function is told its answer. */
  noteTill({ method, path, body }: TillCall): (answer: TillAnswer) => void {
    const { posId, messageId, originalTerminalTransactionId, ...rest } = { ...body } as Record<string, unknown>;
    const requests = this.#noted.filter(({ step }) => 'till' in step);
    const of = requests.findIndex(({ identity }) => identity?.messageId === messageId && identity?.posId === posId);
    const original = requests.findIndex(
      ({ transaction }) => transaction !== undefined && transaction === originalTerminalTransactionId,
    );
    const noted: NotedStep = {
      step: {
        atMs: this.atMs,
        till: { method, path, ...(body !== undefined && { body: rest }) },
        ...(messageId !== undefined && of >= 0 && { of }),
        ...(original >= 0 && { original }),
      },
      ...(messageId !== undefined && { identity: { posId, messageId } }),
    };
    this.#add(noted);
    return ({ status, body: text }) => {
      const step: TillStep = { ...(noted.step as TillStep), endedMs: this.atMs, told: toldOf(status, text) };
      noted.step = step;
      noted.transaction = transactionOf(text);
    };
  }

  /** In the order in which they were begun. */
  get noted(): readonly NotedStep[] {
    return this.#noted.toSorted((a, b) => a.step.atMs - b.step.atMs);
  }

  #add(noted: NotedStep): void {
    if (this.#noted.length < stepsMax) this.#noted.push(noted);
  }
}
