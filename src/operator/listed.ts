import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Intent } from '../events/intent.ts';
import type { MethodLabel } from '../method/description.ts';
import { labelOf } from '../method/descriptions.ts';
import { meansOf } from '../records/payment.ts';

/** A transaction in a list for the operator. */
export interface Listed {
  readonly id: TerminalTransactionId;
  readonly kind: string;
  readonly method: string;
  /** The method's name, if `method` is a code of an added method. */
  readonly label?: MethodLabel;
  readonly lastDigits: string;
  readonly amount: string;
  readonly currency: string;
  readonly at: string;
}

export function listedMeans(intent: Intent): Pick<Listed, 'method' | 'label' | 'lastDigits'> {
  const { scheme, maskedNumber } = meansOf(intent);
  const label = labelOf(scheme);
  return { method: scheme, ...(label ? { label } : {}), lastDigits: maskedNumber.slice(-4) };
}
