import type { Clock } from '../../../src/ports/clock.ts';
import type { DeviceState } from '../../../src/ports/device.ts';
import type { PrinterFault, PrinterStatus, ReceiptPrinter, Sheet } from '../../../src/ports/receipt-printer.ts';
import type { Transport } from '../../transport/transport.ts';
import { PrinterConnection } from './connection.ts';
import { type DrawerPin, drawerKick } from './drawer.ts';
import type { PrinterJob } from './receipt-job.ts';

export interface EscposPrinterOptions {
  readonly clock: Clock;
  /** Makes the printer's bytes of sheets. Rejects with RangeError for lines laid out for wider paper. */
  readonly render: (sheets: readonly Sheet[]) => Promise<PrinterJob>;
  /** For one status answer; printers answer within milliseconds. */
  readonly replyTimeoutMs?: number;
  /** For the operating system to take one chunk; a printer may hold the line while its buffer is full. */
  readonly writeTimeoutMs?: number;
  /** How often a printer with a fault, or one that does not answer, is asked again. */
  readonly faultPollMs?: number;
  /**
   * Mechanical time for one line. The status after a job is asked when so much time has passed for each of its lines,
   * because the status is real-time: asked at once it tells of the paper before the job. 30 ms: 4.2 mm at 140 mm/s.
   * Unverified on hardware.
   */
  readonly lineTimeMs?: number;
  readonly chunkBytes?: number;
  /** Jobs that may wait, the printing one included. */
  readonly jobsMax?: number;
  readonly drawerPin?: DrawerPin;
}

/** The longest job: a receipt has 1 to 2 KB, its picture some 50. */
const jobBytesMax = 256 * 1024;
/** The longest wait for the mechanics. */
const printingMsMax = 30_000;

/**
 * A receipt printer that speaks ESC/POS and answers DLE EOT. 'ready' as soon as it has answered after connecting, with
 * or without paper. One thing at a time goes over the wire; jobs wait for each other.
 * `print` resolves with 'error' for a job that is too long or one too many.
 */
export function escposPrinter(transport: Transport, options: EscposPrinterOptions): ReceiptPrinter {
  return new TransportPrinter(transport, options);
}

class TransportPrinter implements ReceiptPrinter {
  readonly name: string;
  readonly #transport: Transport;
  readonly #options: Required<EscposPrinterOptions>;
  readonly #stateListeners = new Set<(state: DeviceState) => void>();
  readonly #faultListeners = new Set<(fault: PrinterFault | undefined) => void>();
  readonly #leaveTransport: readonly (() => void)[];
  #state: DeviceState = 'absent';
  #fault: PrinterFault | undefined = 'absent';
  #connection: PrinterConnection | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #waitingStatus: Promise<PrinterStatus> | undefined;
  #waitingKick: PromiseWithResolvers<PrinterFault | undefined> | undefined;
  #jobs = 0;
  #poll: unknown;

