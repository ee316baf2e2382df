import type { CollectOutcome } from '../../ports/card-reader.ts';
import { type Conclusion, failure } from '../../events/conclusion.ts';
import type { ScreenHint } from '../../ports/screen.ts';
import { type CollectFailure, collectConcluded } from '../decide.ts';
import type { TransactionContext } from './context.ts';
import type { Authorization, CardCollected, Withdrawal } from './outcomes.ts';

const retryHints = {
  collision: 'oneCardOnly',
  'card-lost': 'holdCard',
  'read-error': 'presentAgain',
  'use-chip': 'insertCard',
  'use-magstripe': 'swipeCard',
} as const satisfies Record<Extract<CollectOutcome, { kind: 'tryAgain' }>['reason'], ScreenHint>;

type Concluded = Pick<TransactionContext, 'conclusion'>;

export function collectEnd(end: CollectFailure): Concluded {
  return { conclusion: collectConcluded(end) };
}

export function retryHint(output: CardCollected): Pick<TransactionContext, 'hint'> {
  return output.kind === 'tryAgain' ? { hint: retryHints[output.reason] } : {};
}

/** The ends of a collect that ask for no card again. `cancelled` without a CANCEL: the reader's own key. */
export function cardEnd(output: CardCollected): Pick<TransactionContext, 'conclusion' | 'asks'> {
  switch (output.kind) {
    case 'card':
      return { asks: output.asks };
    case 'timeout':
      return collectEnd({ kind: 'timeout' });
    case 'cancelled':
      return collectEnd({ kind: 'cancelled', by: 'customer' });
    case 'refused':
      return collectEnd({ kind: 'refused', reason: output.reason });
    case 'tryAgain':
      throw new Error('a card that is to be presented again ends nothing');
    default:
      return output satisfies never;
  }
}

export function readerEnd(error: unknown): Concluded {
  return deviceEnd('card reader', error);
}

export function deviceEnd(device: Device, error: unknown): Concluded {
  return collectEnd({ kind: 'device', device, code: errorCode(error) });
}

type Device = Extract<CollectFailure, { kind: 'device' }>['device'];

export function authorizedEnd(output: Authorization): Concluded {
  return 'conclusion' in output ? { conclusion: output.conclusion } : {};
}

export function withdrawnEnd(output: Withdrawal | undefined): Concluded {
  return output && 'conclusion' in output ? { conclusion: output.conclusion } : {};
}

export function unwritten(): Concluded {
  return { conclusion: failure('DATABASE_ERROR', 'the journal could not be written, the payment was not sent') };
}

export function unwrittenAnswer(): Concluded {
  return { conclusion: failure('DATABASE_ERROR', 'the journal could not be written, the payment is reversed') };
}

export function ended(context: TransactionContext): Conclusion {
  return context.conclusion ?? failure('UNKNOWN', 'the transaction ended without a conclusion');
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'fault';
}
