import type { MethodLabels } from '../../../src/payment/method/description.ts';

export const words: MethodLabels = {
  LOYALTY: { en: 'Loyalty card', 'zh-Hant': '會員卡' },
  LOYALTY_CODE: { en: 'SCANNED', 'zh-Hant': '已掃描' },
  cardNumber: { en: 'CARD NO.', 'zh-Hant': '卡號' },
};
