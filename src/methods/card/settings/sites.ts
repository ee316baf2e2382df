import * as z from 'zod';
import { port } from '../../../config/common-settings.ts';
import type { Contradiction } from '../../../config/contradiction.ts';
import { type Site, siteName } from '../../../base/domain/site.ts';

const sitesMax = 4;

export const hostName = z.string().regex(/^[\w.:-]{1,255}$/, 'a name or an address');

/** One to four addresses of a card host, in their order. */
export const sites = z
  .array(z.strictObject({ host: hostName, port: port.min(1) }))
  .min(1)
  .max(sitesMax)
  .describe('the addresses of its host instead of host and port, in their order: docs/acquirer.md, "Sites"');

export const books = z
  .string()
  .regex(/^[\w.:-]{1,64}$/, '1 to 64 letters, digits or ._:-')
  .describe(
    'the name of the books that its sites keep: sites may be added, removed and put in another order under one name; the first address if absent',
  );

/** The settings of a card host's addresses and books. */
export interface Placed {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  readonly sites?: readonly Site[] | undefined;
  readonly books?: string | undefined;
  readonly sharedBooks?: boolean | undefined;
}

/** The addresses of a card host; at least one in a valid configuration. */
export function sitesOf({ host, port: number, sites: all }: Placed): readonly [Site, ...Site[]] {
  const [first = { host: host ?? '', port: number ?? 0 }, ...others] = all ?? [];
  return [first, ...others];
}

/** The terms that identify the addresses and books, as text by key. */
export function placeTerms(kept: Placed): Readonly<Record<string, string>> {
  const [{ host, port: number }] = sitesOf(kept);
  const { sites: all, books: name } = kept;
  return {
    host: host.toLowerCase(),
    port: String(number),
    ...(all && all.length > 1
      ? { sites: all.map(siteName).join(' '), sharedBooks: String(kept.sharedBooks === true) }
      : {}),
    ...(name === undefined ? {} : { books: name }),
  };
}

/**
 * Whether the present sites keep the books of the former ones. `used`: the site of the unsettled transactions; absent
 * if no intent names it, which means the first site.
 */
export function isSameBooks(former: Placed, present: Placed, used: string | undefined): boolean {
  if (!hasSameName(former, present)) return false;
  // With shared books every site has the transactions of all sites.
  if (present.sharedBooks === true) return true;
  const names = sitesOf(present).map(siteName);
  const [firstFormer] = sitesOf(former).map(siteName);
  if (former.sharedBooks === true && sitesOf(former).length > 1) return false;
  return used === undefined ? names[0] === firstFormer : names.includes(used);
}

/** If `books` is absent, the books are those of the first address. */
function hasSameName(one: Placed, other: Placed): boolean {
  const [firstOfOne, firstOfOther] = [siteName(sitesOf(one)[0]), siteName(sitesOf(other)[0])];
  if (one.books !== undefined && other.books !== undefined) return one.books === other.books;
  if (one.books === undefined && other.books === undefined) return firstOfOne === firstOfOther;
  const [unnamed, named] = one.books === undefined ? [firstOfOne, other] : [firstOfOther, one];
  return sitesOf(named).some((each) => siteName(each) === unnamed);
}

/** Contradictions between `host`, `port` and `sites`. `at`: the place of the acquirer. */
export function ofSites(acquirer: Placed, at: number): Contradiction[] {
  const { host, port: number, sites: all } = acquirer;
  const place = (...keys: readonly (string | number)[]) => ['acquirers', at, ...keys];
  if (!all) {
    return [
      ...(host === undefined ? [{ path: place('host'), message: 'is missing: host and port, or sites' }] : []),
      ...(number === undefined ? [{ path: place('port'), message: 'is missing: host and port, or sites' }] : []),
    ];
  }
  const names = all.map(siteName);
  const isBeside = host !== undefined || number !== undefined;
  const own = siteName({ host: host ?? '', port: number ?? 0 });
  return [
    ...(isBeside && own !== names[0]
      ? [{ path: place('sites', 0), message: 'is not host and port, which are set beside it: leave them out' }]
      : []),
    ...names.flatMap((name, index): Contradiction[] =>
      names.indexOf(name) === index
        ? []
        : [{ path: place('sites', index), message: `is sites.${names.indexOf(name)} once more` }],
    ),
  ];
}
