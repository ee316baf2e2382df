import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** Finds the addresses of a host name. Rejects with the system's error. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Each address gets its share of the time: with more of them, none would have enough. */
const addressesMax = 16;

const underway = new Map<string, Promise<readonly string[]>>();

/**
 * The addresses of a name, in the system's order (RFC 6724) with the two families in turn (RFC 8305, 4). At most one
 * lookup per name is in flight; others share its result, because each lookup occupies a thread of the process.
 */
export const systemLookup: Lookup = (host) => {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  let found = underway.get(host);
  if (!found) {
    found = resolve(host).finally(() => underway.delete(host));
    underway.set(host, found);
  }
  return found;
};

async function resolve(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true, hints: ADDRCONFIG });
  return inTurn(found.map(({ address }) => address)).slice(0, addressesMax);
}

/** Each address once, the families in turn, beginning with that of the first. */
export function inTurn(addresses: readonly string[]): string[] {
  const [first = ''] = addresses;
  const all = [...new Set(addresses)];
  const own = all.filter((each) => isIP(each) === isIP(first));
  const other = all.filter((each) => isIP(each) !== isIP(first));
  return Array.from({ length: Math.max(own.length, other.length) }, (_, at) => [own[at], other[at]])
    .flat()
    .filter((each) => each !== undefined);
}
