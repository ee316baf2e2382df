import { having, optional, text } from '../../base/domain/stored-shape.ts';
import type { IntentCommon, IntentForm } from '../../payment/events/payment-instrument.ts';

export interface OctopusIntent extends IntentCommon {
  readonly operation: 'sale';
  readonly octopus: {
    readonly maskedNumber: string;
    /** The reader that was asked to deduct. Absent in intents of versions before 0.2. */
    readonly deviceId?: string;
  };
}

export const octopusForm = {
  field: 'octopus',
  isWhole: having({ octopus: having({ maskedNumber: text, deviceId: optional(text) }) }),
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
