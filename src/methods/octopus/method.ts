import { isPlainSale, takesBrands } from '../../payment/method/acquirer-choice.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
import type { OctopusParts } from './parts.ts';
import { OctopusSession } from './session.ts';

/** Octopus: stored value, deducted by the Octopus company's own reader. */
export function octopusMethod({ octopus, waits }: Pick<OctopusParts, 'octopus' | 'waits'>): PaymentMethod {
  const mode: MethodMode = {
    mode: 'OCTOPUS',
    step: 'tappingOctopus',
    scene: 'tapOctopus',
    device: 'Octopus reader',
    isEquipped: true,
    notReady: () => (octopus.state === 'ready' ? undefined : absent),
    ...takesBrands(['OCTOPUS']),
    fits: isPlainSale,
  };
  return {
    name: 'octopus',
    modes: [mode],
    owns: (intent) => 'octopus' in intent,
    begin: (order, parts) => new OctopusSession(order, { ...parts, octopus, waits }),
  };
}

const absent = { reason: 'octopusReaderAbsent', message: 'the Octopus reader is not connected' } as const;
