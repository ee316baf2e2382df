import type { CodeScanner, ScanOutcome } from '../../../src/base/ports/code-scanner.ts';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import { ArmedWait } from './armed-wait.ts';
import type { Trace } from './trace.ts';

/** Invented codes in the published form of each wallet; the last belongs to no wallet. */
export const codes = {
  ALIPAY: '281234567890123456',
  WECHAT: '131234567890123456',
  UPI_QR: '6212345678901234567',
  none: '4006381333931',
} as const;

/** A scanner whose customer is the test. */
export class ScriptedScanner implements CodeScanner {
  readonly name = 'scripted scanner';
  state: DeviceState = 'ready';
  readonly wait: ArmedWait<ScanOutcome>;

  constructor(trace: Trace) {
    this.wait = new ArmedWait<ScanOutcome>('scanner', { kind: 'cancelled' }, trace);
  }

  scan(signal: AbortSignal): Promise<ScanOutcome> {
    return this.wait.arm(signal);
  }

  /** Shows a code to the scanner; dropped if none is awaited. */
  read(text: string = codes.ALIPAY): void {
    this.wait.answer({ kind: 'code', text });
  }

  onState(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {}
}
