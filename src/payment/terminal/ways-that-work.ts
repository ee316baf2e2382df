import type { CollectMode } from '../../base/domain/entry-mode.ts';
import type { Methods } from '../method/methods.ts';
import type { Order, Queue } from '../method/order.ts';

/**
 * The modes of other methods with which the customer can pay this order now: their device is there, and no message of before waits
 * for their acquirer.
 */
export function waysThatWork(
  mode: CollectMode,
  { takers }: Pick<Order, 'takers'>,
  modes: readonly CollectMode[],
  methods: Methods,
  forwarder: Pick<Queue, 'rests'>,
): readonly CollectMode[] {
  const { method } = methods.ofMode(mode);
  const resting = takers.filter(({ id }) => forwarder.rests(id));
  return modes.filter((each) => {
    const other = methods.ofMode(each);
    if (other.method === method || other.mode.notReady() !== undefined) return false;
    return other.mode.schemesOf(resting).length > 0;
  });
}
