import { isObject, type Json } from './json-file.ts';
import { methodSettings } from './methods.ts';
import { optionSettings } from './options.ts';
import { isKeyReference, mapSecrets } from './keys.ts';
import { ownSettings } from './undecided-lines.ts';

/**
 * What a document of the fleet may set: the shop's contracts and how it works. Not where the journal is, what is
 * plugged in, who may call, where the broker and hawkBit are, how a host is recognized, or what the operator may pay
 * out: that is decided at the terminal.
 */
const settable: Readonly<Record<string, readonly string[] | 'all'>> = {
  acquirers: 'all',
  ...Object.fromEntries(
    [...methodSettings, ...optionSettings].flatMap(({ fleet }) => fleet.map((name) => [name, 'all'] as const)),
  ),
  shop: 'all',
  merchants: 'all',
  receipt: 'all',
  settlement: 'all',
  timeouts: 'all',
  logLevel: 'all',
  updates: ['window', 'forced'],
  fleet: ['publicKeys', 'group'],
};

/** Why a part of a configuration can't come from the fleet; undefined if it can. Its keys are named, never in it. */
export function findUnsettable(configuration: Json): string | undefined {
  for (const [name, value] of Object.entries(configuration)) {
    const parts = Object.hasOwn(settable, name) ? settable[name] : undefined;
    if (parts === undefined) return `${name} is not for a fleet to set`;
    if (parts === 'all') continue;
    const other = isObject(value) ? Object.keys(value).find((part) => !parts.includes(part)) : '';
    if (other !== undefined) return `${name}.${other} is not for a fleet to set`;
  }
  const decided = ownSettings.flatMap((name) => findOwn(configuration, name) ?? [])[0];
  if (decided !== undefined) return `${decided} is not for a fleet to set`;
  let clear: string | undefined;
  mapSecrets(configuration, (value, place) => {
    if (!isKeyReference(value)) clear ??= place;
    return value;
  });
  return clear === undefined ? undefined : `${clear} is a key: a document names its credential`;
}

/** The place of a setting of an acquirer that only the terminal's own configuration may have. */
function findOwn({ acquirers }: Json, name: string): string | undefined {
  if (!Array.isArray(acquirers)) return undefined;
  const at = acquirers.findIndex((each: unknown) => isObject(each) && each[name] !== undefined);
  return at < 0 ? undefined : `acquirers.${at}.${name}`;
}
