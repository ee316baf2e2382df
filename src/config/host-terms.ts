import { isDeepStrictEqual } from 'node:util';
import type { CardAcquirer, Configuration, WalletAcquirer } from './configuration.ts';

type ConfiguredAcquirer = Configuration['acquirers'][number];

/** An acquirer's settings without its key: what may be kept beside the journal. */
export type KeylessAcquirer = CardAcquirer | Omit<WalletAcquirer, 'clientKey'>;

/**
 * The settings under which a host knows this terminal, and where that host is. What was sent under one value can be reversed
 * and settled under no other.
 */
export type HostTerm = 'tid' | 'mid' | 'mchid' | 'appCode' | 'currencies' | 'host' | 'port' | 'url';

/** Where a host is: a bank that moves its host keeps its books. */
const places: readonly HostTerm[] = ['host', 'port', 'url'];

export function withoutKey(acquirer: ConfiguredAcquirer): KeylessAcquirer {
  if (acquirer.protocol === 'iso8583') return acquirer;
  const { clientKey: _key, ...kept } = acquirer;
  return kept;
}

/** Whether settings are the same as JSON: an absent setting is the same as an undefined one. */
export function isSameSettings(one: KeylessAcquirer | undefined, other: KeylessAcquirer | undefined): boolean {
  return isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(settings: KeylessAcquirer | undefined): unknown {
  return settings === undefined ? undefined : (JSON.parse(JSON.stringify(settings)) as unknown);
}

/** The terms that differ. A currency that is added changes nothing of what was sent before. */
export function compareTerms(before: KeylessAcquirer, after: KeylessAcquirer): readonly HostTerm[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])] as HostTerm[];
  const lacks = before.currencies.some((currency) => !after.currencies.includes(currency));
  return [...names.filter((name) => old[name] !== now[name]), ...(lacks ? (['currencies'] as const) : [])];
}

/** Whether nothing but the host's address differs. */
export function isMoveOnly(changed: readonly HostTerm[]): boolean {
  return changed.length > 0 && changed.every((name) => places.includes(name));
}

/** The address in words. */
export function placeOf(acquirer: KeylessAcquirer): string {
  return acquirer.protocol === 'iso8583' ? `${acquirer.host}:${acquirer.port}` : acquirer.url;
}

/** Whether one host would count both as one terminal, with one batch and one count of trace numbers. */
export function isSameTerminal(one: KeylessAcquirer, other: KeylessAcquirer): boolean {
  if (one.protocol !== 'iso8583' || other.protocol !== 'iso8583') return false;
  const [a, b] = [valuesOf(one), valuesOf(other)];
  return a.tid === b.tid && a.host === b.host && a.port === b.port;
}

function valuesOf(acquirer: KeylessAcquirer): Partial<Record<HostTerm, string>> {
  if (acquirer.protocol === 'iso8583') {
    const { tid, mid, host, port } = acquirer;
    return { tid, mid, host: host.toLowerCase(), port: String(port) };
  }
  const { tid, mchid = '', appCode, url } = acquirer;
  return { tid, mchid, appCode, url: URL.parse(url)?.href ?? url };
}
