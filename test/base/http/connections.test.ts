import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { Connections, type ConnectionUse } from '../../../src/base/http/connections.ts';
import type { PacedSocket } from '../../../src/base/http/paced-socket.ts';

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

  resetAndDestroy(): void {
    this.destroyed = true;
  }
}

/** Connections of these addresses, one after the other; which are left. */
function left(
  addresses: readonly string[],
  uses: readonly ConnectionUse[] = [],
  gone: readonly number[] = [],
  { connectionsMax, perAddressMax } = { connectionsMax: 4, perAddressMax: 3 },
): number[] {
  const peers = addresses.map((address, at) => new Peer(address, at));
  // What comes out of a connection (a handshake's, a paced one) is another than the connection itself.
  const carried = peers.map(({ remoteAddress, remotePort }) => new Peer(remoteAddress, remotePort));
  const useOf = (socket: PacedSocket) => uses[(carried as unknown[]).indexOf(socket)] ?? 'idle';
  const connections = new Connections({ connectionsMax, perAddressMax, newPerSecondMax: 1 }, useOf);
  for (const [at, peer] of peers.entries()) {
    connections.add(peer as unknown as Socket);
    connections.carry(peer as unknown as Socket, carried[at] as unknown as PacedSocket);
    if (gone.includes(at)) peer.emit('close');
  }
  return peers.flatMap(({ destroyed }, at) => (destroyed ? [] : [at]));
}

describe('connections', () => {
  test('an address has so many, and its oldest makes place', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a']), [1, 2, 3]));
  test('all have so many, and the address with most makes place', () =>
    assert.deepEqual(left(['b', 'a', 'a', 'a', 'c']), [0, 2, 3, 4]));
  test('one for which an answer is prepared stays', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a'], ['answering']), [0, 2, 3]));
  test('where an answer is prepared for each, the new one goes', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a'], ['answering', 'answering', 'answering']), [0, 1, 2]));
  test('one whose client does not read its answer makes place first', () =>
    assert.deepEqual(left(['a', 'a', 'a', 'a'], ['sending', 'idle', 'unread']), [0, 1, 3]));
  test('then an idle one, and at last one to which an answer is sent', () => {
    assert.deepEqual(left(['a', 'a', 'a', 'a'], ['sending', 'idle', 'answering']), [0, 2, 3]);
    assert.deepEqual(left(['a', 'a', 'a', 'a'], ['answering', 'sending', 'sending']), [0, 2, 3]);
  });
  test('a few addresses whose connections are all being answered leave a quarter of the places to others', () => {
    const attackers = Array.from({ length: 40 }, (_, at) => `attacker ${at % 2}`);
    const others = Array.from({ length: 10 }, (_, at) => `POS ${at % 5}`);
    const answering = attackers.map(() => 'answering' as const);
    const limits = { connectionsMax: 40, perAddressMax: 30 };
    const all = left([...attackers, ...others], [...answering, ...others.map(() => 'answering' as const)], [], limits);
    assert.equal(all.filter((at) => at < attackers.length).length, 30);
    assert.equal(all.filter((at) => at >= attackers.length).length, 10);
  });
  test('one that is gone takes no place', () => assert.deepEqual(left(['a', 'a', 'a', 'a'], [], [1]), [0, 1, 2, 3]));
});
