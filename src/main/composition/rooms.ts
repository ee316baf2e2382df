import type { Configuration } from '../../config/configuration.ts';
import { registerDescription } from '../../payment/method/descriptions.ts';
import type { MethodRoom, MethodSettings, OpenedRoom, RoomParts } from '../../payment/method/method-room.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { AcquirerSource } from './acquirers.ts';
import { refuseConfiguration } from './start-error.ts';

const rooms = new Map<string, MethodRoom>();

/** Adds a payment method to this terminal. Called once, before the terminal starts. */
export function registerRoom(room: MethodRoom): void {
  registerDescription(room.description);
  rooms.set(room.protocol, room);
}

/** An entry of `methods`, and its room. */
interface Named {
  readonly room: MethodRoom;
  readonly settings: MethodSettings;
}

/** The configured additional methods, in order. Throws StartError for one that this terminal does not have. */
export function findRooms({ methods }: Pick<Configuration, 'methods'>): readonly Named[] {
  return methods.map((settings, at) => {
    const room = rooms.get(settings.protocol);
    if (room) return { room, settings };
    return refuseConfiguration(new RangeError(`methods.${at}.protocol names no payment method of this terminal`));
  });
}

/** Throws StartError for a method with invalid settings. */
export function openRooms(
  named: readonly Named[],
  { scanner }: Pick<RoomParts, 'scanner'>,
  clock: Clock,
): readonly OpenedRoom[] {
  try {
    return named.map(({ room, settings }) => room.open(settings, { ...(scanner ? { scanner } : {}), clock }));
  } catch (error) {
    return refuseConfiguration(error);
  }
}

export function addedSource({ acquirer }: OpenedRoom): AcquirerSource {
  return { kind: 'added', profile: acquirer.profile, acquirer };
}
