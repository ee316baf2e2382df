import { lastFourOnly } from '../../../src/base/domain/masking.ts';
import type {
  CardReader,
  CollectOutcome,
  CollectRequest,
  PresentedCard,
  RetryReason,
} from '../../../src/base/ports/card-reader.ts';
import type { DeviceState } from '../../../src/base/ports/device.ts';
import type { Trace } from './trace.ts';

/** Application identifiers of the cards in fixtures/cards. */
export const aids = { visa: 'A0000000031010', unionpay: 'A000000333010101', unknown: 'A0000009990101' } as const;

/** The card as a reader returns it: masked and encrypted. The ciphertext is invented; nothing decrypts it. */
export function card(scheme: keyof typeof aids = 'visa', maskedPan = '476173******0119'): PresentedCard {
  return {
    entryMode: 'CONTACTLESS',
    aid: aids[scheme],
    appName: 'VISA CREDIT',
    maskedPan,
    emv: new Map([
      ['5F34', Uint8Array.of(1)],
      ['9F26', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)],
    ]),
    encrypted: {
      scheme: 'TDES-DUKPT',
      ksn: Buffer.from('FFFF9876543210E00001', 'hex'),
      track2: Buffer.alloc(24, 0xc1),
      pan: Buffer.alloc(16, 0xc2),
    },
  };
}

export const maskedOnReceipt = lastFourOnly('476173******0119');

/** A reader whose customer is the test. */
export class ScriptedReader implements CardReader {
  readonly name = 'scripted reader';
  state: DeviceState = 'ready';
  readonly #trace: Trace;
  #settle: { resolve: (outcome: CollectOutcome) => void; reject: (error: Error) => void } | undefined;
  #onRetry: ((reason: RetryReason) => void) | undefined;
  /** The cancel handshake waits for confirmDisarm. */
  holdsDisarm = false;
  requests: CollectRequest[] = [];

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  collect(
    request: CollectRequest,
    signal: AbortSignal,
    onRetry?: (reason: RetryReason) => void,
  ): Promise<CollectOutcome> {
    this.#onRetry = onRetry;
    this.#trace.push('reader: armed');
    this.requests.push(request);
    return new Promise((resolve, reject) => {
      const settle = {
        resolve: (outcome: CollectOutcome) => {
          this.#trace.push(`reader: ${outcome.kind}`);
          resolve(outcome);
        },
        reject,
      };
      this.#settle = settle;
      signal.addEventListener('abort', () => {
        this.#trace.push('reader: cancelling');
        if (!this.holdsDisarm && this.#settle === settle) this.answer({ kind: 'cancelled' });
      });
    });
  }

  /** The current collect goes on, as of a reader that arms itself again. */
  retry(reason: RetryReason): void {
    this.#onRetry?.(reason);
  }

  /** Ends the current collect with this result. */
  answer(outcome: CollectOutcome): void {
    this.#settle?.resolve(outcome);
    this.#settle = undefined;
  }

  fail(error: Error): void {
    this.#settle?.reject(error);
    this.#settle = undefined;
  }

  confirmDisarm(): void {
    this.answer({ kind: 'cancelled' });
  }

  present(scheme: keyof typeof aids = 'visa', maskedPan?: string): PresentedCard {
    const presented = card(scheme, maskedPan);
    this.answer({ kind: 'card', card: presented });
    return presented;
  }

  onState(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {}
}
