import assert from 'node:assert/strict';
import type { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { listOwnAddresses } from '../../src/base/own-addresses.ts';

const common = { netmask: '', mac: '', cidr: null } as const;
const v4 = { ...common, family: 'IPv4' } as const;
const v6 = { ...common, family: 'IPv6' } as const;

test('the addresses that others can reach, each with its interface', () => {
  const list: typeof networkInterfaces = () => ({
    lo: [{ ...v4, address: '127.0.0.1', internal: true }],
    eth0: [
      { ...v4, address: '192.0.2.7', internal: false },
      { ...v6, address: '2001:db8::7', internal: false, scopeid: 0 },
      { ...v6, address: 'fe80::7', internal: false, scopeid: 2 },
    ],
    eth1: undefined,
  });
  assert.deepEqual(listOwnAddresses(list), {
    addresses: [
      { interface: 'eth0', family: 'IPv4', address: '192.0.2.7' },
      { interface: 'eth0', family: 'IPv6', address: '2001:db8::7' },
    ],
  });
});

test('a system that refuses to list them is a sentence, not an exception', () => {
  // As Node 24 throws it where the unit forbids AF_NETLINK.
  const refused = Object.assign(new Error('A system error occurred: uv_interface_addresses returned EAFNOSUPPORT'), {
    code: 'ERR_SYSTEM_ERROR',
    info: {
      errno: -97,
      code: 'EAFNOSUPPORT',
      message: 'address family not supported',
      syscall: 'uv_interface_addresses',
    },
  });
  assert.deepEqual(
    listOwnAddresses(() => {
      throw refused;
    }),
    {
      addresses: [],
      fault: "the addresses of this machine can't be listed (is AF_NETLINK forbidden?): address family not supported",
    },
  );
});

test('the addresses of this machine itself', () => {
  assert.equal(listOwnAddresses().fault, undefined);
});
