import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { Connections } from '../../src/api/connections.ts';

class Peer extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** Connections of these addresses, one after the other; which are left. */
function left(addresses: readonly string[], busy: readonly number[] = [], gone: readonly number[] = []): number[] {
  const peers = addresses.map((address) => new Peer(address));
  const isBusy = (socket: Socket) => busy.some((at) => (peers[at] as unknown) === socket);
  const connections = new Connections({ connectionsMax: 4, perAddressMax: 3 }, isBusy);
  for (const [at, peer] of peers.entries()) {
    connections.add(peer as unknown as Socket);
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
