import type { Pty } from '../../pty.ts';
import { ReportAssembler } from './assembler.ts';
import type { ReportPort } from './port.ts';

const reportGapMsDefault = 1000;

/**
 * Reports back to back on a byte stream, for kernels without virtual HID devices (fixtures/README.md). Unlike HID, a
 * stream may lose part of a report: an incomplete one is dropped after `reportGapMs`, and the next byte begins a new
 * one.
 */
export class StreamReports implements ReportPort {
  readonly carrier = 'stream';
  readonly description: string;
  readonly #pty: Pty;
  readonly #reportGapMs: number;
  readonly #assembler = new ReportAssembler();
  readonly #reportListeners: ((report: Buffer) => void)[] = [];
  readonly #unexpectedListeners: ((bytes: Buffer) => void)[] = [];
  #gap: NodeJS.Timeout | undefined;

  /** `reason`: why the reports are not carried by the kernel, where that was not asked for. */
  constructor(pty: Pty, options: { readonly reportGapMs?: number; readonly reason?: string | undefined } = {}) {
    this.#pty = pty;
    this.#reportGapMs = options.reportGapMs ?? reportGapMsDefault;
    this.description = `a stream of HID reports${options.reason === undefined ? '' : `, because ${options.reason}`}`;
    pty.onData((chunk) => this.#receive(chunk));
  }

  get link(): string {
    return this.#pty.link;
  }

  get plugged(): boolean {
    return this.#pty.plugged;
  }

  write(bytes: Uint8Array): void {
    this.#pty.write(bytes);
  }

  onReport(listener: (report: Buffer) => void): void {
    this.#reportListeners.push(listener);
  }

  onUnexpected(listener: (bytes: Buffer) => void): void {
    this.#unexpectedListeners.push(listener);
  }

  unplug(): Promise<void> {
    this.#forget();
    return this.#pty.unplug();
  }

  plug(): Promise<void> {
    return this.#pty.plug();
  }

  close(): Promise<void> {
    this.#forget();
    return this.#pty.close();
  }

  #receive(chunk: Buffer): void {
    clearTimeout(this.#gap);
    for (const report of this.#assembler.push(chunk)) for (const listener of this.#reportListeners) listener(report);
    if (this.#assembler.pendingBytes === 0) return;
    this.#gap = setTimeout(() => {
      const bytes = this.#assembler.abandon();
      for (const listener of this.#unexpectedListeners) listener(bytes);
    }, this.#reportGapMs);
  }

  #forget(): void {
    clearTimeout(this.#gap);
    this.#assembler.abandon();
  }
}
