import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { describe, test } from 'node:test';
import { Access, type AccessRules } from '../../../src/pos/api/access.ts';
import { type Call, sale, served } from './served.ts';
import { noteReasons } from '../../support/reported-reasons.ts';

const closedRules: AccessRules = { hostnames: [], origins: [], networks: [] };

function refusal(
  remoteAddress: string | undefined,
  rules: Partial<AccessRules> = {},
  headers = {},
): string | undefined {
  const request = { socket: { remoteAddress }, headers: { host: '192.168.1.5:8080', ...headers } };
  const reported = new Access({ ...closedRules, ...rules }).refusal(request as unknown as IncomingMessage);
  noteReasons(reported);
  return reported?.message;
}

describe('the network that calls', () => {
  for (const address of [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.7.7',
    '::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%wlan0',
    '::ffff:192.168.1.7',
    '::ffff:10.0.0.1',
  ]) {
    test(`${address} may`, () => assert.equal(refusal(address), undefined));
  }

  for (const address of [
    undefined,
    '',
    '8.8.8.8',
    '172.15.255.255',
    '172.32.0.1',
    '11.0.0.1',
    '192.169.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '::',
    '::2',
    '2001:db8::1',
    'fe00::1',
    'fec0::1',
    '::ffff:8.8.8.8',
    '::ffff:172.32.0.1',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    'nonsense',
  ]) {
    test(`${address} may not`, () => assert.match(refusal(address) ?? '', /network/));
  }

  test('a configured range may, and only it', () => {
    const networks = ['203.0.113.0/24', '2001:db8:7::/48', '198.51.100.7/32'];
    for (const address of ['203.0.113.200', '::ffff:203.0.113.200', '2001:db8:7::1', '198.51.100.7', '10.0.0.1']) {
      assert.equal(refusal(address, { networks }), undefined, address);
    }
    for (const address of ['203.0.114.1', '2001:db8:8::1', '198.51.100.8', '8.8.8.8']) {
      assert.match(refusal(address, { networks }) ?? '', /network/, address);
    }
  });

  // '203.0.113.7' read as '203.0.113.7/0' would let the whole internet in.
  for (const range of [
    '203.0.113.7',
    '203.0.113.7/',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    '::/129',
    'shop.lan/8',
    '',
    '10.0.0/8',
    '0x0a.0.0.0/8',
    '10.0.0.0/1e1',
  ]) {
    test(`the range ${JSON.stringify(range)} is a configuration fault`, () => {
      assert.throws(() => new Access({ ...closedRules, networks: [range] }), {
        name: 'RangeError',
        message: /not an address range/,
      });
    });
  }
});

/** Not one name or address with a port (RFC 9112, 3.2: a field value that is invalid). */
const malformedHosts = [
  'evil.example@127.0.0.1',
  '127.0.0.1/evil.example',
  '127.0.0.1:99999',
  '127.0.0.1:x',
  '127.0.0.1, evil.example',
  '127.0.0.1,127.0.0.1',
  '127.0.0.1 evil.example',
  '127.0.0.1;evil.example',
  '[::1]evil.example',
];

