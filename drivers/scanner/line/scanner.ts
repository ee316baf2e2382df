import type { Clock } from '../../../src/base/ports/clock.ts';
import type { CodeScanner, ScanOutcome } from '../../../src/base/ports/code-scanner.ts';
import { DeviceError, type DeviceState } from '../../../src/base/ports/device.ts';
import type { Transport } from '../../transport/transport.ts';
import { CodeLines, codeOf, isLineEnd } from './code-lines.ts';
import type { Trigger } from './trigger.ts';

export interface LineScannerOptions {
  readonly clock: Clock;
  /** Sent when a scan begins and when it ends. Absent for a scanner that always looks for codes. */
  readonly trigger?: Trigger | undefined;
  /**
   * An incomplete line is dropped this long after its last byte: later bytes belong to another code. At 9600 baud two
   * characters are 1 ms apart. Unverified on hardware.
   */
  readonly lineGapMs?: number;
}

/**
 * A scanner that sends each code as a line, on a transport, which it owns from now on. 'ready' when the path is open.
 */
export function lineScanner(transport: Transport, options: LineScannerOptions): CodeScanner {
  return new LineScanner(transport, options);
}

interface Scan {
  lines: CodeLines;
  readonly finish: (outcome: ScanOutcome) => void;
  readonly fail: (error: DeviceError) => void;
  readonly over: Promise<unknown>;
}

class LineScanner implements CodeScanner {
  readonly name: string;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #trigger: Trigger | undefined;
  readonly #lineGapMs: number;
  readonly #leaveTransport: readonly (() => void)[];
  #scan: Scan | undefined;
  /** The last byte was not a line end. */
  #midLine = false;
  #lastByteMs = 0;
  #triggered: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(transport: Transport, { clock, trigger, lineGapMs = 500 }: LineScannerOptions) {
    this.name = `line scanner at ${transport.path}`;
    this.#transport = transport;
    this.#clock = clock;
    this.#trigger = trigger;
    this.#lineGapMs = lineGapMs;
    this.#leaveTransport = [
      transport.onData((chunk) => this.#receive(chunk)),
      transport.onState((state) => {
        if (state === 'ready') return this.#darken();
        this.#midLine = false;
        this.#scan?.fail(this.#vanishedError());
      }),
    ];
    if (transport.state === 'ready') this.#darken();
  }

  get state(): DeviceState {
    return this.#transport.state;
  }

  onState(listener: (state: DeviceState) => void): () => void {
    return this.#transport.onState(listener);
  }

  /** Rejects with DeviceError 'absent', 'vanished', or 'refused' while another scan waits. */
  async scan(signal: AbortSignal): Promise<ScanOutcome> {
    if (signal.aborted) return { kind: 'cancelled' };
    if (this.#closed || this.state !== 'ready') throw new DeviceError('absent', `nothing at ${this.#transport.path}`);
    if (this.#scan) throw new DeviceError('refused', `${this.name} is scanning already`);

    const { promise, resolve, reject } = Promise.withResolvers<ScanOutcome>();
    const onAbort = () => resolve({ kind: 'cancelled' });
    const over = Promise.withResolvers<void>();
    this.#scan = { lines: this.#lines(resolve), finish: resolve, fail: reject, over: over.promise };
    signal.addEventListener('abort', onAbort, { once: true });
    if (this.#trigger) this.#send(this.#trigger.on, reject);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#scan = undefined;
      if (this.#trigger && this.state === 'ready') this.#send(this.#trigger.off);
      over.resolve();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#scan?.finish({ kind: 'cancelled' });
    await this.#scan?.over;
    // Between scans the scanner must not light up.
    await this.#triggered;
    for (const leave of this.#leaveTransport) leave();
    await this.#transport.close();
  }

  /** An earlier run, or an unplugged cable, may have left it looking for codes. */
  #darken(): void {
    if (this.#trigger) this.#send(this.#trigger.off);
  }

  /** The first whole line of a scan decides. A line that began before the scan is dropped. */
  #lines(finish: (outcome: ScanOutcome) => void): CodeLines {
    this.#endStaleLine();
    return new CodeLines(this.#midLine, (line) => {
      const text = codeOf(line);
      finish(text === undefined ? { kind: 'tryAgain' } : { kind: 'code', text });
    });
  }

  #receive(chunk: Uint8Array): void {
    const scan = this.#scan;
    if (this.#endStaleLine() && scan) scan.lines = this.#lines(scan.finish);
    scan?.lines.push(chunk);
    this.#midLine = !isLineEnd(chunk.at(-1));
    this.#lastByteMs = this.#clock.now().getTime();
  }

  #endStaleLine(): boolean {
    const stale = this.#midLine && this.#clock.now().getTime() - this.#lastByteMs > this.#lineGapMs;
    if (stale) this.#midLine = false;
    return stale;
  }

  #send(bytes: Uint8Array, fail?: (error: DeviceError) => void): void {
    this.#triggered = this.#transport.write(bytes).catch(() => fail?.(this.#vanishedError()));
  }

  #vanishedError(): DeviceError {
    return new DeviceError('vanished', `${this.#transport.path} vanished during a scan`);
  }
}
