import { DeviceError } from '../../../src/base/ports/device.ts';
import type { ReportTransport } from '../../transport/reports.ts';
import { DeviceLane, type LaneOptions } from '../device-lane.ts';
import { cancel, endPin, notification } from './commands.ts';
import { Exchange, type Nothing, type Notification, type Response, type WaitLimits } from './exchange.ts';
import type { Command } from './message.ts';
import { isDone, isStarted, refusal } from './status.ts';

export interface ConnectionOptions extends LaneOptions {
  /** Time-out of the answer to a command. */
  readonly replyTimeoutMs: number;
  /** Time-out from 1008 until the reader is idle: it may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs: number;
  /** Pause between two attempts to cancel, while the reader refuses the cancellation. */
  readonly cancelAgainMs: number;
  /** An incomplete message is dropped this long after its last report. */
  readonly messageGapMs: number;
}

/** Commands, notifications and cancellation of one reader. Use all but `lane` only inside the lane's `exclusively`. */
export class Connection {
  readonly name: string;
  readonly lane: DeviceLane;
  /** The device's serial number from its latest card data: 1004 must repeat it. */
  serial: Uint8Array = new Uint8Array();
  readonly #options: ConnectionOptions;
  readonly #exchange: Exchange;

  constructor(reports: ReportTransport, options: ConnectionOptions) {
    this.name = `mms at ${reports.path}`;
    this.#options = options;
    this.#exchange = new Exchange(reports, options.clock, options.messageGapMs);
    this.lane = new DeviceLane(
      reports,
      {
        // An earlier run, or an unplugged cable, may have left the reader armed. So the probe is a cancellation, which
        // an idle reader answers too (p.101).
        prepare: () => this.#prepare(),
        answers: async () => (await this.request(cancel, this.lane.closing)).kind === 'response',
        forget: () => this.#exchange.forget(),
        close: () => this.#exchange.close(),
      },
      options,
    );
  }

  /** Never rejects. */
  request(command: Command, signal?: AbortSignal): Promise<Response | Nothing> {
    return this.#exchange.request(command, { timeoutMs: this.#options.replyTimeoutMs, ...(signal && { signal }) });
  }

  /** Rejects with the error that `hear` throws. */
  listen<Heard>(limits: WaitLimits, hear: (notification: Notification) => Heard | undefined) {
    return this.#exchange.listen(limits, hear);
  }

  /**
   * Sends 1008 until the reader reports that it is idle. If it does not report it, starts over with the reader and
   * throws DeviceError.
   */
  disarm(): Promise<void> {
    return this.#end(cancel);
  }

  /** The same for a PIN entry, which needs another command. */
  endPin(): Promise<void> {
    return this.#end(endPin);
  }

  /** 1008 does not end a PIN entry. No document states how an idle pad answers the other command. */
  async #prepare(): Promise<boolean> {
    if ((await this.#cancel(cancel, this.lane.closing)) !== 'idle') return false;
    const padEnded = await this.#cancel(endPin, this.lane.closing);
    return padEnded === 'idle' || padEnded === 'refused';
  }

  async #end(command: Command): Promise<void> {
    const ended = await this.#cancel(command);
    if (ended === 'idle') return;
    this.lane.startOver();
    switch (ended) {
      case 'vanished':
        throw new DeviceError('vanished', `${this.name} vanished during a cancellation`);
      case 'refused':
        throw new DeviceError('refused', `${this.name} could not be cancelled`);
      case 'aborted':
      case 'garbled':
      case 'silent':
        throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
      default:
        return ended satisfies never;
    }
  }

  async #cancel(command: Command, signal?: AbortSignal): Promise<'idle' | 'refused' | Nothing['kind']> {
    const { cancelTimeoutMs, cancelAgainMs } = this.#options;
    // The rest of a card's data may come before the answer.
    const limits = { ignoreGarble: true, ...(signal && { signal }) };
    for (let leftMs = cancelTimeoutMs; leftMs > 0; leftMs -= cancelAgainMs) {
      const reply = await this.#exchange.request(command, { ...limits, timeoutMs: leftMs });
      if (reply.kind !== 'response') return reply.kind;
      if (isDone(reply.summary) || reply.detail === refusal.noTransaction) return 'idle';
      if (!isStarted(reply.summary) && reply.detail !== refusal.cannotCancel) return 'refused';
      // The transaction ends by itself, or can be cancelled a moment later.
      const end = await this.#exchange.listen({ ...limits, timeoutMs: cancelAgainMs }, ({ id }) =>
        id === notification.transactionOver || id === notification.pin ? true : undefined,
      );
      if (end.kind === 'heard') return 'idle';
      if (end.kind !== 'silent') return end.kind;
    }
    return 'silent';
  }
}
