import type { TillAnswer, TillCall } from '../till/till.ts';
import {
  noAnswer,
  type RecordedEvent,
  type RecordedStep,
  type TillStep,
  recordedAnswerOf,
  transactionOf,
} from './recording.ts';

/** The first ones are kept, because a replay begins with them. */
const stepsMax = 500;
const eventsMax = 2000;

type Identity = Readonly<Record<'posId' | 'messageId', unknown>>;

interface NotedStep {
  step: RecordedStep;
  /** Of a request. */
  readonly identity?: Identity;
  /** Of its answer. */
  transaction?: string | undefined;
}

interface NotedEvent {
  readonly atMs: number;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Records the steps on the simulator: the customers' actions, the faults, the requests of the page's till, and the
 * terminal's events.
 */
export class Recorder {
  readonly #now: () => number;
  #noted: NotedStep[] = [];
  #events: NotedEvent[] = [];
  #leftOff = { steps: 0, events: 0 };
  #beganMs: number;
  /** The newest frame when the recording began. */
  afterFrame = 0;

  /** `now`: milliseconds since 1970, as the wires have them. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
    this.#beganMs = now();
  }

  begin(afterFrame: number): void {
    this.#noted = [];
    this.#events = [];
    this.#leftOff = { steps: 0, events: 0 };
    this.#beganMs = this.#now();
    this.afterFrame = afterFrame;
  }

  get beganMs(): number {
    return this.#beganMs;
  }

  /** Milliseconds since the recording began. */
  get atMs(): number {
    return Math.round(this.#now() - this.#beganMs);
  }

  /** How many are not kept, because the limit was reached. */
  get leftOff(): Readonly<Record<'steps' | 'events', number>> {
    return this.#leftOff;
  }

  /** A call that succeeded; `atMs` is when it came. */
  note(call: string, body: Record<string, unknown>, atMs: number): void {
    this.#add({ step: { atMs, call, body } });
  }

  /** A request of the till that is sent now. The returned function takes its answer, or undefined if there is none. */
  noteTill({ method, path, body }: TillCall): (answer: TillAnswer | undefined) => void {
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
    return (answer) => {
      const answered = answer ? recordedAnswerOf(answer.status, answer.body) : noAnswer;
      const step: TillStep = { ...(noted.step as TillStep), endedMs: this.atMs, told: answered };
      noted.step = step;
      noted.transaction = answer && transactionOf(answer.body);
    };
  }

  /** An event of the terminal; `reset` if the terminal could not send all events. */
  noteEvent(event: string, data: Readonly<Record<string, unknown>>): void {
    if (this.#events.length < eventsMax) this.#events.push({ atMs: this.atMs, event, data });
    else this.#leftOff.events += 1;
  }

  /** In the order in which they came, each with the request that it is about instead of its identity. */
  get events(): readonly RecordedEvent[] {
    const requests = this.noted.filter(({ step }) => 'till' in step);
    return this.#events.map(({ atMs, event, data }) => {
      const { posId, messageId, terminalTransactionId: _, at: __, ...reported } = data;
      const of = requests.findIndex(({ identity }) => identity?.messageId === messageId && identity?.posId === posId);
      return { atMs, event, ...(messageId !== undefined && of >= 0 && { of }), told: reported };
    });
  }

  /** In the order in which they were begun. */
  get noted(): readonly NotedStep[] {
    return this.#noted.toSorted((a, b) => a.step.atMs - b.step.atMs);
  }

  #add(noted: NotedStep): void {
    if (this.#noted.length < stepsMax) this.#noted.push(noted);
    else this.#leftOff.steps += 1;
  }
}
