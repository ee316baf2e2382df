import type { Configuration } from '../../config/configuration.ts';
import { loadConfiguration } from '../../config/load.ts';
import { askLocalFleet } from '../local-status.ts';
import type { Places } from '../../config/places.ts';
import { readSerialNumber } from '../../config/serial-number.ts';
import { DroppedKeys } from './dropped-keys.ts';
import { verifyDocument } from './verify-document.ts';

type OverlayPlaces = Pick<Places, 'configuration' | 'serialNumber' | 'stateDir' | 'adminDir'>;

/**
 * When updates may be installed, for a process of root: the terminal's own configuration, overridden by
 * `updates.window` and `updates.forced` of the fleet's document. The service provides the document on loopback. It must
 * be signed by the fleet, and no other setting of it is used: hawkBit's address and credentials come only from root's
 * files.
 */
export class FleetOverlay {
  readonly #places: OverlayPlaces;
  readonly #dropped: DroppedKeys;
  /** The last valid document, as it was signed. It stays in force while the service does not answer. */
  #last: unknown;

  constructor(places: OverlayPlaces) {
    this.#places = places;
    this.#dropped = new DroppedKeys(places);
  }

  /** Rejects with ConfigurationError for the terminal's own file. */
  async present(): Promise<Pick<Configuration, 'updates' | 'timeZone'>> {
    const file = [this.#places.configuration];
    const own = await loadConfiguration(file, {}, { keys: 'unread' });
    if (!own.fleet || !own.updates) return own;
    const found = await askLocalFleet(own.screen.port);
    const { dropped } = (found ?? {}) as { readonly dropped?: unknown };
    const inForce = await this.#dropped.inForce(own.fleet.publicKeys, dropped);
    const verify = (kept: unknown) => verifyDocument(kept, own, readSerialNumber(this.#places), inForce);
    if (typeof verify(found) !== 'string') this.#last = found;
    // Its key may have been dropped since.
    const document = verify(this.#last);
    const { updates } = typeof document === 'string' ? {} : document;
    if (updates === undefined) return own;
    const { timeZone } = own;
    return loadConfiguration(file, { updates }, { keys: 'unread' }).then(
      ({ updates: { window, forced } = {} }) => ({
        timeZone,
        updates: { ...own.updates!, ...(window ? { window } : {}), ...(forced ? { forced } : {}) },
      }),
      () => own,
    );
  }
}
