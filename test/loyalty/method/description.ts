import type { MethodDescription } from '../../../src/payment/method/description.ts';
import { describeMeans } from '../../../src/payment/method/other-description.ts';
import { words } from './words.ts';

export const loyaltyDescription: MethodDescription = {
  name: 'loyalty',
  schemes: ['LOYALTY'],
  entryModes: ['LOYALTY_CODE'],
  labels: words,
  describe: describeMeans,
};
