import type { Configuration } from '../../config/configuration.ts';
import type { TipTerms } from '../../payment/transaction/tips.ts';

/** What customers are offered when asked for a tip; undefined if this terminal does not ask. */
export function tipTerms({ tips, rules }: Pick<Configuration, 'tips' | 'rules'>): TipTerms | undefined {
  return tips && { ...tips, percentMax: rules.tipPercentMax };
}
