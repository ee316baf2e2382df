/** One of the addresses of a host. */
export interface Site {
  /** A name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** How a site is named in journal, status and log: 'host:port'. */
export function siteName({ host, port }: Site): string {
  return `${host.toLowerCase()}:${port}`;
}
