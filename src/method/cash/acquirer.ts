import { UnsendableOrder } from '../../ports/acquirer-host.ts';
import type { AcquirerProfile } from '../../transaction/acquirer-profile.ts';
import type { Acquirer } from '../acquirer.ts';
import { numberedBatches } from '../batch-settler.ts';

/**
 * Cash is settled with the merchant, who counts the till. A settlement prints the totals, and nobody has to agree to
 * them.
 */
export function cashAcquirer(profile: AcquirerProfile): Acquirer {
  return {
    profile,
    settler: { ...numberedBatches, settle: async () => ({ result: 'BALANCED' }) },
    prepare: (message, { id }) => {
      throw new UnsendableOrder(`transaction ${id} has a queued ${message}, and cash has no host`);
    },
    close: async () => undefined,
  };
}
