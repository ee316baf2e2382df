import { having, text } from '../../base/domain/stored-shape.ts';
import type { IntentCommon, IntentForm } from '../../payment/events/payment-instrument.ts';

export interface OctopusIntent extends IntentCommon {
  readonly operation: 'sale';
  readonly octopus: { readonly maskedNumber: string };
}

export const octopusForm = {
  field: 'octopus',
  isWhole: having({ octopus: having({ maskedNumber: text }) }),
  instrumentOf: ({ octopus: { maskedNumber } }) => ({
    name: 'octopus',
    scheme: 'OCTOPUS',
    entryMode: 'OCTOPUS',
    maskedNumber,
    instrumentType: 'OCTOPUS',
    undo: 'sameCard',
  }),
} as const satisfies IntentForm<OctopusIntent>;

export const octopusScreen = { scenes: ['tapOctopus'], hints: ['sameOctopusCard'] } as const;
