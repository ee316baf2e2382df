import { DeviceError } from '../../../src/ports/device.ts';
import type { Transport } from '../../transport/transport.ts';
import { DeviceLane, type LaneOptions } from '../device-lane.ts';
import * as commands from './commands.ts';
import { Exchange, type ExchangeLimits, type Reply } from './exchange.ts';
import { status } from './status.ts';

export interface ConnectionOptions extends LaneOptions {
  /** Ping, version, poll mode, and the first of two answers. */
  readonly replyTimeoutMs: number;
  /** The answer to 05-01 and 62-00: the reader may have to finish an exchange with a card first. */
  readonly cancelTimeoutMs: number;
  /** Half a frame is given up this long after its last byte. */
  readonly frameGapMs: number;
}

/** Commands and cancellations of one reader, and what prepares it. All but `lane` only inside the lane's `exclusively`. */
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
   * 05-01 once, and nothing else until it is answered (IDG p.242). Whatever the reader says, it has read a command and
   * is not armed any more ("other commands … count as a cancel", VP3350 user manual 7.1), unless what it says is that
   * the command was damaged. Throws DeviceError when that can't be had, and starts over with the reader.
   */
  disarm(): Promise<void> {
    return this.sendUntilConfirmed(commands.cancel(), commands.command.cancel);
  }

  /** Sends what ends the reader's work and waits until it says so. Throws as `disarm` does. */
  async sendUntilConfirmed(
    frame: Uint8Array,
    command: number,
    acknowledgement?: ExchangeLimits['acknowledgement'],
  ): Promise<void> {
    const reply = await this.run(frame, command, {
      timeoutMs: this.#options.cancelTimeoutMs,
      // The remains of a card's answer may come before the reader's own.
      ignoreGarble: true,
      ...(acknowledgement && { acknowledgement }),
    });
    if (reply.kind === 'answer') {
      reply.data.fill(0);
      if (!wasDamaged(reply.status)) return;
    }
    this.lane.startOver();
    if (reply.kind === 'vanished') throw new DeviceError('vanished', `${this.name} went while it was being cancelled`);
    if (reply.kind === 'answer') throw new DeviceError('refused', `${this.name} could not read the cancellation`);
    throw new DeviceError('timeout', `${this.name} did not confirm the cancellation`);
  }

  /**
   * A reader answers in order: once it has answered a ping, nothing that it was sent before will be answered any more.
   * Starts over with a reader that does not answer.
   */
  async flush(): Promise<void> {
    if (!isOk(await this.#ping())) this.lane.startOver();
  }

  async #prepare(): Promise<boolean> {
    const { cancelTimeoutMs } = this.#options;
    // An earlier run, or an unplugged cable, may have left it armed, and to an armed reader only 05-01 may be sent.
    // Its answer does not matter: nothing says what an idle reader answers. Unverified on hardware.
    const limits = { timeoutMs: cancelTimeoutMs, signal: this.lane.closing, ignoreGarble: true };
    const cancelled = await this.run(commands.cancel(), commands.command.cancel, limits);
    if (cancelled.kind === 'vanished' || cancelled.kind === 'aborted') return false;
    if (cancelled.kind === 'answer' && cancelled.status === status.notAllowed) {
      // Or asking for a PIN: then 62-00 is the only command that it takes (fixtures/README.md).
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

/** The reader says that it could not read the command: it has not done what it says. */
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
