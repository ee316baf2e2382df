import type { Journal } from '../../payment/contracts/journal.ts';
import type { LateAnswer } from '../../payment/contracts/late-answer.ts';
import { settlementOrder } from './question.ts';

/**
 * Closes the currency that was asked for under this number, as an answer in time would have. Returns false if it
 * answers no currency.
 */
export async function concludeSettlement(answer: LateAnswer, stan: number, journal: Journal): Promise<boolean> {
  const { acquirerId } = answer;
  // Also batches that the bank has denied: the operator is told of the contradiction.
  for (const closed of [...(await journal.settlingBatches(acquirerId)), ...(await journal.deniedBatches(acquirerId))]) {
    for (const total of closed.currencies) {
      const asked = total.asked?.findLast((each) => each.stan === stan);
      if (!asked || total.result !== undefined) continue;
      if (answer.settlementOutcome(settlementOrder(closed, total, asked)).kind !== 'balanced') continue;
      const result = asked.trailer ? 'UPLOADED' : 'BALANCED';
      await journal.recordResult(closed.acquirerId, closed.batch, total.currency, result);
      return true;
    }
  }
  return false;
}
