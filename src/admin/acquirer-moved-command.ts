import { AcquirersInUse } from '../payment/holds/acquirers-in-use.ts';
import {
  compareTerms,
  isMoveOnly,
  type KeylessAcquirer,
  placeOf,
  withoutKey,
  withPlaceOf,
} from '../config/host-terms.ts';
import { loadConfiguration } from '../config/load.ts';
import { plainText } from '../base/domain/plain-text.ts';
import { asOwnerOf } from '../base/secrets/state-owner.ts';
import { UsageError } from '../base/usage-error.ts';
import { recordAction } from './audit.ts';
import { CommissioningError } from './commissioning-error.ts';
import { configurationInUse } from './doctor/fleet.ts';
import type { CommissioningFlags } from './flags.ts';
import { withIdleJournal } from './idle-journal.ts';
import { type Places, presentPlaces } from '../config/places.ts';
import { readSerialNumber } from '../config/serial-number.ts';

/** `poid acquirer moved ID`: the bank has announced that its host has moved, with the same books. */
export async function acquirerMovedCommand(
  flags: CommissioningFlags,
  [id, ...rest]: readonly string[],
): Promise<number> {
  if (id === undefined || rest.length > 0) throw new UsageError('acquirer moved takes the id of one acquirer');
  console.log(await moveAcquirer(id, await presentPlaces(flags)));
  return 0;
}

/** Whether the acquirer's intents name the site of their payment. */
function namesSites(acquirer: KeylessAcquirer): boolean {
  return acquirer.protocol === 'iso8583' && (acquirer.sites?.length ?? 0) > 1;
}

function isShared(acquirer: KeylessAcquirer): boolean {
  return acquirer.protocol === 'iso8583' && acquirer.sharedBooks;
}

/**
 * Assigns the queue and the open batch of an acquirer to the address that is configured now. Returns a summary for the
 * user. Rejects with CommissioningError, ConfigurationError, or JournalError; nothing was changed then.
 */
export async function moveAcquirer(id: string, places: Places, now: Date = new Date()): Promise<string> {
  const own = await loadConfiguration([places.configuration], {}, { keys: 'unread' });
  return withIdleJournal(places.stateDir, async (unsettled) => {
    const { acquirers } = await asOwnerOf(places.stateDir, () => configurationInUse(own, places));
    const configured = acquirers.find((each) => each.id === id);
    if (!configured) {
      throw new CommissioningError(`${id} is not configured: there are ${acquirers.map((each) => each.id).join(', ')}`);
    }
    const next = withoutKey(configured);
    const inUse = await asOwnerOf(places.stateDir, () => AcquirersInUse.open(places.stateDir));
    const former = inUse.of(id);
    if (!former || placeOf(former) === placeOf(next)) {
      throw new CommissioningError(`nothing was changed: ${id} is used at ${placeOf(next)} already`);
    }
    const others = compareTerms(former, next).filter((name) => !isMoveOnly([name]));
    if (others.length > 0) {
      const way = 'put back the former value, or settle with the former settings first';
      throw new CommissioningError(`nothing was changed: ${others.join(', ')} of ${id} changed too: ${way}`);
    }
    if (namesSites(former) && namesSites(next) && !isShared(next)) {
      throw new CommissioningError(`nothing was changed: each site of ${id} keeps its own books: settle there first`);
    }
    const [from, to] = [placeOf(former), placeOf(next)];
    const serialNumber = readSerialNumber(places) ?? '';
    await recordAction(places, { action: 'acquirer-moved', serialNumber, acquirer: id, from, to, unsettled }, now);
    await asOwnerOf(places.stateDir, () => inUse.keep(new Map([[id, withPlaceOf(former, next)]])));
    const done = plainText(`${id} has moved from ${from} to ${to}: its queue and its batch are completed there`);
    return [done, ...unsettled].join('\n');
  });
}
