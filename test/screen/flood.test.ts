import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { plainStyle } from '../../src/base/domain/screen-style.ts';
import { pageFiles } from '../../src/screen/page-file.ts';
import { tinyChunks } from '../pos/api/raw-client.ts';
import { ask, served, Watcher } from './watcher.ts';

const font = '/unifont.woff2';

async function connected(t: TestContext, port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** 1,200 requests at once on one connection. Resolves with the size of what was answered, once it is closed. */
async function pipelined(t: TestContext, port: number, path: string, bytesMax = Infinity): Promise<number> {
  const socket = await connected(t, port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let bytes = 0;
  socket.on('data', ({ length }: Buffer) => {
    bytes += length;
    if (bytes > bytesMax) socket.destroy();
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(1_200));
  await closed;
  return bytes;
}

describe('a program of this machine that floods the screen’s server', { timeout: 60_000 }, () => {
  test('has a few requests of a connection answered, and loses the connection', async (t) => {
    const { port } = await served(t);
    const response = await ask(port, font);
    const size = Number(response.headers['content-length']);
    response.destroy();
    const bytes = await pipelined(t, port, font, 20 * size);
    assert.ok(bytes < 5 * size, `${bytes} bytes of ${size} each`);
  });

  for (const path of ['/status', '/fleet', '/metrics']) {
    test(`has few reports made at a time: ${path}`, async (t) => {
      const screen = await served(t);
      let reports = 0;
      const report = () => {
        reports += 1;
        return new Promise<never>(() => undefined);
      };
      screen.serveStatus(report);
      screen.serveFleet(report);
      screen.serveMetrics(report);
      await pipelined(t, screen.port, path);
      await new Promise(setImmediate);
      assert.ok(reports <= 4, `${reports} reports`);
    });
  }

  test('keeps no bytes of a file more than once, however many answers are unread', async () => {
    const files = await pageFiles(plainStyle);
    for (const path of ['/', '/page.js', font]) {
      const file = files.get(path);
      assert.ok(file);
      assert.equal(await file.read(), await file.read(), path);
    }
  });

  for (const [what, more, repeated, chunks, answer] of [
    ['a body with more around it than in it', '', 1, tinyChunks(' '.repeat(600), 500), '413'],
    ['an Expect that nobody knows', 'Expect: foo\r\n', 100, '0\r\n\r\n', '417'],
  ] as const) {
    test(`loses its connection by ${what}`, async (t) => {
      const { port } = await served(t);
      const socket = await connected(t, port);
      const closed = new Promise((resolve) => socket.once('close', resolve));
      let heard = '';
      socket.on('data', (bytes: Buffer) => (heard += bytes.toString('latin1')));
      const own = `127.0.0.1:${port}`;
      const type = 'Content-Type: application/json';
      const head = `POST /action HTTP/1.1\r\nHost: ${own}\r\nOrigin: http://${own}\r\n${type}\r\n`;
      socket.write(`${head}${more}Transfer-Encoding: chunked\r\n\r\n${chunks}`.repeat(repeated));
      await closed;
      // A reset may overtake it.
      const statuses = Array.from(heard.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => status);
      assert.deepEqual(statuses.slice(0, 9), statuses.length === 0 ? [] : [answer]);
    });
  }

  test('keeps the browser out neither with idle connections nor with unread answers', async (t) => {
    const { port } = await served(t);
    for (let each = 0; each < 300; each++) {
      const socket = await connected(t, port);
      socket.pause();
      if (each % 2 === 0) socket.write(`GET ${font} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    }
    const watcher = await Watcher.open(port);
    assert.deepEqual(await watcher.views(1), [{ scene: 'idle' }]);
    for (let each = 0; each < 300; each++) await connected(t, port);
    assert.equal((await ask(port, '/')).statusCode, 200);
    assert.equal(watcher.response.destroyed, false);
  });
});
