import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Configuration } from './configuration.ts';
import { withoutSecrets } from './keys.ts';
import { protocolHosts, type SecretName } from './methods.ts';
import type { HostSettings, TerminalNumbers } from './settings-part.ts';

type ConfiguredAcquirer = Configuration['acquirers'][number];
type WithoutSecrets<Acquirer> = Acquirer extends unknown ? Omit<Acquirer, SecretName> : never;

/** An acquirer's settings without its key: what may be kept beside the journal. */
export type KeylessAcquirer = WithoutSecrets<ConfiguredAcquirer>;

/** An entry as it is read back. */
export const storedAcquirer = z.union([...protocolHosts.values()].map((host) => host.stored));

/**
 * The key of a setting under which a host knows this terminal, or of where that host is. What was sent under one value
 * can be reversed and settled under no other. A bank that moves its host keeps its books.
 */
export type HostTerm = string;

export function withoutKey(acquirer: ConfiguredAcquirer): KeylessAcquirer {
  return withoutSecrets(acquirer) as unknown as KeylessAcquirer;
}

/** Whether settings are the same as JSON: an absent setting is the same as an undefined one. */
export function isSameSettings(one: KeylessAcquirer | undefined, other: KeylessAcquirer | undefined): boolean {
  return isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(settings: KeylessAcquirer | undefined): unknown {
  return settings === undefined ? undefined : (JSON.parse(JSON.stringify(settings)) as unknown);
}

/**
 * The terms that differ. An added currency changes nothing that was sent before; nor does another address with the same
 * books. `used`: the address of the unsettled payments, if an intent names it.
 */
export function compareTerms(before: KeylessAcquirer, after: KeylessAcquirer, used?: string): readonly HostTerm[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const { places, isSameBooks } = hostOf(after);
  const isSame = before.protocol === after.protocol && isSameBooks?.(before, after, used) === true;
  const all = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  const names = isSame ? all.filter((name) => !places.includes(name)) : all;
  const lacks = before.currencies.some((currency) => !after.currencies.includes(currency));
  return [...names.filter((name) => old[name] !== now[name]), ...(lacks ? ['currencies'] : [])];
}

/** Whether nothing but the host's address differs. */
export function isMoveOnly(changed: readonly HostTerm[]): boolean {
  const places = [...protocolHosts.values()].flatMap((host) => host.places);
  return changed.length > 0 && changed.every((name) => places.includes(name));
}

/** The address in words. */
export function placeOf(acquirer: KeylessAcquirer): string {
  return hostOf(acquirer).placeOf(acquirer);
}

/** The former settings at the present address. */
export function withPlaceOf(former: KeylessAcquirer, next: KeylessAcquirer): KeylessAcquirer {
  if (former.protocol !== next.protocol) return former;
  const { places } = hostOf(next);
  const kept = Object.entries(former).filter(([name]) => !places.includes(name));
  const place = Object.entries(next).filter(([name]) => places.includes(name));
  return Object.fromEntries([...kept, ...place]) as unknown as KeylessAcquirer;
}

/** Whether one host would count both as one terminal, with one batch and one count of trace numbers. */
export function isSameTerminal(one: KeylessAcquirer, other: KeylessAcquirer): boolean {
  if (one.protocol !== other.protocol) return false;
  const { terminalsOf } = hostOf(one);
  const all = terminalsOf?.(one) ?? [];
  return terminalsOf?.(other).some((each) => all.includes(each)) === true;
}

/** Whether an intent with these numbers was sent with these settings. */
export function hasNumbers(acquirer: KeylessAcquirer, { tid, mid }: TerminalNumbers): boolean {
  const own = hostOf(acquirer).numbersOf(acquirer);
  return own.tid === tid && own.mid === mid;
}

export function withNumbers(acquirer: KeylessAcquirer, numbers: TerminalNumbers): KeylessAcquirer {
  return hostOf(acquirer).withNumbers(acquirer, numbers) as KeylessAcquirer;
}

function valuesOf(acquirer: KeylessAcquirer): Readonly<Record<string, string>> {
  return hostOf(acquirer).terms(acquirer);
}

function hostOf({ protocol }: KeylessAcquirer): HostSettings<KeylessAcquirer> {
  const host = protocolHosts.get(protocol);
  if (!host) throw new RangeError(`no payment method has the protocol ${protocol}`);
  // Read by the schema of this protocol.
  return host as HostSettings<KeylessAcquirer>;
}
