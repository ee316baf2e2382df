import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, test } from 'node:test';
import { isPageFile } from '../../build/page-files.ts';
import type { ScreenView } from '../../src/payment/contracts/screen.ts';
import { serveScreen } from '../../src/screen/server.ts';
import { ask, served, Watcher } from './watcher.ts';

const approved: ScreenView = { scene: 'approved', amount: '30.00', currency: 'HKD' };
const declined: ScreenView = {
  scene: 'declined',
  amount: '30.00',
  currency: 'HKD',
  reported: { happened: 'declinedByBank', money: 'charge-NONE', next: 'payOtherWay' },
};

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
    screen.show({ scene: 'error', amount: 'one\n\ndata: {"scene":"approved"}\n\n</script>' });
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
    assert.equal((await ask(screen.port, '/events')).statusCode, 503);
    watchers[0]?.response.destroy();
    let again = await ask(screen.port, '/events');
    while (again.statusCode === 503) again = await ask(screen.port, '/events');
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
    const amount = '9'.repeat(1_000_000);
    const shows = 24;
    for (let shown = 1; shown <= shows; shown++) {
      screen.show({ scene: 'error', amount });
      await reading.characters(shown * amount.length);
    }
    // Cut off: what the kernel holds for it ends before the last view.
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
    await closed;
    assert.ok(bytes < shows * amount.length, `${bytes} bytes were kept`);
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
    ['/panel.css', 'text/css; charset=utf-8'],
    ['/page.js', 'text/javascript; charset=utf-8'],
    ['/icon.svg', 'image/svg+xml'],
    ['/words-zh-hant.js', 'text/javascript; charset=utf-8'],
    ['/kind-names.json', 'application/json'],
    ['/?kiosk', 'text/html; charset=utf-8'],
  ] as const) {
    test(`${path} is served as ${type}, and takes nothing from elsewhere`, async (t) => {
      const screen = await served(t);
      const response = await ask(screen.port, path);
      assert.equal(response.statusCode, 200);
      assert.equal(response.headers['content-type'], type);
      assert.equal(response.headers['content-security-policy'], "default-src 'self'; frame-ancestors 'none'");
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      const text = (await response.toArray()).join('');
      assert.ok(text.length > 300);
      // Nor could it: no address of another machine, nothing inline that the policy would block.
      assert.doesNotMatch(
        text,
        /https?:(?!\/\/www\.w3\.org\/2000\/svg['"])|url\((?!"unifont)|@import (?!\{)|<script>|<style|\sstyle=|\son[a-z]+=/,
      );
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
    '/action/',
    '/words.json',
    '/types.ts',
    '/tsconfig.json',
  ]) {
    test(`${path}: 404`, async (t) => {
      const screen = await served(t);
      assert.equal((await ask(screen.port, path)).statusCode, 404);
    });
  }

  test('only GET', async (t) => {
    const screen = await served(t);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      assert.equal((await ask(screen.port, '/events', {}, method)).statusCode, 405);
    }
  });

  test('the files that it names are there, and it names all that are there', async (t) => {
    const screen = await served(t);
    const read = async (path: string) => (await (await ask(screen.port, path)).toArray()).join('');
    const named = new Set<string>();
    const follow = async (path: string): Promise<void> => {
      if (named.has(path)) return;
      named.add(path);
      const text = await read(path);
      assert.ok(text.length > 100, path);
      // Types are for the checker alone.
      for (const [, next = ''] of text.matchAll(/(?:from '\.|(?:href|src)="(?=[a-z-]+\.))\/?([\w-]+\.\w+)/g))
        if (!next.endsWith('.ts')) await follow(`/${next}`);
    };
    await follow('/');
    const there = readdirSync(new URL('../../src/screen/page', import.meta.url)).filter(isPageFile);
    assert.deepEqual([...named].map((path) => (path === '/' ? 'index.html' : path.slice(1))).sort(), there.sort());
  });

  test('brings a font with Chinese, for a firmware that has none', async (t) => {
    const screen = await served(t);
    const response = await ask(screen.port, '/unifont.woff2');
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers['content-type'], 'font/woff2');
    response.destroy();
  });
});

describe('a target in absolute-form', () => {
  for (const [target, headers, status] of [
    ['http://127.0.0.1/page.js', { host: '127.0.0.1' }, 200],
    ['http://LOCALHOST:8081/page.js?x', { host: 'localhost:8081' }, 200],
    ['http://localhost', { host: 'localhost' }, 200],
    ['http://evil.example/page.js', { host: 'evil.example' }, 403],
    ['http://evil.example/page.js', { host: '127.0.0.1' }, 400],
    ['http://127.0.0.1/page.js', { host: 'evil.example' }, 400],
    ['http://127.0.0.1/page.js', { host: 'localhost' }, 400],
    ['http://evil@127.0.0.1/page.js', { host: '127.0.0.1' }, 400],
    ['https://127.0.0.1/page.js', { host: '127.0.0.1' }, 421],
  ] as const) {
    test(`${target} ${JSON.stringify(headers)}: ${status}`, async (t) => {
      const screen = await served(t);
      assert.equal((await ask(screen.port, target, headers)).statusCode, status);
    });
  }

  test('HEAD is GET without the body, but of the stream', async (t) => {
    const screen = await served(t);
    const response = await ask(screen.port, '/page.js', {}, 'HEAD');
    assert.equal(response.statusCode, 200);
    assert.deepEqual(await response.toArray(), []);
    assert.equal((await ask(screen.port, '/events', {}, 'HEAD')).statusCode, 405);
  });
});

describe('strangers', () => {
  for (const [what, headers] of [
    ['a foreign Host', { host: 'evil.example' }],
    ['a Host that starts well', { host: '127.0.0.1.evil.example' }],
    ['this machine’s other name', { host: '192.168.1.5:8081' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['an Origin of no page', { origin: 'null' }],
    ['another page of this machine', { origin: 'http://127.0.0.1:1' }],
    ['an Origin that starts well', { origin: 'http://127.0.0.1.evil.example' }],
  ] as const) {
    test(`${what}: 403 for page and events`, async (t) => {
      const screen = await served(t);
      for (const path of ['/', '/page.js', '/events']) {
        assert.equal((await ask(screen.port, path, headers)).statusCode, 403);
      }
    });
  }

  for (const [what, lines] of [
    ['two Host headers', ['Host: 127.0.0.1', 'Host: evil.example']],
    ['two that are the same', ['Host: localhost', 'host: localhost']],
    ['none', []],
    ['a list', ['Host: 127.0.0.1, evil.example']],
    ['a user', ['Host: evil@127.0.0.1']],
    ['a folded line', ['Host: 127.0.0.1', ' evil.example']],
  ] as const) {
    test(`${what}: 400 for page, events and actions, and the connection ends`, async (t) => {
      const { port } = await served(t);
      for (const begun of ['GET /', 'GET /events', 'GET /status', 'POST /action', 'POST /desk']) {
        const socket = net.connect(port, '127.0.0.1');
        socket.write(`${[`${begun} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
        assert.match((await socket.toArray()).join(''), /^HTTP\/1\.1 400 /, begun);
      }
    });
  }

  test('another page may open it in its own place, and neither frame it nor open anything else', async (t) => {
    const { port } = await served(t);
    const open = async (path: string, destination: string, site = 'cross-site') => {
      const fetched = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': destination };
      return (await ask(port, path, fetched)).statusCode;
    };
    assert.deepEqual([await open('/', 'document'), await open('/', 'document', 'same-site')], [200, 200]);
    assert.equal(await open('/', 'iframe'), 403);
    assert.equal(await open('/', 'image'), 403);
    for (const path of ['/events', '/status', '/page.js', '/?']) assert.equal(await open(path, 'document'), 403, path);
    assert.equal((await ask(port, '/', { 'sec-fetch-site': 'cross-site' })).statusCode, 403);
  });

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
