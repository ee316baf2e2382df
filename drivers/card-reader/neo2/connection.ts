import { DeviceError } from '../../../src/base/ports/device.ts';
import type { Transport } from '../../transport/transport.ts';
import { DeviceLane, type LaneOptions } from '../device-lane.ts';
import * as commands from './commands.ts';
import { Exchange, type ExchangeLimits, type Reply } from './exchange.ts';
import { status } from './status.ts';

export interface ConnectionOptions extends LaneOptions {
  /** Time-out of ping, version, poll mode, and the first of two answers. */
  readonly replyTimeoutMs: number;
  /** Time-out of 05-01 and 62-00: the reader may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs: number;
  /** An incomplete frame is dropped this long after its last byte. */
  readonly frameGapMs: number;
}

/** Commands, cancellation and preparation of one reader. Use all but `lane` only inside the lane's `exclusively`. */
export class Connection {
  readonly name: string;
  readonly lane: DeviceLane;
  readonly #options: ConnectionOptions;
  readonly #exchange: Exchange;
  #firmware: string | undefined;

  constructor(transport: Transport, options: ConnectionOptions) {
    this.name = `neo2 at ${transport.path}`;
    this.#options = options;
    this.#exchange = new Exchange(transport, options.clock, options.frameGapMs);
    this.lane = new DeviceLane(
      transport,
      {
        prepare: () => this.#prepare(),
        answers: async () => isOk(await this.#ping()),
        close: () => this.#exchange.close(),
      },
      options,
    );
  }

  get firmware(): string | undefined {
    return this.#firmware;
  }

  /** Never rejects. */
  run(frame: Uint8Array, command: number, limits: ExchangeLimits): Promise<Reply> {
    return this.#exchange.run(frame, command, limits);
  }

  /**
   * Sends 05-01 once, and nothing else until it is answered (IDG p.242). Any answer proves that the reader has read a
   * command and is disarmed ("other commands … count as a cancel", VP3350 user manual 7.1), unless it reports that the
   * command was damaged. Without such an answer it starts over with the reader and throws DeviceError.
   */
  disarm(): Promise<void> {
    return this.sendUntilConfirmed(commands.cancel(), commands.command.cancel);
  }

  /** Sends the command that ends the reader's work, and waits for its confirmation. Throws as `disarm` does. */
  async sendUntilConfirmed(
    frame: Uint8Array,
    command: number,
    acknowledgement?: ExchangeLimits['acknowledgement'],
  ): Promise<void> {
    const reply = await this.run(frame, command, {
      timeoutMs: this.#options.cancelTimeoutMs,
      // The rest of a card's answer may come before the answer to this command.
      ignoreGarble: true,
      ...(acknowledgement && { acknowledgement }),
    });
    if (reply.kind === 'answer') {
      reply.data.fill(0);
      if (!wasDamaged(reply.status)) return;
    }
    this.lane.startOver();
    if (reply.kind === 'vanished') throw new DeviceError('vanished', `${this.name} vanished during a cancellation`);
    if (reply.kind === 'answer') throw new DeviceError('refused', `${this.name} could not read the cancellation`);
    throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
  }

  /**
   * A reader answers in order: once it has answered a ping, no earlier command will be answered any more. Starts over
   * with a reader that does not answer.
   */
  async flush(): Promise<void> {
    if (!isOk(await this.#ping())) this.lane.startOver();
  }

  async #prepare(): Promise<boolean> {
    const { cancelTimeoutMs } = this.#options;
    // An earlier run, or an unplugged cable, may have left the reader armed, and then only 05-01 may be sent. The
    // answer is ignored: no document states how an idle reader answers. Unverified on hardware.
    const limits = { timeoutMs: cancelTimeoutMs, signal: this.lane.closing, ignoreGarble: true };
    const cancelled = await this.run(commands.cancel(), commands.command.cancel, limits);
    if (cancelled.kind === 'vanished' || cancelled.kind === 'aborted') return false;
    if (cancelled.kind === 'answer' && cancelled.status === status.notAllowed) {
      // The reader may also wait for a PIN: then it accepts only 62-00 (fixtures/README.md).
      await this.run(commands.cancelPin(), commands.command.pin, limits);
    }
    if (!isOk(await this.#ping())) return false;
    const version = await this.#ask(commands.version(), commands.command.version);
    if (version.kind !== 'answer') return false;
    this.#firmware = isOk(version) ? printable(version.data) : undefined;
    return isOk(await this.#ask(commands.pollOnDemand(), commands.command.pollMode));
  }

  #ping(): Promise<Reply> {
    return this.#ask(commands.ping(), commands.command.ping);
  }

  #ask(frame: Uint8Array, command: number): Promise<Reply> {
    return this.run(frame, command, { timeoutMs: this.#options.replyTimeoutMs, signal: this.lane.closing });
  }
}

/** Whether the reader answered that it could not read the command. Then it has not carried it out. */
export function wasDamaged(code: number): boolean {
  return code === status.crcError || code === status.badHeader;
}

function isOk(reply: Reply): boolean {
  return reply.kind === 'answer' && reply.status === status.ok;
}

/** Version text of IDG p.131, at most 64 characters of it; some readers end it with a zero byte. */
function printable(data: Uint8Array): string | undefined {
  const text = Buffer.from(data.subarray(0, 64)).toString('latin1').replace(/\0+$/, '');
  return /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}
