import type { TerminalTransactionId } from '../domain/identifiers.ts';
import type { Intent } from '../events/intent.ts';
import type { MethodLabel } from '../method/description.ts';
import { labelOf } from '../method/descriptions.ts';
import { meansOf } from '../records/payment.ts';

/** A transaction on a list, as the operator knows it again. */
export interface Listed {
  readonly id: TerminalTransactionId;
  readonly kind: string;
  readonly method: string;
  /** Its name, where `method` is a code that nobody else knows. */
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
