import { acquirerId } from '../../src/base/domain/identifiers.ts';
import type { Merchants } from '../../src/payment/transaction/merchants.ts';

/** Two merchants on one terminal. An acquirer of each takes UnionPay, and EPS is shared. */
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

/** The `merchantId` of a request; empty: none, which means the first merchant. */
export const namedMerchants = ['', 'tea', 'books'] as const;
