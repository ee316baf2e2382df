import * as z from 'zod';
import { filePath, milliseconds } from '../../config/common-settings.ts';
import type { MethodSettings } from '../../config/settings-part.ts';

/** The keys of the configuration that are read here. */
interface Checked {
  readonly octopus?: object | undefined;
  readonly timeouts: { readonly octopusIncompleteMs: number };
}

/** The time limit of one answer of an Octopus agent. */
const answerMs = 10_000;

export const octopusSettings = {
  hostless: {
    name: 'OCTOPUS',
    isConfigured: ({ octopus }: Partial<Checked>): boolean => octopus !== undefined,
  },
  equipment: {
    octopus: z
      .strictObject({
        driver: z.literal('agent'),
        path: filePath(107).describe('Unix socket of the process with the Octopus company’s library'),
      })
      .optional(),
  },
  sections: {},
  timeouts: {
    octopusIncompleteMs: milliseconds.default(60_000).describe('how long the same Octopus card may take to return'),
    octopusSilentMs: milliseconds
      .default(15_000)
      .describe('how long a payment waits for an Octopus reader that does not tell the outcome of a deduction'),
    octopusRetryMs: milliseconds.default(300),
  },
  fleet: [],
  samples: { OCTOPUS: { equipment: { octopus: { driver: 'agent', path: '/run/octopus/agent' } } } },
  longestPaymentMs: ({ octopus, timeouts: { octopusIncompleteMs } }: Checked) =>
    octopus ? octopusIncompleteMs + answerMs : 0,
} satisfies MethodSettings;
