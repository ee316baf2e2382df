import { acquirerId } from '../../base/domain/identifiers.ts';
import { octopusLimits } from '../../base/ports/octopus-reader.ts';
import type { PaymentMethodModule } from '../../payment/method/payment-method-module.ts';
import { OctopusAcquirer } from './acquirer.ts';
import { OctopusReturn } from './card-return.ts';
import { octopusDescription } from './description.ts';
import { octopusMethod } from './method.ts';
import type { OctopusWaits } from './parts.ts';

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
