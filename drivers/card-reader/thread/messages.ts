import type { CardDecision, CollectRequest, RetryReason } from '../../../src/base/ports/card-reader.ts';
import type { DeviceAbsence, DeviceErrorCode, DeviceState } from '../../../src/base/ports/device.ts';
import type { PinRequest } from '../../../src/base/ports/pin-pad.ts';
import type { PortAnswer, PortCall } from '../../transport/lent-port.ts';
import type { ReaderDevice, ReaderDriver } from '../open-reader.ts';
import type { SentOutcome } from './crossing.ts';

/** The thread's start data. */
export interface ThreadData {
  readonly driver: ReaderDriver;
  readonly device: ReaderDevice;
}

export type ReaderCall =
  | { readonly kind: 'collect'; readonly request: CollectRequest; readonly retries: boolean }
  | { readonly kind: 'enterPin'; readonly request: PinRequest }
  | { readonly kind: 'complete' | 'show'; readonly decision: CardDecision };

/** From the main thread. */
export type ToThread =
  | (ReaderCall & { readonly call: number })
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'ping' | 'close' }
  | ({ readonly kind: 'port' } & { readonly answer: PortAnswer });

/** To the main thread. */
export type FromThread =
  /** `refused`: why the thread could not be given priority. */
  | { readonly kind: 'begun'; readonly refused?: string }
  | { readonly kind: 'state'; readonly state: DeviceState }
  | { readonly kind: 'fault'; readonly message: string; readonly why: DeviceAbsence }
  | { readonly kind: 'retry'; readonly call: number; readonly reason: RetryReason }
  | { readonly kind: 'outcome'; readonly call: number; readonly outcome: SentOutcome }
  | {
      readonly kind: 'failure';
      readonly call: number;
      readonly code: DeviceErrorCode | undefined;
      readonly message: string;
    }
  /** The abort was received. If the call had already ended, its card no longer waits. */
  | { readonly kind: 'released'; readonly call: number }
  | { readonly kind: 'closed' }
  /** `turns`: how often the reader was armed. */
  | { readonly kind: 'pong'; readonly turns: number }
  | ({ readonly kind: 'port' } & { readonly ask: PortCall });
