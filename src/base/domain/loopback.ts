import { isIPv6 } from 'node:net';

/** Whether a host name of `URL` is this machine: an IPv4 address in four numbers, or an IPv6 address in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether a name or an address is this machine: IPv6 without brackets, IPv4 in any of its forms. */
export function isLoopbackHost(written: string): boolean {
  const url = `http://${isIPv6(written) ? `[${written}]` : written}`;
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
