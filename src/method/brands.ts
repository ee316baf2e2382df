import type { PaymentScheme } from '../domain/payment-scheme.ts';
import type { CollectingMode, PaymentTerms } from '../transaction/means.ts';

/** A mode that comes to these schemes, wherever an acquirer takes one of them. */
export function takesBrands(schemes: readonly PaymentScheme[]): Pick<CollectingMode, 'schemes' | 'schemesOf'> {
  return {
    schemes,
    schemesOf: (offers) => offers.flatMap(({ brands }) => brands).filter((each) => schemes.includes(each)),
  };
}

/** A sale, and no cash out of its amount: that is EPS's. */
export function isPlainSale({ type, cashbackMinor }: PaymentTerms): boolean {
  return type === 'SALE' && cashbackMinor === undefined;
}
