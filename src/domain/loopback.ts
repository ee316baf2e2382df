/** Whether a host is this machine, as `URL` writes its name: an IPv4 address in four numbers, one of IPv6 in brackets. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
