import { readTimeZone } from '../../observability/time-zone.ts';

/**
 * The terminal's IANA time zone, once somebody asks: the first format of dates loads 8 MiB of Node's data, and takes a
 * tenth of the start.
 */
export function lazyTimeZone(): { readonly timeZone: string } {
  let known: string | undefined;
  return {
    get timeZone() {
      known ??= readTimeZone().zone;
      return known;
    },
  };
}
