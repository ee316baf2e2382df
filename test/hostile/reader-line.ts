import { EchoHost } from '../bench/echo-host.ts';
import { NativeReader, type Turns } from '../bench/native-reader.ts';
import { configured, type RunningDaemon, type BenchStage } from '../bench/bench-stage.ts';
import type { Front } from './attack.ts';
import { settingsOf } from './counter.ts';
import { Pos } from './pos.ts';
import type { Ports } from './siege.ts';

/** Long enough for a 99th percentile, short enough for a moment of another's work to spoil one of many. */
const span = { warmup: 0, turns: 500, mostMs: 150 };

/**
 * A daemon as it is installed, whose reader is the bench's in C (test/bench/c/reader.c): while a payment is collecting it refuses
 * each 02-40 at once, and times from its answer to the first byte of the next.
 */
export class ReaderLine {
  readonly ports: Ports;
  readonly #host: EchoHost;
  readonly #reader: NativeReader;
  readonly #daemon: RunningDaemon;
  readonly #pos: Pos;
  #collecting = '';

  private constructor(host: EchoHost, reader: NativeReader, daemon: RunningDaemon, pos: Pos, ports: Ports) {
    this.#host = host;
    this.#reader = reader;
    this.#daemon = daemon;
    this.#pos = pos;
    this.ports = ports;
  }

  /** `program`: the reader, compiled. */
  static async open(stage: BenchStage, program: string, front: Front): Promise<ReaderLine> {
    const reader = await NativeReader.open(program, stage.children);
    const host = new EchoHost();
    await host.listen();
    const configuration = await stage.written('poid', {
      ...configured(reader.path, host.port),
      ...settingsOf(front),
    });
    const stateDir = stage.fresh('state');
    const daemon = await stage.daemon({ configuration, stateDir });
    const ports = { apiPort: Number(new URL(daemon.api).port), screenPort: Number(new URL(daemon.screen).port) };
    const pos = new Pos(front, ports.apiPort);
    if (front === 'paired') await pos.pairAt(stateDir);
    return new ReaderLine(host, reader, daemon, pos, ports);
  }

  /** A payment begins, and collects until `cancel`. */
  collect(): void {
    const sale = this.#pos.sale();
    this.#collecting = sale.messageId;
    this.#pos.call('payment', sale).catch(() => undefined);
  }

  /** While a payment collects: some hundred turns. */
  turns(): Promise<Turns> {
    return this.#reader.turns(span);
  }

  async cancel(): Promise<void> {
    const { status, body } = await this.#pos.call('cancel', { posId: this.#pos.posId, messageId: this.#collecting });
    if (status !== 200) throw new Error(`it can't be cancelled: ${JSON.stringify(body)}`);
  }

  async close(): Promise<void> {
    await this.#daemon.stop();
    await this.#host.close();
  }
}
