import { contradictions } from './contradictions.ts';
import { settings } from './settings.ts';

export type { Configuration } from './settings.ts';

/** The configuration of one terminal: the schema of each part, and the checks between parts. */
export const configurationSchema = settings.superRefine((configuration, context) => {
  for (const { path, message } of contradictions(configuration)) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});
