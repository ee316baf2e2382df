import { contradictions } from './contradictions.ts';
import { settings } from './settings.ts';

export type { CardAcquirer, Configuration, WalletAcquirer } from './settings.ts';

/** The configuration of one terminal: its parts, and that they don't contradict each other. */
export const configurationSchema = settings.superRefine((configuration, context) => {
  for (const { path, message } of contradictions(configuration)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});
