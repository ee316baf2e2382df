import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ConfigurationError, loadConfiguration } from '../../src/config/load.ts';

type Json = Record<string, unknown>;

const acquirer = {
  id: 'EDC',
  protocol: 'iso8583',
  host: '127.0.0.1',
  port: 9000,
  tid: '00000001',
  mid: '000000000000001',
  nii: '003',
  tpdu: '6000030000',
  brands: ['VISA'],
};
const siteA = { host: 'a.example', port: 7000 };
const smallest = { shop: { name: 'Shop' }, reader: { driver: 'neo2', path: '/dev/reader' }, acquirers: [acquirer] };

let dir: string;
let files = 0;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'poid-config-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A file of this content: text as it is, anything else as JSON. */
function file(content: unknown): string {
  const name = path.join(dir, `${(files += 1)}.json`);
  writeFileSync(name, typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

async function refusal(paths: readonly string[], overrides?: Json): Promise<string> {
  const error = await loadConfiguration(paths, overrides).then(
    () => assert.fail('the configuration was taken'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigurationError, String(error));
  assert.doesNotMatch(error.message, /\n/, 'one sentence');
  return error.message;
}

test('the least that one has to say, and the defaults of all else', async () => {
  const configuration = await loadConfiguration([file(smallest)]);
  assert.equal(configuration.stateDir, '/var/lib/poid');
  assert.equal(configuration.http.host, '0.0.0.0');
  assert.equal(configuration.http.port, 8080);
  assert.equal(configuration.screen.port, 8081);
  assert.equal(configuration.timeouts.collectMs, 120_000);
  assert.equal(configuration.timeouts.reversalWaitMs, 5_000);
  assert.equal(configuration.receipt.printedBy, 'terminal');
  assert.equal(configuration.reader.baudRate, 115_200);
  assert.equal(configuration.printer, undefined);
  assert.equal(configuration.logLevel, 'info');
  assert.deepEqual(
    configuration.acquirers.map(({ connectTimeoutMs, replyTimeoutMs }) => ({ connectTimeoutMs, replyTimeoutMs })),
    [{ connectTimeoutMs: 5_000, replyTimeoutMs: 30_000 }],
  );
});

test('later files go over earlier ones, flags over all, object by object; lists are taken whole', async () => {
  const paths = [
    file({ ...smallest, http: { port: 1, host: '127.0.0.1' }, timeouts: { collectMs: 7 } }),
    file({ http: { port: 2 }, screen: { port: 20 }, acquirers: [{ ...acquirer, id: 'CUP' }] }),
  ];
  const configuration = await loadConfiguration(paths, { http: { port: 3 }, screen: {}, stateDir: '/tmp/state' });
  assert.equal(configuration.http.port, 3);
  assert.equal(configuration.http.host, '127.0.0.1');
  assert.equal(configuration.screen.port, 20);
  assert.equal(configuration.timeouts.collectMs, 7);
  assert.equal(configuration.stateDir, '/tmp/state');
  assert.deepEqual(
    configuration.acquirers.map(({ id }) => id),
    ['CUP'],
  );
});

test('a refusal names the place and the files', async () => {
  const places: readonly [string, Json][] = [
    ['shop.name', { ...smallest, shop: { name: '' } }],
    ['reader.driver', { ...smallest, reader: { ...smallest.reader, driver: 'other' } }],
    ['reader.serial', { ...smallest, reader: { ...smallest.reader, serial: '' } }],
    ['reader.serial', { ...smallest, reader: { ...smallest.reader, serial: 4711 } }],
    ['reader.serial', { ...smallest, reader: { driver: 'mms', hid: { stream: '/dev/reader' }, serial: 'SN1' } }],
    ['acquirers.0.tid', { ...smallest, acquirers: [{ ...acquirer, tid: '1' }] }],
    ['acquirers.0.port', { ...smallest, acquirers: [{ ...acquirer, port: 0 }] }],
    ['acquirers.0.tpdu', { ...smallest, acquirers: [{ ...acquirer, tpdu: '6000030' }] }],
    ['acquirers.0.brands', { ...smallest, acquirers: [{ ...acquirer, brands: [] }] }],
    ['acquirers', { ...smallest, acquirers: [] }],
    ['acquirers.1.id', { ...smallest, acquirers: [acquirer, acquirer] }],
    ['http.port', { ...smallest, http: { port: 65_536 } }],
    ['http.port', { ...smallest, http: { port: '8080' } }],
    ['timeouts.collectMs', { ...smallest, timeouts: { collectMs: 0 } }],
    ['timeouts.collectMs', { ...smallest, timeouts: { collectMs: 1.5 } }],
    ['timeouts', { ...smallest, timeouts: { collectMS: 5 } }],
    ['printer.columns', { ...smallest, printer: { driver: 'escpos', path: '/dev/printer', columns: 8 } }],
    ['logLevel', { ...smallest, logLevel: 'loud' }],
    ['the top level', { ...smallest, colour: 'red' }],
  ];
  for (const [place, content] of places) {
    const name = file(content);
    const message = await refusal([name]);
    assert.ok(message.includes(` at ${place}: `), `${place}: ${message}`);
    assert.ok(message.includes(name), message);
  }
});

const wallet = {
  id: 'QR',
  protocol: 'qfpay',
  url: 'https://wallets.example',
  appCode: 'code',
  clientKey: 'key',
  tid: '1',
};

test('what each part allows and all together don’t, and what no acquirer can be set up with', async () => {
  const reader = '/dev/reader';
  const cup = { ...acquirer, id: 'CUP', tid: '00000002' };
  const qr = (fields: Json) => ({ ...smallest, acquirers: [acquirer, { ...wallet, ...fields }] });
  const places: readonly [string, RegExp, Json][] = [
    ['printer.path', /device of reader\.path too/, { ...smallest, printer: { driver: 'escpos', path: reader } }],
    ['scanner.path', /device of reader\.path too/, { ...smallest, scanner: { driver: 'line', path: '/dev/./reader' } }],
    ['octopus.path', /device of reader\.path too/, { ...smallest, octopus: { driver: 'agent', path: reader } }],
    [
      'scanner.path',
      /device of printer\.path too/,
      { ...smallest, printer: { driver: 'escpos', path: '/dev/x' }, scanner: { driver: 'line', path: '/dev/x' } },
    ],
    ...[
      ['SALE', 'AUTH'],
      ['AUTH', 'OFFLINE_SALE'],
      ['AUTH', 'VOID_AUTH'],
    ].map((kinds): [string, RegExp, Json] => [
      'acquirers.0.kinds',
      /AUTH without/,
      { ...smallest, acquirers: [{ ...acquirer, kinds }] },
    ]),
    ...(
      [
        ['sites.1', /is sites\.0 once more/, { host: undefined, port: undefined, sites: [siteA, siteA] }],
        ['sites.0', /is not host and port/, { sites: [siteA] }],
        ['host', /host and port, or sites/, { host: undefined }],
        ['sites', /./, { host: undefined, port: undefined, sites: [] }],
        [
          'sites',
          /./,
          { host: undefined, port: undefined, sites: [1, 2, 3, 4, 5].map((port) => ({ ...siteA, port })) },
        ],
      ] as const
    ).map(([key, message, more]): [string, RegExp, Json] => [
      `acquirers.0.${key}`,
      message,
      { ...smallest, acquirers: [{ ...acquirer, ...more }] },
    ]),
    ['acquirers.1.tid', /same host and port/, { ...smallest, acquirers: [acquirer, { ...cup, tid: acquirer.tid }] }],
    [
      'acquirers.1.tid',
      /trace numbers would collide/,
      {
        ...smallest,
        acquirers: [
          { ...acquirer, host: 'Host.example' },
          { ...cup, host: 'host.example.', tid: acquirer.tid },
        ],
      },
    ],
    ...[
      ['localhost', '127.0.0.1'],
      ['127.0.0.1', '::1'],
      ['::1', '0:0:0:0:0:0:0:1'],
      ['LocalHost.', '::ffff:127.0.0.1'],
      ['127.1', '127.0.0.2'],
      ['2001:db8::1', '2001:DB8:0:0:0:0:0:1'],
      ['192.0.2.1', '3221225985'],
    ].map(([one, other]): [string, RegExp, Json] => [
      'acquirers.1.tid',
      /trace numbers would collide/,
      {
        ...smallest,
        acquirers: [
          { ...acquirer, host: one },
          { ...cup, host: other, tid: acquirer.tid },
        ],
      },
    ]),
    ['acquirers.0.kinds', /./, { ...smallest, acquirers: [{ ...acquirer, kinds: [] }] }],
    ['acquirers.0.bins', /./, { ...smallest, acquirers: [{ ...acquirer, bins: [] }] }],
    ['acquirers.0.host', /name or an address/, { ...smallest, acquirers: [{ ...acquirer, host: 'a host' }] }],
    ['acquirers.1.kinds', /./, qr({ kinds: [] })],
    ['acquirers.1.timeZone', /time zone database/, qr({ timeZone: 'Asia/Hongkong_' })],
    ['acquirers.1.timeZone', /not an offset from UTC/, qr({ timeZone: '+08:00' })],
    ['timeZone', /not an offset from UTC$/, { ...smallest, timeZone: '+08:00' }],
    ['timeZone', /not an offset from UTC$/, { ...smallest, timeZone: '-03' }],
    ['timeZone', /time zone database/, { ...smallest, timeZone: 'HKT-8' }],
    ['timeZone', /time zone database/, { ...smallest, timeZone: '' }],
    ['acquirers.1.url', /host and path only/, qr({ url: 'https://user@wallets.example' })],
    ['acquirers.1.url', /host and path only/, qr({ url: 'https://wallets.example/?x' })],
    ['acquirers.1.url', /host and path only/, qr({ url: 'wallets.example' })],
    ['acquirers.1.tid', /letters, digits/, qr({ tid: '1 2' })],
    ['acquirers.1.clientKey', /without spaces/, qr({ clientKey: 'a key' })],
    ['acquirers.1.mchid', /letters or digits/, qr({ mchid: '1 2' })],
    [
      'acquirers.1.scanned.WECHAT',
      /pay_type of scanned\.ALIPAY too/,
      qr({ scanned: { ALIPAY: '800108', WECHAT: '800108' } }),
    ],
    [
      'acquirers.1.presented.FPS',
      /pay_type of scanned\.ALIPAY too/,
      qr({ scanned: { ALIPAY: '800108' }, presented: { FPS: '800108' } }),
    ],
    ['acquirers.1.scanned', /offers no wallet/, qr({ scanned: {}, presented: {} })],
    [
      'scanner.trigger.on',
      /1 to 16 bytes/,
      { ...smallest, scanner: { driver: 'line', path: '/dev/s', trigger: { on: '00'.repeat(17), off: '00' } } },
    ],
    ['stateDir', /NUL/, { ...smallest, stateDir: '/x\0y' }],
  ];
  for (const [place, why, content] of places) {
    const message = await refusal([file(content)]);
    assert.ok(message.includes(` at ${place}: `), `${place}: ${message}`);
    assert.match(message, why);
  }
  // One wallet may have one pay_type both ways, and two terminals of one host are two.
  const both = { ...wallet, scanned: { ALIPAY: '800108' }, presented: { ALIPAY: '800108' } };
  await loadConfiguration([file({ ...smallest, acquirers: [acquirer, cup, both] })]);
});

test('a time zone is kept under its canonical name, however it is written', async () => {
  for (const timeZone of ['asia/hong_kong', 'Hongkong', 'Asia/Hong_Kong']) {
    const acquirers = [{ ...acquirer }, { ...wallet, timeZone }];
    const { timeZone: own, acquirers: all } = await loadConfiguration([file({ ...smallest, timeZone, acquirers })]);
    assert.deepEqual(
      [own, all.map((each) => 'timeZone' in each && each.timeZone)],
      ['Asia/Hong_Kong', [false, 'Asia/Hong_Kong']],
    );
  }
});

test('two names of one device are one device', async () => {
  const [node, link] = [path.join(dir, 'ttyACM0'), path.join(dir, 'reader')];
  writeFileSync(node, '');
  symlinkSync(node, link);
  const content = {
    ...smallest,
    reader: { driver: 'neo2', path: link },
    scanner: { driver: 'line', path: node },
  };
  assert.match(await refusal([file(content)]), / at scanner\.path: leads to the device of reader\.path/);
});

test('a key that stands twice is refused, wherever it is: of two JSON takes the last', async () => {
  const text = JSON.stringify(smallest);
  for (const [place, twice] of [
    ['shop', text.replace('{', '{"shop":{"name":"Other"},')],
    ['shop.name', text.replace('"name":', '"name":"Other", "name":')],
    ['shop.name', text.replace('"name":', '"n\\u0061me" : "\\"}{", "name":')],
    ['acquirers.0.port', text.replace('"port":', '"port": 1,\n"port":')],
    [
      'acquirers.1.port',
      text.replace('"acquirers":[', '"acquirers":[{"x":[1,[2]],"port":3},').replace('9000', '1,"port":2'),
    ],
  ] as const) {
    const message = await refusal([file(twice)]);
    assert.ok(message.includes(` at ${place}: appears twice`), `${place}: ${message}`);
  }
});

test('what is not a regular file, or larger than any configuration, is refused at once', {
  timeout: 10_000,
}, async () => {
  const fifo = path.join(dir, 'fifo');
  execFileSync('mkfifo', [fifo]);
  assert.match(await refusal([fifo]), /is not a regular file/);
  assert.match(await refusal(['/dev/zero']), /is not a regular file/);
  const large = file(smallest);
  truncateSync(large, 4 * 1024 ** 3);
  assert.match(await refusal([large]), /has more than 1048576 bytes/);
});

test('a refused value is not repeated', async () => {
  const secret = 'S3CRET-VALUE';
  for (const content of [
    { ...smallest, logLevel: secret },
    { ...smallest, acquirers: [{ ...acquirer, tid: secret }] },
    { ...smallest, http: { port: secret } },
    { ...smallest, shop: secret },
  ]) {
    assert.ok(!(await refusal([file(content)])).includes(secret));
  }
});

test('a flag is checked like a file', async () => {
  assert.match(await refusal([file(smallest)], { http: { port: -1 } }), / at http\.port: /);
});

test('a file that can not be read', async () => {
  const missing = path.join(dir, 'missing.json');
  assert.match(await refusal([missing]), /can't be read \(ENOENT\)/);
  assert.ok((await refusal([file(smallest), missing])).includes(missing));
  assert.match(await refusal([dir]), /is not a regular file/);
});

test('what is not a JSON object is refused without a word of it', async () => {
  for (const content of [
    '',
    'S3CRET = 1',
    '{"key": "S3CRET"',
    '"S3CRET"',
    '["S3CRET"]',
    'null',
    '30',
    '\ufeff{"S3CRET": 1',
  ]) {
    const message = await refusal([file(content)]);
    assert.match(message, /is not a JSON object/, content);
    assert.doesNotMatch(message, /S3CRET/);
  }
});

test('a file can not reach into the language', async () => {
  await loadConfiguration([file(`{"__proto__": {"polluted": true}, ${JSON.stringify(smallest).slice(1)}`)]).catch(
    () => undefined,
  );
  assert.equal('polluted' in {}, false);
});

test('a grace that ends before an acquirer may have answered is refused', async () => {
  for (const [noRecordGraceMs, replyTimeoutMs] of [
    [30_000, 30_000],
    [60_000, 90_000],
  ]) {
    const content = { ...smallest, acquirers: [{ ...acquirer, replyTimeoutMs }], timeouts: { noRecordGraceMs } };
    assert.match(
      await refusal([file(content)]),
      new RegExp(`timeouts.noRecordGraceMs: .*longer than the replyTimeoutMs of the acquirer EDC`),
    );
  }
  const longer = { ...smallest, acquirers: [{ ...acquirer, replyTimeoutMs: 59_999 }] };
  assert.equal((await loadConfiguration([file(longer)])).timeouts.noRecordGraceMs, 60_000);
});

test('a range of times to present that is none is refused', async () => {
  const timeouts = { collectLeastMs: 20_001, collectMostMs: 20_000 };
  assert.match(await refusal([file({ ...smallest, timeouts })]), /timeouts\.collectLeastMs: .*collectMostMs/);
  const one = { ...timeouts, collectLeastMs: 20_000 };
  assert.equal((await loadConfiguration([file({ ...smallest, timeouts: one })])).timeouts.collectLeastMs, 20_000);
});

test('a tip that is offered is one that may be given', async () => {
  const tips = { percents: [10, 25] };
  const rules = { tipPercentMax: 20 };
  assert.match(await refusal([file({ ...smallest, tips, rules })]), /tips\.percents\.1: .*rules\.tipPercentMax, 20/);
  for (const wrong of [
    { percents: [0] },
    { percents: [10.5] },
    { percents: [1, 2, 3, 4, 5] },
    { amounts: { HKD: [0] } },
  ]) {
    assert.match(await refusal([file({ ...smallest, tips: wrong })]), /tips\.(percents|amounts)/);
  }
  const loaded = await loadConfiguration([file({ ...smallest, tips, rules: { tipPercentMax: 25 } })]);
  assert.deepEqual(loaded.tips, { percents: [10, 25], amounts: {}, ownAmount: true });
  assert.equal((await loadConfiguration([file(smallest)])).tips, undefined);
});

test('an acquirer’s limits of a payment: by currency, the least not above the most', async () => {
  const limited = (amounts: Json) => file({ ...smallest, acquirers: [{ ...acquirer, amounts }] });
  const { acquirers } = await loadConfiguration([limited({ HKD: { minMinor: 100, maxMinor: 100 } })]);
  assert.deepEqual(acquirers[0] && 'amounts' in acquirers[0] && acquirers[0].amounts, {
    HKD: { minMinor: 100, maxMinor: 100 },
  });
  for (const [amounts, why] of [
    [{ HKD: { minMinor: 101, maxMinor: 100 } }, /minMinor is above maxMinor/],
    [{ XTS: { maxMinor: 100 } }, /amounts/],
    [{ HKD: { maxMinor: 1.5 } }, /amounts\.HKD\.maxMinor/],
    [{ HKD: { max: 100 } }, /amounts\.HKD/],
  ] as const) {
    assert.match(await refusal([limited(amounts)]), why);
  }
});
