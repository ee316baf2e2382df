import { milliseconds } from '../../config/common-settings.ts';
import type { OptionSettings } from '../../config/settings-part.ts';

/** Whether it is used is a setting of the receipt: `receipt.signature`. */
export const signatureSettings = {
  sections: {},
  rules: {},
  timeouts: {
    signatureMs: milliseconds
      .default(60_000)
      .describe('how long a customer may take to sign on the screen; after that the slip has a line to sign on'),
  },
  fleet: [],
} satisfies OptionSettings;
