import { parentPort, workerData } from 'node:worker_threads';
import type { CardReader, PresentedCard } from '../../../src/base/ports/card-reader.ts';
import { systemClock } from '../../../src/base/ports/clock.ts';
import { DeviceError } from '../../../src/base/ports/device.ts';
import { LentWire } from '../../transport/lent-port.ts';
import { Line } from '../../transport/line.ts';
import { linePath, openLineReader } from '../open-reader.ts';
import { buffersOf, sendCollected, sendCompletion, type SentOutcome, sendPin } from './crossing.ts';
import type { FromThread, ReaderCall, ThreadData, ToThread } from './messages.ts';
import { raisePriority } from './priority.ts';

/** Carries out the main thread's calls with the reader of this thread. */
class ReaderServer {
  readonly #reader: CardReader;
  readonly #post: (message: FromThread, buffers?: ArrayBuffer[]) => void;
  readonly #running = new Map<number, AbortController>();
  /** The last card that was reported and waits for a decision or an outcome. */
  #held: { readonly call: number; readonly card: Pick<PresentedCard, 'awaitsDecision'> } | undefined;

  constructor(reader: CardReader, post: (message: FromThread, buffers?: ArrayBuffer[]) => void) {
    this.#reader = reader;
    this.#post = post;
  }

  async serve(call: number, asked: ReaderCall): Promise<void> {
    const stop = new AbortController();
    this.#running.set(call, stop);
    try {
      const outcome = await this.#carryOut(call, asked, stop.signal);
      this.#running.delete(call);
      this.#post({ kind: 'outcome', call, outcome }, buffersOf(outcome));
    } catch (error) {
      this.#running.delete(call);
      const code = error instanceof DeviceError ? error.code : undefined;
      this.#post({ kind: 'failure', call, code, message: error instanceof Error ? error.message : String(error) });
    }
  }

  /** If the abort crossed with the card, no decision will follow: the card is released. */
  async abort(call: number): Promise<void> {
    const running = this.#running.get(call);
    running?.abort();
    if (this.#held?.call === call) {
      const { awaitsDecision } = this.#held.card;
      this.#held = undefined;
      const unreachable = { kind: 'unreachable' } as const;
      const released = awaitsDecision ? this.#reader.complete?.(unreachable) : this.#reader.show?.(unreachable);
      // A reader that did not confirm is prepared again, and then no card waits.
      await released?.catch(() => undefined);
    }
    this.#post({ kind: 'released', call });
  }

  async #carryOut(call: number, asked: ReaderCall, signal: AbortSignal): Promise<SentOutcome> {
    switch (asked.kind) {
      case 'collect':
        return this.#collect(call, asked, signal);
      case 'enterPin':
        if (!this.#reader.pinPad) throw new DeviceError('absent', `${this.#reader.name} has no PIN pad`);
        return sendPin(await this.#reader.pinPad.enterPin(asked.request, signal));
      case 'complete':
        this.#held = undefined;
        return sendCompletion((await this.#reader.complete?.(asked.decision)) ?? { kind: 'lost' });
      case 'show':
        this.#held = undefined;
        await this.#reader.show?.(asked.decision);
        return { kind: 'shown' };
      default:
        return asked satisfies never;
    }
  }

  async #collect(
    call: number,
    { request, retries }: Extract<ReaderCall, { kind: 'collect' }>,
    signal: AbortSignal,
  ): Promise<SentOutcome> {
    this.#held = undefined;
    let reported: string | undefined;
    const outcome = await this.#reader.collect(
      request,
      signal,
      // A reason is reported once in a row: a card that stays in the field fails many times a second.
      retries
        ? (reason) => {
            if (reason === reported) return;
            reported = reason;
            this.#post({ kind: 'retry', call, reason });
          }
        : undefined,
    );
    if (outcome.kind === 'card' && (outcome.card.awaitsDecision ?? outcome.card.awaitsOutcome)) {
      this.#held = { call, card: { awaitsDecision: outcome.card.awaitsDecision } };
    }
    return sendCollected(outcome);
  }
}

const port = parentPort;
if (port) {
  const { driver, device } = workerData as ThreadData;
  const post = (message: FromThread, buffers: ArrayBuffer[] = []) => port.postMessage(message, buffers);
  const refused = raisePriority();
  post({ kind: 'begun', ...(refused === undefined ? {} : { refused }) });
  const wire = new LentWire(device.baudRate, (ask) => post({ kind: 'port', ask }));
  const onFault = (error: DeviceError, why: Extract<FromThread, { kind: 'fault' }>['why']) =>
    post({ kind: 'fault', message: error.message, why });
  const line = new Line({ path: linePath(device) ?? '', clock: systemClock, onFault }, wire);
  let opened: CardReader | undefined;
  const opening = openLineReader(driver, device, line, systemClock).then((reader) => {
    opened = reader;
    post({ kind: 'state', state: reader.state });
    reader.onState((state) => post({ kind: 'state', state }));
    return { reader, server: new ReaderServer(reader, post) };
  });
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'ping':
        return post({ kind: 'pong', turns: opened?.turns ?? 0 });
      case 'port':
        return wire.handle(message.answer);
      case 'abort':
        return void opening.then(({ server }) => server.abort(message.call));
      case 'close':
        return void opening.then(async ({ reader }) => {
          await reader.close();
          post({ kind: 'closed' });
          port.close();
        });
      default:
        return void opening.then(({ server }) => server.serve(message.call, message));
    }
  });
}
