import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import { Connections } from '../../../src/pos/api/connections.ts';

class Peer extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  readonly remotePort: number;

  constructor(remoteAddress: string, remotePort: number) {
    super();
    this.remoteAddress = remoteAddress;
    this.remotePort = remotePort;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** Connections of these addresses, one after the other; which are left. */
function left(addresses: readonly string[], busy: readonly number[] = [], gone: readonly number[] = []): number[] {
  const peers = addresses.map((address, at) => new Peer(address, at));
  // What comes out of a connection (a handshake's, a paced one) is another than the connection itself.
  const carried = peers.map(({ remoteAddress, remotePort }) => new Peer(remoteAddress, remotePort));
  const isBusy = (socket: Duplex) => busy.some((at) => (carried[at] as unknown) === socket);
  const connections = new Connections({ connectionsMax: 4, perAddressMax: 3, newPerSecondMax: 1 }, isBusy);
  for (const [at, peer] of peers.entries()) {
    connections.add(peer as unknown as Socket);
    connections.carry(peer as unknown as Socket, carried[at] as unknown as Duplex);
    if (gone.includes(at)) peer.emit('close');
  }
  return peers.flatMap(({ destroyed }, at) => (destroyed ? [] : [at]));
}

describe('connections', () => {
  test('an address has so many, and its oldest makes place', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a']), [1, 2, 3]));
  test('all have so many, and the address with most makes place', () =>
    assert.deepEqual(left(['b', 'a', 'a', 'a', 'c']), [0, 2, 3, 4]));
  test('one with an answer due stays', () => assert.deepEqual(left(['a', 'a', 'a', 'a'], [0]), [0, 2, 3]));
  test('where every one has, the new one goes', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a'], [0, 1, 2]), [0, 1, 2]));
  test('one that is gone takes no place', () => assert.deepEqual(left(['a', 'a', 'a', 'a'], [], [1]), [0, 1, 2, 3]));
});
