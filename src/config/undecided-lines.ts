import { type SecuredLine, securityOfSites } from '../base/domain/line-security.ts';
import { type Placed, sitesOf } from '../methods/card/settings/sites.ts';
import type { Contradiction } from './contradiction.ts';
import { isObject, type Json, wrong } from './json-file.ts';

/** The first release that does not start with a line whose `security` is not set. */
const refusingRelease = [0, 3] as const;

/** The settings of an acquirer that only the terminal's own configuration may have. */
export const ownSettings = ['security', 'mac'] as const;

interface Lines {
  readonly acquirers: readonly { readonly id: string; readonly protocol: string }[];
}

type CardLine = Lines['acquirers'][number] & Placed & Pick<SecuredLine, 'security'>;

/** The acquirers whose card host is not at a loopback address, and whose configuration does not set `security`. */
export function undecidedLines({ acquirers }: Lines): Contradiction[] {
  return acquirers.flatMap((each, at) => {
    const isOpen = isCardLine(each) && securityOfSites(sitesOf(each), each.security) === 'undecided';
    return isOpen ? [{ path: ['acquirers', at, 'security'], message: undecidedText }] : [];
  });
}

const undecidedText =
  'is missing: everybody on the way could read and answer its messages. { "tls": … }, or "none" if its bank offers none';

/** Whether this version refuses to start with such a line. Earlier versions warn. */
export function refusesUndecided(version: string): boolean {
  const [, major = '', minor = ''] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const [firstMajor, firstMinor] = refusingRelease;
  return Number(major) > firstMajor || (Number(major) === firstMajor && Number(minor) >= firstMinor);
}

/** Throws ConfigurationError for such a line, if this version refuses it. */
export function refuseUndecidedLines(configuration: Lines, version: string, paths: readonly string[]): void {
  const [first] = refusesUndecided(version) ? undecidedLines(configuration) : [];
  if (first) throw wrong(paths, first.path.join('.'), first.message);
}

/** `poid provision --plain-hosts`: sets "none" for card acquirers without `security`. */
export function withPlainLines(configuration: Json): Json {
  const { acquirers } = configuration;
  if (!Array.isArray(acquirers)) return configuration;
  const decided = acquirers.map((each: unknown) => {
    if (!isObject(each) || each['protocol'] !== 'iso8583' || each['security'] !== undefined) return each;
    const sites: readonly unknown[] = Array.isArray(each['sites']) ? each['sites'] : [each];
    const hosts = sites.flatMap((site) => {
      const host = isObject(site) ? site['host'] : undefined;
      return typeof host === 'string' ? [{ host }] : [];
    });
    const isOpen = securityOfSites(hosts, undefined) === 'undecided';
    return isOpen ? { ...each, security: 'none' } : each;
  });
  return { ...configuration, acquirers: decided };
}

/**
 * A fleet can set the address of a host, but not how this terminal recognizes it. An acquirer keeps `security` and
 * `mac` of the terminal's own entry with its id, and with `mac` also its `dialect`, because message types of another
 * dialect might need no code. Throws ConfigurationError for another dialect.
 */
export function withOwnSecurity(owner: Json, over: Json, paths: readonly string[]): Json {
  const [owned, overriding] = [owner['acquirers'], over['acquirers']];
  if (!Array.isArray(overriding) || !Array.isArray(owned)) return over;
  const acquirers = overriding.map((each: unknown, at) => {
    const kept: unknown =
      isObject(each) && owned.find((other: unknown) => isObject(other) && other['id'] === each['id']);
    if (!isObject(each) || each['protocol'] !== 'iso8583' || !isObject(kept)) return each;
    const hasMac = kept['mac'] !== undefined;
    const dialect = kept['dialect'] ?? kept['id'];
    if (hasMac && each['dialect'] !== undefined && each['dialect'] !== dialect) {
      throw wrong(paths, `acquirers.${at}.dialect`, 'a fleet can’t change it for an acquirer with mac');
    }
    const names = [...ownSettings, ...(hasMac ? ['dialect'] : [])].filter(
      (name) => each[name] === undefined && kept[name] !== undefined,
    );
    return { ...each, ...Object.fromEntries(names.map((name) => [name, kept[name]])) };
  });
  return { ...over, acquirers };
}

function isCardLine(each: Lines['acquirers'][number]): each is CardLine {
  return each.protocol === 'iso8583';
}
