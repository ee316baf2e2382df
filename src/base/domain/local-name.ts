/** The host name of a terminal with this serial number: RFC 1123 allows letters, digits and dashes, at most 63. */
export function terminalHostname(serialNumber: string): string {
  const label = serialNumber.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 32);
  return `terminal-${label}`.replace(/-+$/, '');
}

/**
 * The name under which multicast DNS finds a machine (RFC 6762, 3): the first label of its host name in .local.
 * Undefined if that is not a host name.
 */
export function localName(hostname: string): string | undefined {
  const [label = ''] = hostname.toLowerCase().split('.');
  const isName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label);
  return isName && label !== 'localhost' ? `${label}.local` : undefined;
}
