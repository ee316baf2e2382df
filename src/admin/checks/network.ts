import type { OwnAddresses } from '../../base/own-addresses.ts';
import type { Machine } from '../machine.ts';
import { fail, type Finding, pass } from '../finding.ts';

/** An address that others can reach, and a way to hosts elsewhere. */
export function checkNetwork({ addresses: listed, fault }: OwnAddresses, machine: Machine): Finding {
  if (fault !== undefined) return fail('network', fault, 'run poid doctor where nothing is forbidden, as root');
  const addresses = listed.map(({ interface: name, address }) => `${name} ${address}`);
  if (addresses.length === 0) return fail('network', 'no interface has an address', 'the cable, then ip address');
  if (hasDefaultRoute(machine)) return pass('network', addresses.join(', '));
  return fail('network', `${addresses.join(', ')}, but no way to other networks`, 'the router’s DHCP, then ip route');
}

/**
 * proc(5), /proc/net/route: destination and mask 0; /proc/net/ipv6_route: the first two fields, and not by the
 * loopback.
 */
function hasDefaultRoute(machine: Machine): boolean {
  const lines = (file: string) =>
    (machine.read(file) ?? '')
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
  return (
    lines('/proc/net/route').some(
      ([, destination, , , , , , mask]) => destination === '00000000' && mask === '00000000',
    ) || lines('/proc/net/ipv6_route').some((fields) => /^0{32} 00 .* (?!lo$)\S+$/.test(fields.join(' ')))
  );
}
