import type { Clock } from '../../../src/base/ports/clock.ts';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import type {
  PaperState,
  PrinterFault,
  PrintOptions,
  PrinterStatus,
  ReceiptPrinter,
  Sheet,
} from '../../../src/base/ports/receipt-printer.ts';
import type { Transport } from '../../transport/transport.ts';
import { PrinterConnection } from './connection.ts';
import type { PrinterJob } from './receipt-job.ts';
import { paperStateOf } from './status.ts';

/** Pin of the drawer's connector that gets the pulse; most drawers are wired to 2. */
type DrawerPin = 2 | 5;

const pinCodes: Readonly<Record<DrawerPin, number>> = { 2: 0x00, 5: 0x01 };

/** Time of the pulse and of the rest after it, in units of 2 ms: 100 ms and 500 ms, as python-escpos has them. */
const onTime = 0x32;
const offTime = 0xfa;

/** ESC p m t1 t2, generate pulse (Epson TM-U220, command ESC p; the same in Citizen's and Bixolon's). */
function drawerKick(pin: DrawerPin): Uint8Array {
  return Uint8Array.of(0x1b, 0x70, pinCodes[pin], onTime, offTime);
}

export interface EscposPrinterOptions {
  readonly clock: Clock;
  /** Renders sheets into the printer's bytes. Rejects with RangeError for lines laid out for wider paper. */
  readonly render: (sheets: readonly Sheet[], options?: PrintOptions) => Promise<PrinterJob>;
  /** Time-out of one status answer; printers answer within milliseconds. */
  readonly replyTimeoutMs?: number;
  /** Time-out of one chunk's write; a printer may stop the line while its buffer is full. */
  readonly writeTimeoutMs?: number;
  /** Interval of status requests to a printer that has a fault or does not answer. */
  readonly faultPollMs?: number;
  /**
   * Mechanical time of one line. The status after a job is requested only when this time has passed for each of its
   * lines: the status is real-time, and at once it would show the paper as it was before the job. 30 ms: 4.2 mm at 140
   * mm/s. Unverified on hardware.
   */
  readonly lineTimeMs?: number;
  readonly chunkBytes?: number;
  /** Limit of queued jobs, the printing one included. */
  readonly jobsMax?: number;
  readonly drawerPin?: DrawerPin;
}

/** Limit of one job: a receipt has 1 to 2 KB, as a picture about 50. */
const jobBytesMax = 256 * 1024;
/** The longest wait for the mechanics. */
const printingMsMax = 30_000;

/**
 * A receipt printer that speaks ESC/POS and answers DLE EOT. 'ready' as soon as it has answered after connecting, with
 * or without paper; one without a way back is 'ready' at once, and its paper is unknown: without paper it takes no more
 * bytes once its buffer is full, and the job fails. Only one job, status request or pulse uses the wire at a time; jobs
 * are queued. `print` resolves with 'error' if a job is too long or the queue is full.
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
  #paper: PaperState | undefined;
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

  get paperState(): PaperState | undefined {
    return this.#paper;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onFaultChange(listener: (fault: PrinterFault | undefined) => void): () => void {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  /** Callers that wait for the same turn share one status request. */
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

  async print(sheets: readonly Sheet[], options?: PrintOptions): Promise<PrinterFault | undefined> {
    if (this.#jobs >= this.#options.jobsMax) return 'error';
    this.#jobs++;
    try {
      const job = this.#options.render(sheets, options);
      // The render may fail before this job's turn comes: without this handler the rejection would be unhandled.
      job.catch(() => undefined);
      return await this.#inTurn(async () => this.#print(await job, options?.onBegin));
    } finally {
      this.#jobs--;
    }
  }

  /**
   * Sent after the current job, whose bytes it must not interrupt, and before all queued jobs. Callers that wait at
   * the same time share one pulse.
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

  async #print({ bytes, paperLines }: PrinterJob, onBegin?: () => void): Promise<PrinterFault | undefined> {
    if (bytes.length > jobBytesMax) return 'error';
    const connection = this.#connection;
    const before = await this.#ask();
    if (!connection || before.fault) return before.fault ?? 'absent';

    const { chunkBytes, writeTimeoutMs, lineTimeMs } = this.#options;
    let sent = true;
    onBegin?.();
    for (let at = 0; sent && at < bytes.length; at += chunkBytes) {
      sent = await connection.send(bytes.subarray(at, at + chunkBytes), writeTimeoutMs);
    }
    if (sent) await connection.pause(Math.min(paperLines * lineTimeMs, printingMsMax));

    const after = await this.#ask();
    // The printer vanished and came back: if it lost power it lost its buffer too, whatever its status is now.
    if (connection !== this.#connection) return 'absent';
    return after.fault ?? (sent ? undefined : 'error');
  }

  /**
   * The status is requested first, so that a printer that does not answer can't find the pulse in its buffer hours
   * later and open the drawer unattended. A printer without paper or with an open cover gets the pulse all the same.
   * Whether an offline printer executes ESC p from its buffer at once depends on the model: unverified on hardware.
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
      this.#paper = status && paperStateOf(status);
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
    this.#paper = undefined;
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

  /** The printer does not report new paper by itself, so its status is polled. */
  #pollIfFaulty(): void {
    const { clock, faultPollMs } = this.#options;
    clock.clearTimeout(this.#poll);
    if (this.#fault === undefined || !this.#connection) return;
    this.#poll = clock.setTimeout(() => void this.status(), faultPollMs);
  }
}
