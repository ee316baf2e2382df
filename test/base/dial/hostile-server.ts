import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** Answers the first bytes of each request with what `answer` writes. Returns its port on 127.0.0.1. */
export async function hostileServer(t: TestContext, answer: (socket: Socket) => unknown): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => answer(socket));
    socket.resume();
  }).listen(0, '127.0.0.1');
  t.after(() => {
    for (const each of sockets) each.destroy();
    server.close();
  });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export const switchingProtocols = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
export const earlyHints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';

/** Begins a head, and sends the rest byte by byte. */
export function dripHead(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nX: ');
  const timer = setInterval(() => socket.write('a'), 5);
  socket.once('close', () => clearInterval(timer));
}
