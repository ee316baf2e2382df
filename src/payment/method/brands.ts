import type { PaymentScheme } from '../../base/domain/payment-scheme.ts';
import type { CollectingMode, PaymentTerms } from '../transaction/terminal-capabilities.ts';

/** The scheme fields of a mode that may lead to these schemes: those of them that some acquirer accepts. */
export function takesBrands(schemes: readonly PaymentScheme[]): Pick<CollectingMode, 'schemes' | 'schemesOf'> {
  return {
    schemes,
    schemesOf: (offers) => offers.flatMap(({ brands }) => brands).filter((each) => schemes.includes(each)),
  };
}

/** A sale without cashback, which only EPS offers. */
export function isPlainSale({ type, cashbackMinor }: PaymentTerms): boolean {
  return type === 'SALE' && cashbackMinor === undefined;
}
