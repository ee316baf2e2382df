import { majorNumber, majorText } from '../../base/domain/amount.ts';
import { type MethodDescription, noDetails } from '../../payment/method/description.ts';

/** Cash has no host, and no void (SPEC §1). */
export const cashDescription: MethodDescription = {
  name: 'cash',
  schemes: ['CASH'],
  entryModes: ['CASH'],
  describe({ intent, amount }) {
    if (!intent || !('cash' in intent)) return noDetails;
    const tendered = { ...amount, minor: BigInt(intent.cash.tenderedMinor) };
    const change = { ...amount, minor: tendered.minor - amount.minor };
    return {
      receipt: { cash: { tendered, change } },
      screen: { approved: { tendered: majorText(tendered), change: majorText(change) } },
      answer: { tenderedAmount: majorNumber(tendered), changeAmount: majorNumber(change) },
    };
  },
};
