import os from 'node:os';
import { createServer, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { answerTo, RawBroker, type RawConnection, type RawPacket, type } from '../support/raw-broker.ts';
import { type BrokerConduct, conducts } from './broker-conduct.ts';

/**
 * A process that is a broker, on loopback. It takes messages: an Opening, once, which it answers with its ports; then the name of a
 * conduct, answered with 'under way', 'calm', answered with a BrokerTold, or 'connected', answered once a terminal has subscribed. On
 * another machine it would have a processor of its own, so here it gives way to the terminal.
 */
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);

export interface Opening {
  /** Certificates and keys: the broker's own, and that of somebody else. */
  readonly tls?: { readonly own: SecureContextOptions; readonly foreign: SecureContextOptions };
}

export interface BrokerReport {
  readonly sentBytes: number;
  /** Connections that the terminal has ended. */
  readonly left: number;
}

let conduct: BrokerConduct | undefined;
let reported = { sentBytes: 0, left: 0 };
let underWay = Promise.withResolvers<void>();
let subscribed = Promise.withResolvers<void>();
let latest: RawConnection | undefined;
const sockets = new Set<Socket>();

function onPacket(packet: RawPacket, connection: RawConnection): void {
  const { accepting, ignores = [], cutsAt } = conduct ?? {};
  if (packet.type === type.connect && accepting) underWay.resolve();
  if (ignores.includes(packet.type)) return underWay.resolve();
  const answer = answerTo(packet, accepting);
  if (answer) connection.send(answer);
  if (packet.type === type.connect && cutsAt === 'acceptance') {
    underWay.resolve();
    connection.socket.destroySoon();
  }
  if (packet.type !== type.subscribe) return;
  latest = connection;
  subscribed.resolve();
  if (conduct) attack(conduct, connection);
}

function attack({ once, flood, trickle, readsNothing }: BrokerConduct, connection: RawConnection): void {
  const { socket } = connection;
  const doing = conduct;
  if (readsNothing) socket.pause();
  socket.once('close', () => (reported.left += 1));
  if (once) connection.send(once);
  if (flood) pour(connection, flood);
  if (trickle) drip(connection, trickle);
  if (doing && (once || flood || trickle)) underWay.resolve();
}

/** As fast as it is taken, until the conduct is over. */
function pour({ socket }: RawConnection, bytes: Buffer): void {
  const doing = conduct;
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / bytes.length) }, () => bytes));
  const more = () => {
    if (conduct !== doing || socket.destroyed) return;
    reported.sentBytes += chunk.length;
    if (socket.write(chunk)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
}

function drip(connection: RawConnection, bytes: Buffer): void {
  const doing = conduct;
  let at = 0;
  const timer = setInterval(() => {
    if (conduct !== doing || connection.socket.destroyed) return clearInterval(timer);
    connection.send(bytes.subarray(at % bytes.length, (at % bytes.length) + 1));
    at += 1;
  }, 20);
}

/** What concerns the beginning of a connection is done to the next one. */
async function begin(what: string): Promise<void> {
  const found = Object.values(conducts)
    .flat()
    .find((each) => each.what === what);
  if (!found) throw new Error(`there is no conduct '${what}'`);
  conduct = found;
  reported = { sentBytes: 0, left: 0 };
  underWay = Promise.withResolvers();
  const needsAnother = found.accepting || found.ignores || found.cutsAt || found.tls;
  if (needsAnother) for (const socket of sockets) socket.destroy();
  else if (latest) attack(found, latest);
  await underWay.promise;
  process.send?.('under way');
}

async function open({ tls }: Opening): Promise<void> {
  const broker = await RawBroker.start(onPacket, tls?.own);
  const foreign = tls && (await RawBroker.start(() => undefined, tls.foreign));
  // In front of it, so that each connection can be cut, or led to another, before its first byte.
  const door = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (conduct?.cutsAt === 'connection') {
      underWay.resolve();
      socket.destroy();
      return;
    }
    if (conduct?.tls) underWay.resolve();
    if (conduct?.tls !== 'silent') (conduct?.tls === 'foreign' ? foreign : broker)?.take(socket);
  });
  door.listen(0, '127.0.0.1', () => process.send?.({ port: (door.address() as { readonly port: number }).port }));
}

async function obey(order: Opening | string): Promise<void> {
  if (typeof order !== 'string') return open(order);
  if (order === 'calm') {
    conduct = undefined;
    for (const socket of sockets) socket.resume();
    process.send?.(reported);
  } else if (order === 'fresh') {
    subscribed = Promise.withResolvers();
    latest = undefined;
    process.send?.('fresh');
  } else if (order === 'connected') {
    await subscribed.promise;
    process.send?.('connected');
  } else await begin(order);
}

process.on('message', (order: Opening | string) => void obey(order));
process.once('disconnect', () => process.exit(0));
