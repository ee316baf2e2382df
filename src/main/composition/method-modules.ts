import type { Configuration } from '../../config/configuration.ts';
import { registerDescription } from '../../payment/method/descriptions.ts';
import type {
  PaymentMethodModule,
  MethodSettings,
  OpenedMethod,
  MethodParts,
} from '../../payment/method/payment-method-module.ts';
import type { Clock } from '../../base/ports/clock.ts';
import type { AcquirerSource } from './acquirers.ts';
import { refuseConfiguration } from './start-error.ts';

const rooms = new Map<string, PaymentMethodModule>();

/** Adds a payment method to this terminal. Called once, before the terminal starts. */
export function registerMethod(room: PaymentMethodModule): void {
  registerDescription(room.description);
  rooms.set(room.protocol, room);
}

/** An entry of `methods`, and its room. */
interface Named {
  readonly room: PaymentMethodModule;
  readonly settings: MethodSettings;
}

/** The configured additional methods, in order. Throws StartError for one that this terminal does not have. */
export function findMethodModules({ methods }: Pick<Configuration, 'methods'>): readonly Named[] {
  return methods.map((settings, at) => {
    const room = rooms.get(settings.protocol);
    if (room) return { room, settings };
    return refuseConfiguration(new RangeError(`methods.${at}.protocol names no payment method of this terminal`));
  });
}

/** Throws StartError for a method with invalid settings. */
export function openMethodModules(
  named: readonly Named[],
  { scanner }: Pick<MethodParts, 'scanner'>,
  clock: Clock,
): readonly OpenedMethod[] {
  try {
    return named.map(({ room, settings }) => room.open(settings, { ...(scanner ? { scanner } : {}), clock }));
  } catch (error) {
    return refuseConfiguration(error);
  }
}

export function addedSource({ acquirer }: OpenedMethod): AcquirerSource {
  return { kind: 'added', profile: acquirer.profile, acquirer };
}
