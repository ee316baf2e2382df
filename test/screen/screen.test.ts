import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test, type TestContext } from 'node:test';
import type { ScreenView } from '../../src/ports/screen.ts';
import { type ScreenServer, serveScreen } from '../../src/screen/server.ts';

const approved: ScreenView = { scene: 'approved', amount: '30.00', currency: 'HKD' };
const declined: ScreenView = { scene: 'declined', amount: '30.00', currency: 'HKD', hint: 'Please use another card' };

async function served(t: TestContext): Promise<ScreenServer> {
  const screen = await serveScreen(0);
  t.after(() => screen.close());
  return screen;
}

async function get(port: number, path: string, headers = {}, method = 'GET'): Promise<IncomingMessage> {
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false });
  request.on('error', () => undefined).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

/** A browser that watches: its views, one after the other. */
class Watcher {
  readonly response: IncomingMessage;
  readonly gone: Promise<unknown>;
  text = '';
  #onData: (() => void) | undefined;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.gone = new Promise((resolve) => response.once('close', resolve));
    response.on('error', () => undefined);
    response.on('data', (chunk: string) => {
      this.text += chunk;
      this.#onData?.();
    });
  }

  static async open(port: number, headers = {}): Promise<Watcher> {
    const response = await get(port, '/events', headers);
    assert.equal(response.statusCode, 200);
    return new Watcher(response);
  }

  async characters(count: number): Promise<void> {
    while (this.text.length < count) await new Promise<void>((resolve) => (this.#onData = resolve));
  }

  /** Resolves with all views so far, once there are `count`. */
  async views(count: number): Promise<ScreenView[]> {
    for (;;) {
      const views = Array.from(
        this.text.matchAll(/^data: (.*)\n\n/gm),
        ([, data = '']) => JSON.parse(data) as ScreenView,
      );
      if (views.length >= count) return views;
      await new Promise<void>((resolve) => (this.#onData = resolve));
    }
  }
}

describe('the event stream', () => {
  test('tells the present view at once, and every change after it', async (t) => {
    const screen = await served(t);
    const watcher = await Watcher.open(screen.port);
    assert.equal(watcher.response.headers['content-type'], 'text/event-stream');
    assert.equal(watcher.response.headers['cache-control'], 'no-store');
    assert.deepEqual(await watcher.views(1), [{ scene: 'idle' }]);
    screen.show({ scene: 'presentCard', amount: '30.00', currency: 'HKD' });
    screen.show(approved);
    const [, , last] = await watcher.views(3);
    assert.deepEqual(last, approved);
    assert.match(watcher.text, /^retry: \d+\n/);
  });

  test('a reconnect shows what is now, not what was', async (t) => {
    const screen = await served(t);
    const first = await Watcher.open(screen.port);
    await first.views(1);
    screen.show(approved);
    first.response.destroy();
    screen.show(declined);
    const again = await Watcher.open(screen.port);
    assert.deepEqual(await again.views(1), [declined]);
  });

  test('every watcher hears every change', async (t) => {
    const screen = await served(t);
    const watchers = await Promise.all([1, 2, 3].map(() => Watcher.open(screen.port)));
    screen.show(approved);
    for (const watcher of watchers) assert.deepEqual((await watcher.views(2)).at(-1), approved);
  });

  test('a text can’t break out of its event', async (t) => {
    const screen = await served(t);
    screen.show({ scene: 'error', hint: 'one\n\ndata: {"scene":"approved"}\n\n</script>' });
    const watcher = await Watcher.open(screen.port);
    screen.show({ scene: 'idle' });
    assert.deepEqual(
      (await watcher.views(2)).map(({ scene }) => scene),
      ['error', 'idle'],
    );
  });

  test('has a place for sixteen, and one is free again when a watcher leaves', async (t) => {
    const screen = await served(t);
    const watchers = await Promise.all(Array.from({ length: 16 }, () => Watcher.open(screen.port)));
    assert.equal((await get(screen.port, '/events')).statusCode, 503);
    watchers[0]?.response.destroy();
    let again = await get(screen.port, '/events');
    while (again.statusCode === 503) again = await get(screen.port, '/events');
    assert.equal(again.statusCode, 200);
    again.destroy();
  });

  test('a watcher that does not read is cut off before it costs memory, the others are not', async (t) => {
    const screen = await served(t);
    const reading = await Watcher.open(screen.port);
    const socket = net.connect(screen.port, '127.0.0.1');
    socket.on('error', () => undefined);
    t.after(() => socket.destroy());
    socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1:${screen.port}\r\n\r\n`);
    await once(socket, 'readable');
    socket.pause();
    const closed = once(socket, 'close');
    const hint = 'x'.repeat(1_000_000);
    const shows = 24;
    for (let shown = 1; shown <= shows; shown++) {
      screen.show({ scene: 'error', hint });
      await reading.characters(shown * hint.length);
    }
    // Cut off: what the kernel holds for it ends before the last view.
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await closed;
    assert.ok(bytes < shows * hint.length, `${bytes} bytes were kept`);
  });

  test('closing ends the streams', async () => {
    const screen = await serveScreen(0);
    const watcher = await Watcher.open(screen.port);
    await screen.close();
    await watcher.gone;
  });
});

describe('the page', () => {
  for (const [path, type] of [
    ['/', 'text/html; charset=utf-8'],
    ['/page.css', 'text/css; charset=utf-8'],
    ['/page.js', 'text/javascript; charset=utf-8'],
    ['/?kiosk', 'text/html; charset=utf-8'],
  ] as const) {
    test(`${path} is served as ${type}, and takes nothing from elsewhere`, async (t) => {
      const screen = await served(t);
      const response = await get(screen.port, path);
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['content-type'], type);
      assert.equal(response.headers['content-security-policy'], "default-src 'self'; frame-ancestors 'none'");
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      const text = (await response.toArray()).join('');
      assert.ok(text.length > 300);
      // Nor could it: no address of another machine, nothing inline that the policy would block.
      assert.doesNotMatch(text, /https?:|url\(|@import|<script>|<style|\sstyle=|\son[a-z]+=/);
    });
  }

  for (const path of [
    '/index.html',
    '/../server.ts',
    '/%2e%2e/server.ts',
    '/page/page.js',
    '//',
    '/constructor',
    '/events/',
  ]) {
    test(`${path}: 404`, async (t) => {
      const screen = await served(t);
      assert.equal((await get(screen.port, path)).statusCode, 404);
    });
  }

  test('only GET', async (t) => {
    const screen = await served(t);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      assert.equal((await get(screen.port, '/events', {}, method)).statusCode, 405);
    }
  });

  test('knows a title and a drawing for every scene', async (t) => {
    const screen = await served(t);
    const read = async (path: string) => (await (await get(screen.port, path)).toArray()).join('');
    const [html, css, script] = await Promise.all(['/', '/page.css', '/page.js'].map(read));
    const scenes = ['presentCard', 'processing', 'approved', 'declined', 'error'] satisfies ScreenView['scene'][];
    for (const scene of [...scenes, 'offline']) {
      assert.match(html ?? '', new RegExp(`class="${scene}"`));
      assert.match(css ?? '', new RegExp(`\\[data-scene="${scene}"\\] #mark \\.${scene}`));
      assert.match(script ?? '', new RegExp(`\\b${scene}: '`));
    }
  });
});

describe('strangers', () => {
  for (const [what, headers] of [
    ['a foreign Host', { host: 'evil.example' }],
    ['a Host that starts well', { host: '127.0.0.1.evil.example' }],
    ['a Host with a user', { host: 'evil@127.0.0.1' }],
    ['this machine’s other name', { host: '192.168.1.5:8081' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an Origin of no page', { origin: 'null' }],
    ['another page of this machine', { origin: 'http://127.0.0.1:1' }],
    ['an Origin that starts well', { origin: 'http://127.0.0.1.evil.example' }],
  ] as const) {
    test(`${what}: 403 for page and events`, async (t) => {
      const screen = await served(t);
      for (const path of ['/', '/page.js', '/events']) {
        assert.equal((await get(screen.port, path, headers)).statusCode, 403);
      }
    });
  }

  test('its own page may watch, by address and by name', async (t) => {
    const { port } = await served(t);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
      await Watcher.open(port, { host });
      await Watcher.open(port, { host, origin: `http://${host}` });
    }
  });

  test('no other machine reaches it: it listens on loopback alone', async (t) => {
    const { port } = await served(t);
    const others = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const addresses = others
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address);
    // 127.0.0.2 is loopback too, and not the address that it listens on.
    for (const address of ['127.0.0.2', ...addresses]) {
      const [error] = (await once(net.connect(port, address), 'error')) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ECONNREFUSED', address);
    }
  });
});

test('a port in use rejects with the system’s error, and leaves nothing running', async (t) => {
  const { port } = await served(t);
  await assert.rejects(serveScreen(port), { code: 'EADDRINUSE' });
});
