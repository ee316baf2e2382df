import { acquirerId, type AcquirerId } from '../domain/identifiers.ts';
import { cardBrands } from '../domain/payment-method.ts';
import { type PosRequest, type Refusal, refusal } from './pos-request.ts';

/** Why this terminal can't do a well-formed request; nothing when it can. Decided before anything starts. */
export function impossible(request: PosRequest, acquirers: readonly AcquirerId[]): Refusal | undefined {
  const { transactionType, preferredEntryMode = 'DEFAULT', preferredInstrument, forceAcquirer } = request;
  if (transactionType !== 'SALE') return no('/transactionType', 'this terminal offers SALE');
  if (request.originalTerminalTransactionId !== undefined) {
    return no('/originalTerminalTransactionId', 'must be empty for a SALE');
  }
  if (preferredEntryMode !== 'CARD' && preferredEntryMode !== 'DEFAULT') {
    return no('/preferredEntryMode', 'this terminal offers CARD and DEFAULT');
  }
  const instruments: readonly string[] = ['CARD', ...cardBrands];
  if (preferredInstrument !== undefined && !instruments.includes(preferredInstrument)) {
    return no('/preferredInstrument', `this terminal offers ${instruments.join(', ')}`);
  }
  if (forceAcquirer !== undefined && !acquirers.includes(acquirerId(forceAcquirer))) {
    return no('/forceAcquirer', `this terminal has ${acquirers.join(', ')}`);
  }
  if (request.tipAmount !== undefined) return no('/tipAmount', 'this terminal takes no separate tip');
  if (request.cashbackAmount !== undefined) return no('/cashbackAmount', 'this terminal gives no cash back');
  return undefined;
}

function no(pointer: string, message: string): Refusal {
  return refusal('INVALID_PARAMETER', pointer, message);
}
