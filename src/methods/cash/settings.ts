import * as z from 'zod';
import type { MethodSettings } from '../../config/settings-part.ts';

export const cashSettings = {
  hostless: {
    name: 'CASH',
    isConfigured: ({ cash }: { readonly cash?: boolean | undefined }): boolean => cash === true,
  },
  equipment: { cash: z.boolean().default(false).describe('this terminal takes cash') },
  sections: {},
  timeouts: {},
  fleet: [],
  samples: { CASH: { equipment: { cash: true } } },
} satisfies MethodSettings;
