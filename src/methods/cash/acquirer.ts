import { UnsendableOrder } from '../../payment/contracts/acquirer-host.ts';
import type { AcquirerProfile } from '../../payment/transaction/acquirer-profile.ts';
import type { Acquirer } from '../../payment/method/acquirer.ts';
import { numberedBatches } from '../../payment/method/batch-settler.ts';

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
