import type { EncryptedPin, PinOutcome, PinPad, PinRequest } from '../../../src/base/ports/pin-pad.ts';
import { ArmedWait } from './armed-wait.ts';
import type { Trace } from './trace.ts';

/** A PIN pad whose customer is the test. The block is invented; nothing decrypts it. */
export class ScriptedPinPad implements PinPad {
  readonly wait: ArmedWait<PinOutcome>;
  readonly requests: PinRequest[] = [];

  constructor(trace: Trace) {
    this.wait = new ArmedWait<PinOutcome>('pin pad', { kind: 'cancelled' }, trace);
  }

  enterPin(request: PinRequest, signal: AbortSignal): Promise<PinOutcome> {
    this.requests.push(request);
    return this.wait.arm(signal);
  }

  enter(): EncryptedPin {
    const pin = {
      format: 'ISO-0',
      ksn: Buffer.from('FFFF9876543210E00002', 'hex'),
      block: Buffer.alloc(8, 0xc3),
    } as const satisfies EncryptedPin;
    this.wait.answer({ kind: 'pin', pin });
    return pin;
  }
}
