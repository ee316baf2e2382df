import { randomBytes } from 'node:crypto';
import type { MenuRequest } from '../../../src/operator/menu-request.ts';

/** What the requests are about. */
export interface Shown {
  /** A sale that may be voided. */
  readonly sale: string;
  readonly password: string;
  /** The one that was closed last, of those that the menu lists. */
  readonly settlement: string;
}

interface MenuCall {
  readonly body: object;
  /** A refusal that is right here: 200 without a reason if absent. */
  readonly reason?: string;
}

/** As the page makes one for each press of Yes. */
const confirmation = () => randomBytes(16).toString('hex');

/**
 * A request of each kind that the operator's menu has, so one for each of its panels, in the order in which they are sent:
 * a kind without one is an error. Nothing waits for the bank here, and a refund without its sale is not allowed.
 */
export const menuCalls: Readonly<Record<MenuRequest['kind'], (shown: Shown) => MenuCall>> = {
  look: () => ({ body: {} }),
  login: ({ password }) => ({ body: { password } }),
  machine: () => ({ body: {} }),
  today: () => ({ body: {} }),
  story: ({ sale }) => ({ body: { transaction: sale } }),
  receipts: () => ({ body: {} }),
  printReceipt: ({ sale }) => ({ body: { transaction: sale } }),
  report: () => ({ body: {} }),
  printReport: () => ({ body: { confirmation: confirmation() } }),
  waiting: () => ({ body: {} }),
  setAside: ({ sale }) => ({ body: { transaction: sale, outcome: 'POSTED' }, reason: 'notWaiting' }),
  givenBackInCash: ({ sale }) => ({
    body: { confirmation: confirmation(), transaction: sale },
    reason: 'notWaiting',
  }),
  settledWithCustomer: ({ sale }) => ({
    body: { confirmation: confirmation(), transaction: sale, matter: 'countedLate' },
    reason: 'notWaiting',
  }),
  settledWithBank: () => ({
    body: { confirmation: confirmation(), discrepancy: 1 },
    reason: 'notWaiting',
  }),
  decideBatch: () => ({
    body: { acquirer: 'EDC', batch: 1, currency: 'HKD', outcome: 'SETTLED' },
    reason: 'notWaiting',
  }),
  openDrawer: () => ({ body: { confirmation: confirmation() } }),
  testPrint: () => ({ body: { confirmation: confirmation() } }),
  act: ({ sale }) => ({
    body: { confirmation: confirmation(), act: 'VOID', transaction: sale, amount: '30.00', currency: 'HKD' },
  }),
  refund: () => ({
    body: { confirmation: confirmation(), amount: '1.00', currency: 'HKD' },
    reason: 'noRefundRight',
  }),
  settle: () => ({ body: { confirmation: confirmation() } }),
  settlements: () => ({ body: {} }),
  printSettlement: ({ settlement }) => ({ body: { settlement } }),
  pair: () => ({ body: {} }),
  decide: () => ({ body: { yes: false, code: '000000' }, reason: 'over' }),
  logout: () => ({ body: {} }),
};