describe('the Host header', () => {
  for (const host of [
    '127.0.0.1',
    '127.0.0.1:8080',
    '192.168.1.5:8080',
    '[::1]:8080',
    '[fd12::1]',
    'localhost',
    'LocalHost:8080',
    'till.shop.lan',
    'TILL.shop.lan:8080',
  ]) {
    test(`${host} is this terminal`, async (t) => {
      const { call, terminal } = await served(t, { access: { hostnames: ['Till.Shop.lan'] } });
      await call({ headers: { host }, body: JSON.stringify(sale) });
      assert.equal(terminal.paid.length, 1);
    });
  }

  for (const host of [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'till.shop.lan.evil.example',
    'shop.lan',
    'localhost.',
  ]) {
    test(`${JSON.stringify(host)} is refused: 403`, async (t) => {
      const { call, terminal } = await served(t, { access: { hostnames: ['till.shop.lan'] } });
      const { status, json, text } = await call({ headers: { host }, body: JSON.stringify(sale) });
      assert.equal(status, 403);
      assert.equal(json.responseResult, 'ERROR');
      assert.equal(json.financialImpact, 'NONE');
      assert.ok(!text.includes('evil'));
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const host of malformedHosts) {
    test(`${JSON.stringify(host)} is none: 400`, async (t) => {
      const { call, terminal } = await served(t);
      const { status, json, text } = await call({ headers: { host }, body: JSON.stringify(sale) });
      assert.deepEqual([status, json.reason, json.financialImpact], [400, 'notHttp', 'NONE']);
      assert.ok(!text.includes('evil'));
      assert.equal(terminal.paid.length, 0);
    });
  }
});

describe('web pages', () => {
  const origin = 'https://pos.shop.example';
  const calls: readonly Call[] = [
    { body: JSON.stringify(sale) },
    { path: '/sp/v1/cancel', body: '{"posId":"P","messageId":"M"}' },
    { method: 'GET', path: '/sp/v1/status' },
    { method: 'OPTIONS' },
  ];

  for (const foreign of [
    'https://evil.example',
    'null',
    '',
    'http://127.0.0.1:8080',
    `${origin}.evil.example`,
    `${origin}:444`,
    origin.toUpperCase(),
    `${origin}/`,
  ]) {
    test(`origin ${JSON.stringify(foreign)}: every call is refused, without CORS headers`, async (t) => {
      const { call, terminal } = await served(t, { access: { origins: [origin] } });
      for (const each of calls) {
        const { status, headers } = await call({ ...each, headers: { origin: foreign } });
        assert.equal(status, 403);
        assert.deepEqual(
          Object.keys(headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
      assert.equal(terminal.paid.length + terminal.asked.length, 0);
    });
  }

  // Fetch Metadata, 2.3; two of them are what somebody in the middle, or two headers, would make of it.
  for (const site of ['cross-site', 'same-site', 'CROSS-SITE', 'cross-site, none', 'anything']) {
    test(`Sec-Fetch-Site: ${site}, without an Origin: every call is refused`, async (t) => {
      const { call, terminal } = await served(t, { access: { origins: [origin] } });
      for (const each of calls) {
        const { status, json } = await call({ ...each, headers: { 'sec-fetch-site': site } });
        assert.equal(status, 403);
        assert.equal(json.financialImpact, 'NONE');
      }
      assert.equal(terminal.paid.length + terminal.asked.length, 0);
    });
  }

  for (const site of ['none', 'same-origin']) {
    test(`Sec-Fetch-Site: ${site} is no other page`, async (t) => {
      const { call, terminal } = await served(t);
      await call({ body: JSON.stringify(sale), headers: { 'sec-fetch-site': site } });
      assert.equal(terminal.paid.length, 1);
    });
  }

  test('a configured origin may call from another site, which most are', async (t) => {
    const { call, terminal } = await served(t, { access: { origins: [origin] } });
    for (const site of ['cross-site', 'same-site']) {
      const headers = { origin, 'sec-fetch-site': site };
      await call({ body: JSON.stringify(sale), headers });
      assert.equal((await call({ method: 'GET', path: '/sp/v1/status', headers })).status, 200);
    }
    assert.equal(terminal.paid.length, 2);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'none' };
    assert.equal((await call({ body: JSON.stringify(sale), headers: foreign })).status, 403);
  });

  test('a configured origin may call, and may read every answer', async (t) => {
    const { call, terminal } = await served(t, { access: { origins: [origin] } });
    const answers = [
      await call({ body: JSON.stringify(sale), headers: { origin } }),
      await call({ body: '[]', headers: { origin } }),
      await call({ path: '/nowhere', headers: { origin } }),
      await call({ method: 'PUT', headers: { origin } }),
      await call({ body: 'x', headers: { origin, 'content-type': 'text/plain' } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [503, 400, 404, 405, 415],
    );
    for (const { headers } of answers) {
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.equal(headers['vary'], 'origin');
      assert.equal(headers['access-control-allow-credentials'], undefined);
    }
    assert.equal(terminal.paid.length, 1);
  });

  test('its preflight is answered, also for a private network', async (t) => {
    const { call } = await served(t, { access: { origins: [origin] } });
    const preflight = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
      'access-control-request-private-network': 'true',
    };
    const { status, headers, text } = await call({ method: 'OPTIONS', headers: preflight });
    assert.equal(status, 204);
    assert.equal(text, '');
    assert.equal(headers['access-control-allow-origin'], origin);
    assert.match(String(headers['access-control-allow-methods']), /POST/);
    assert.match(String(headers['access-control-allow-headers']), /content-type/);
    assert.equal(headers['access-control-allow-private-network'], 'true');
    // RFC 9110, 8.6: no Content-Length in a 204.
    assert.equal(headers['content-length'], undefined);
  });

  test('a preflight of another origin, or none, is told nothing', async (t) => {
    const { call } = await served(t, { access: { origins: [origin] } });
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    for (const [status, headers] of [
      [403, { ...asked, origin: 'https://evil.example' }],
      [403, { ...asked, origin: `${origin}.evil.example` }],
      [403, { ...asked, origin: origin.toUpperCase() }],
      [403, { ...asked, origin: 'null' }],
      [403, { ...asked, origin: '*' }],
      [405, asked],
      [405, { origin }],
    ] as const) {
      const answer = await call({ method: 'OPTIONS', headers });
      const reported = Object.keys(answer.headers).filter((name) => /^access-control-(?:allow-[mhp]|max)/.test(name));
      assert.deepEqual([answer.status, reported], [status, []], JSON.stringify(headers));
    }
  });

  test('a private network is told of only where it is asked about', async (t) => {
    const { call } = await served(t, { access: { origins: [origin] } });
    const { headers } = await call({ method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } });
    assert.equal(headers['access-control-allow-private-network'], undefined);
    assert.equal(headers['access-control-max-age'], '7200');
    assert.equal(headers['access-control-allow-credentials'], undefined);
  });

  test('preflights are counted: the fourth is the last on its connection', async (t) => {
    const { port } = await served(t, { access: { origins: [origin] } });
    const lines = ['OPTIONS /sp/v1/payment HTTP/1.1', 'Host: 127.0.0.1', `Origin: ${origin}`];
    const asked = [...lines, 'Access-Control-Request-Method: POST', '', ''].join('\r\n');
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(asked.repeat(10));
    const heard = Buffer.concat(await socket.toArray()).toString();
    assert.equal(heard.match(/HTTP\/1\.1 204/g)?.length, 4);
    assert.equal(heard.match(/connection: close/gi)?.length, 1);
  });

  test('what a page sends without a preflight starts nothing, whoever it is', async (t) => {
    const { call, terminal } = await served(t, { access: { origins: [origin] } });
    const simple = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''];
    for (const type of [...simple, 'text/plain; application/json', 'text/application/json']) {
      for (const path of ['/sp/v1/payment', '/sp/v1/settlement', '/sp/v1/cancel', '/sp/v1/pairing']) {
        const own = await call({ path, body: JSON.stringify(sale), headers: { origin, 'content-type': type } });
        assert.equal(own.status, 415, `${type} ${path}`);
        const headers = { origin: 'https://evil.example', 'content-type': type };
        assert.equal((await call({ path, body: JSON.stringify(sale), headers })).status, 403);
      }
    }
    assert.deepEqual([terminal.paid, terminal.settled, terminal.asked], [[], [], []]);
  });

  for (const [what, lines, body] of [
    ['two Host headers', ['GET /sp/v1/status HTTP/1.1', 'Host: localhost', 'Host: evil.example'], ''],
    ['two Host headers that are the same', ['GET /sp/v1/status HTTP/1.1', 'Host: localhost', 'host: localhost'], ''],
    ['no Host header', ['GET /sp/v1/status HTTP/1.1'], ''],
    ['a Host in two lines', ['GET /sp/v1/status HTTP/1.1', 'Host: localhost', ' '], ''],
    ['a Host in a folded line', ['GET /sp/v1/status HTTP/1.1', 'X: 1', '\tHost: localhost'], ''],
    ['another Host than that of the target', ['GET http://127.0.0.1/sp/v1/status HTTP/1.1', 'Host: localhost'], ''],
    ['a target and no Host', ['GET http://127.0.0.1/sp/v1/status HTTP/1.1'], ''],
    ['a GET with a body', ['GET /sp/v1/status HTTP/1.1', 'Host: localhost', 'Content-Length: 2'], '{}'],
    ['a GET in chunks', ['GET /sp/v1/status HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ] as const) {
    test(`${what}: 400, and the connection ends`, async (t) => {
      const { port } = await served(t);
      const socket = connect(port, '127.0.0.1');
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
      const heard = (await socket.toArray()).join('');
      assert.match(heard, /^HTTP\/1\.1 400 /);
      assert.match(heard, /connection: close/i);
      assert.match(heard, /"reason":"notHttp"/);
    });
  }

  test('a GET whose body is said to be empty is a GET', async (t) => {
    const { port } = await served(t);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /sp/v1/status HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    assert.match((await socket.toArray()).join(''), /^HTTP\/1\.1 200 /);
  });

  test('without an Origin there are no CORS headers', async (t) => {
    const { call } = await served(t, { access: { origins: [origin] } });
    assert.equal((await call({ body: '{}' })).headers['access-control-allow-origin'], undefined);
  });
});
