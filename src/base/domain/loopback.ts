/** Whether a host name of `URL` is this machine: an IPv4 address in four numbers, or an IPv6 address in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