  constructor(transport: Transport, options: EscposPrinterOptions) {
    this.name = `escpos at ${transport.path}`;
    this.#transport = transport;
    this.#options = {
      replyTimeoutMs: 1000,
      writeTimeoutMs: 5000,
      faultPollMs: 2000,
      lineTimeMs: 30,
      chunkBytes: 256,
      jobsMax: 8,
      drawerPin: 2,
      ...options,
    };
    if (!(this.#options.chunkBytes >= 1)) throw new RangeError('chunkBytes must be at least 1');
    this.#leaveTransport = [
      transport.onData((chunk) => this.#connection?.receive(chunk)),
      transport.onState((state) => this.#follow(state)),
    ];
    this.#follow(transport.state);
  }

  get state(): DeviceState {
    return this.#state;
  }

  get fault(): PrinterFault | undefined {
    return this.#fault;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  /** Callers that wait for the same turn share one asking. */
  status(): Promise<PrinterStatus> {
    this.#waitingStatus ??= this.#inTurn(() => {
      this.#waitingStatus = undefined;
      return this.#ask();
    });
    return this.#waitingStatus;
  }

  async prepare(sheet: Sheet): Promise<void> {
    await this.#options.render([sheet]);
  }

  async print(sheets: readonly Sheet[]): Promise<PrinterFault | undefined> {
    if (this.#jobs >= this.#options.jobsMax) return 'error';
    this.#jobs++;
    try {
      const job = this.#options.render(sheets);
      // It may fail while the turn is another's.
      job.catch(() => undefined);
      return await this.#inTurn(async () => this.#print(await job));
    } finally {
      this.#jobs--;
    }
  }

  /**
   * After the job that is on its way, whose bytes it must not get between, and before all that wait. Callers who wait
   * together share one pulse.
   */
  openDrawer(): Promise<PrinterFault | undefined> {
    if (this.#waitingKick) return this.#waitingKick.promise;
    this.#waitingKick = Promise.withResolvers();
    const { promise } = this.#waitingKick;
    void this.#inTurn(() => Promise.resolve());
    return promise;
  }

  async close(): Promise<void> {
    for (const leave of this.#leaveTransport) leave();
    this.#follow('absent');
    await this.#transport.close();
  }

  async #print({ bytes, paperLines }: PrinterJob): Promise<PrinterFault | undefined> {
    if (bytes.length > jobBytesMax) return 'error';
    const connection = this.#connection;
    const before = await this.#ask();
    if (!connection || before.fault) return before.fault ?? 'absent';

    const { chunkBytes, writeTimeoutMs, lineTimeMs } = this.#options;
    let sent = true;
    for (let at = 0; sent && at < bytes.length; at += chunkBytes) {
      sent = await connection.send(bytes.subarray(at, at + chunkBytes), writeTimeoutMs);
    }
    if (sent) await connection.pause(Math.min(paperLines * lineTimeMs, printingMsMax));

    const after = await this.#ask();
    // Away for a moment and back: a printer that lost power has lost its buffer too, whatever it says now.
    if (connection !== this.#connection) return 'absent';
    return after.fault ?? (sent ? undefined : 'error');
  }

  /**
   * A printer without paper, or with its cover open, is sent the pulse all the same. One that is asked first does not find it in
   * its buffer hours later, and open the drawer for nobody. Whether an offline printer takes ESC p from its buffer at
   * once is up to the model: unverified on hardware.
   */
  async #kick(): Promise<PrinterFault | undefined> {
    const connection = this.#connection;
    const { fault } = await this.#ask();
    if (!connection || connection !== this.#connection || fault === 'absent') return 'absent';
    if (fault === 'error') return fault;
    const sent = await connection.send(drawerKick(this.#options.drawerPin), this.#options.writeTimeoutMs);
    if (connection !== this.#connection) return 'absent';
    return sent ? undefined : 'error';
  }

  async #ask(): Promise<PrinterStatus> {
    const connection = this.#connection;
    const status = await connection?.status();
    if (connection && connection === this.#connection) {
      this.#become(status ? 'ready' : 'absent', status ? status.fault : 'absent');
    }
    return status ?? { fault: 'absent', paperNearEnd: false };
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      const kick = this.#waitingKick;
      this.#waitingKick = undefined;
      if (kick) kick.resolve(await this.#kick());
      return work();
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }

  #follow(state: DeviceState): void {
    this.#connection?.end();
    this.#connection = undefined;
    if (state !== 'ready') {
      this.#become(state, 'absent');
      return;
    }
    this.#connection = new PrinterConnection(this.#transport, this.#options.clock, this.#options.replyTimeoutMs);
    this.#become('connecting', 'absent');
    void this.status();
  }

  #become(state: DeviceState, fault: PrinterFault | undefined): void {
    const stateBefore = this.#state;
    const faultBefore = this.#fault;
    this.#state = state;
    this.#fault = fault;
    this.#pollIfFaulty();
    if (state !== stateBefore) for (const listener of this.#stateListeners) listener(state);
    if (fault !== faultBefore) for (const listener of this.#faultListeners) listener(fault);
  }

  /** Nobody tells when paper is back: it has to be asked for. */
  #pollIfFaulty(): void {
    const { clock, faultPollMs } = this.#options;
    clock.clearTimeout(this.#poll);
    if (this.#fault === undefined || !this.#connection) return;
    this.#poll = clock.setTimeout(() => void this.status(), faultPollMs);
  }
}
