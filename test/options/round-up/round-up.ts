import type { SaleOptionModule } from '../../../src/payment/options/option-module.ts';
import { choiceQuestion } from '../../../src/payment/options/choice-question.ts';
import { roundUpSettings } from './settings.ts';

/** The amount rounded up to a whole unit, for charity: asked once the card is known. */
export const roundUp: SaleOptionModule = {
  description: {
    name: 'roundUp',
    label: { en: 'DONATION', 'zh-Hant': '慈善捐款' },
    answer: ({ data }) => ({ charity: data['charity'] }),
  },
  open(configured) {
    const { success, data: settings, error } = roundUpSettings.safeParse(configured);
    if (!success) throw new RangeError(`options.roundUp: ${error.issues[0]?.message}`);
    const { charity, toMinor, timeoutMs } = settings;
    return {
      name: 'roundUp',
      asks: 'cardKnown',
      plan({ terms: { type, amount }, presented, faultOf }) {
        const step = BigInt(toMinor);
        const addedMinor = (step - (amount.minor % step)) % step;
        if (type !== 'SALE' || addedMinor === 0n || presented === undefined) return undefined;
        const fault = faultOf(addedMinor);
        if (fault) return fault;
        const choices = [
          { id: 'yes', label: { en: 'Yes', 'zh-Hant': '好' }, addedMinor, data: { charity } },
          { id: 'no', label: { en: 'No', 'zh-Hant': '不' }, addedMinor: 0n, data: {} },
        ];
        const title = { en: `Round up for ${charity}?`, 'zh-Hant': `為${charity}湊整？` };
        return choiceQuestion({ amount, title, choices, timeoutMs });
      },
    };
  },
};
