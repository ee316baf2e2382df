import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { Merchants } from '../../src/payment/transaction/merchants.ts';

/** Two merchants on one terminal: UnionPay is taken by the acquirer of either, and EPS is shared. */
export const twoMerchants: Merchants = {
  all: [
    { id: 'tea', name: 'Harbour Tea House' },
    { id: 'books', name: 'Harbour Books' },
  ],
  ofAcquirer: new Map([
    [acquirerId('EDC'), 'tea'],
    [acquirerId('CUP'), 'books'],
  ]),
};

/** As a request names it; empty for none, which is the first. */
export const namedMerchants = ['', 'tea', 'books'] as const;
