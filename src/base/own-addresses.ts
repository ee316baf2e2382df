import { hostname, networkInterfaces } from 'node:os';
import { localName } from './domain/local-name.ts';

/** An address by which others reach this machine. */
export interface OwnAddress {
  /** The interface that has it: 'eth0'. */
  readonly interface: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly address: string;
}

/** `fault`: why the addresses could not be listed; then there are none. */
export interface OwnAddresses {
  readonly addresses: readonly OwnAddress[];
  readonly fault?: string;
}

/**
 * Every address of this machine but those of its loopback and of one link alone. Never throws: the system may refuse to
 * list them. getifaddrs(3) asks the kernel through a netlink socket, which `RestrictAddressFamilies=` of a unit may
 * forbid.
 */
export function listOwnAddresses(list: typeof networkInterfaces = networkInterfaces): OwnAddresses {
  try {
    const addresses = Object.entries(list()).flatMap(([name, all = []]) =>
      all
        .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
        .map(({ family, address }) => ({ interface: name, family, address })),
    );
    return { addresses };
  } catch (error) {
    return {
      addresses: [],
      fault: `the addresses of this machine can't be listed (is AF_NETLINK forbidden?): ${reasonOf(error)}`,
    };
  }
}

/** Node's own sentence is 'A system error occurred: uv_interface_addresses returned …'. */
function reasonOf(error: unknown): string {
  const { info, message } = error as NodeJS.ErrnoException & { readonly info?: { readonly message?: string } };
  return info?.message ?? message;
}

/**
 * This machine's name in multicast DNS. No other .local name is accepted, so a web page with such a name may not call.
 */
export function ownNames(): readonly string[] {
  const own = localName(hostname());
  return own === undefined ? [] : [own];
}
