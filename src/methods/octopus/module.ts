import { acquirerId } from '../../base/domain/identifiers.ts';
import { octopusLimits } from '../../base/ports/octopus-reader.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { OctopusAcquirer } from './acquirer.ts';
import { OctopusReturn } from './card-return.ts';
import type { OctopusWaits, OctopusParts } from './parts.ts';
import { majorNumber, majorText } from '../../base/domain/amount.ts';
import { type MethodDescription, noDetails } from '../../payment/method/description.ts';
import { balanceOf, hostNumberOf, receiptHost } from '../../payment/method/receipt-part.ts';
import { isPlainSale, takesBrands } from '../../payment/method/methods.ts';
import type { MethodMode, PaymentMethod } from '../../payment/method/payment-method.ts';
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

/** Octopus has no void (SPEC §1). */
const octopusDescription: MethodDescription = {
  name: 'octopus',
  schemes: ['OCTOPUS'],
  entryModes: ['OCTOPUS'],
  describe(record) {
    const { intent } = record;
    if (!intent || !('octopus' in intent)) return noDetails;
    const balance = balanceOf(record);
    const left = balance ? { balance: majorText(balance) } : {};
    return {
      receipt: {
        host: receiptHost(intent, record),
        octopus: {
          cardLastFour: intent.octopus.maskedNumber.slice(-4),
          receipt: hostNumberOf(record),
          ...(balance ? { balance } : {}),
        },
      },
      screen: { approved: left, declined: left },
      answer: balance ? { balanceAmount: majorNumber(balance) } : {},
    };
  },
};

/** The company has no host here; its acquirer exists by name only. */
const id = acquirerId('OCTOPUS');

/** Octopus, on a terminal with an Octopus reader. */
export const octopus: PaymentMethodModule<{ readonly timeouts: OctopusWaits }> = {
  description: octopusDescription,
  open({ timeouts }, { octopus: device, journal, queue, clock, printsReceipt, reports }) {
    if (!device) return { methods: [], acquirers: [] };
    const { octopusIncompleteMs, octopusRetryMs, octopusSilentMs } = timeouts;
    const reader = new OctopusReturn({
      reader: device,
      journal,
      clock,
      onCompleted: () => void queue.flush(id),
      onFailure: (error) => reports.onFailure('octopus', error),
    });
    const acquirer = new OctopusAcquirer({
      profile: { id, brands: ['OCTOPUS'], limits: octopusLimits },
      reader,
      printsReceipt,
      journal,
      clock,
      onResolved: (resolved) => reports.onThrough('reversal acknowledged', resolved),
      onFailure: (error) => reports.onFailure('settlement', error),
    });
    const waits = { octopusIncompleteMs, octopusRetryMs, octopusSilentMs };
    return { methods: [octopusMethod({ octopus: reader, waits })], acquirers: [acquirer] };
  },
};
