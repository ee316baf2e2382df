/** One of the addresses of a host. */
export interface Site {
  /** A name or an IP address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The name of a site in journal, status and log: 'host:port'. */
export function siteName({ host, port }: Site): string {
  return `${host.toLowerCase()}:${port}`;
}
