import type { InitialNumbers } from '../../base/domain/identifiers.ts';
import type { HostMessage } from './dialect.ts';
import type { NumbersPlace } from './dialects/dialect-schema.ts';

/**
 * Reads the first numbers that a host assigns in its answer to a sign-on. Leaves out each that the answer does not
 * have, and what is no number from 1 to 999999. Undefined if there is none.
 */
export function readInitialNumbers({ fields }: HostMessage, places: NumbersPlace): InitialNumbers | undefined {
  const numbers: { -readonly [Name in keyof InitialNumbers]: InitialNumbers[Name] } = {};
  for (const name of ['batch', 'invoice', 'stan'] as const) {
    const place = places[name];
    const value = place && fields[place.field];
    if (!place || typeof value !== 'string') continue;
    const text = value.slice(place.at, place.at + place.digits);
    if (text.length === place.digits && /^\d+$/.test(text) && Number(text) > 0) numbers[name] = Number(text);
  }
  return Object.keys(numbers).length === 0 ? undefined : numbers;
}
