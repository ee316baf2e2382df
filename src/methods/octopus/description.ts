import { majorNumber, majorText } from '../../base/domain/amount.ts';
import { type MethodDescription, noDetails } from '../../payment/method/description.ts';
import { balanceOf, hostNumberOf, receiptHost } from '../../payment/method/receipt-part.ts';

/** Octopus has no void (SPEC §1). */
export const octopusDescription: MethodDescription = {
  name: 'octopus',
  schemes: ['OCTOPUS'],
  entryModes: ['OCTOPUS'],
  describe(record) {
    const { intent } = record;
    if (!intent || !('octopus' in intent)) return noDetails;
    const balance = balanceOf(record);
    const left = balance ? { balance: majorText(balance) } : {};
    return {
      receipt: {
        host: receiptHost(intent, record),
        octopus: {
          cardLastFour: intent.octopus.maskedNumber.slice(-4),
          receipt: hostNumberOf(record),
          ...(balance ? { balance } : {}),
        },
      },
      screen: { approved: left, declined: left },
      answer: balance ? { balanceAmount: majorNumber(balance) } : {},
    };
  },
};
