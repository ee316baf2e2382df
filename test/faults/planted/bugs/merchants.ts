import type { Bug } from '../bug.ts';

/** Bugs of a terminal with several merchants. */
export const merchantBugs: readonly Bug[] = [
  {
    name: 'a refund goes under the terminal id of another merchant',
    file: 'src/payment/terminal/order-of.ts',
    from: '(profile) => profile.id === intent?.acquirerId',
    to: "(profile) => profile.id === intent?.acquirerId || (request.type === 'REFUND' && profile.brands.includes('UNIONPAY'))",
  },
  {
    name: 'the merchant of a payment is not stored',
    file: 'src/payment/terminal/transaction-run.ts',
    from: '    ...(merchantId === undefined ? {} : { merchantId }),\n',
    to: '',
  },
  {
    name: 'a payment goes to the acquirer of another merchant',
    file: 'src/payment/transaction/merchants.ts',
    from: '(ofAcquirer.get(id) ?? merchantId) === merchantId',
    to: "ofAcquirer.get(id) !== 'nobody'",
  },
  {
    name: 'a void names a merchant that is not that of its original',
    test: 'test/payment/terminal/merchants.test.ts',
    file: 'src/payment/terminal/order-of.ts',
    from: 'request.merchantId !== undefined && request.merchantId !== merchantId',
    to: 'request.merchantId !== undefined && merchantId === undefined',
  },
  {
    name: 'an interrupted settlement of one merchant continues with all',
    test: 'test/payment/terminal/merchants.test.ts',
    file: 'src/journal/settlements.ts',
    from: "...(typeof merchantId === 'string' ? { merchantId } : {}),",
    to: '',
  },
];
