import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findFaults } from '../../src/config/faults.ts';
import { configurationJsonSchema } from '../../src/config/reference.ts';
import { sampleConfiguration } from '../../src/config/sample.ts';

type Json = Record<string, unknown>;

const key = 'czAIcfRMFo58lJ3ix1DmDCybuP9TABfFomcjTpy0244=';
const cloud = { url: 'mqtts://broker.example:8883', ca: 'ca.pem', certificate: 'T-1.pem', key: 'T-1.key' };
const fleet = { publicKeys: [key], group: 'hk-shops' };
const updates = { url: 'https://hawkbit.example', window: { from: '02:00', until: '05:00' } };
const sample = sampleConfiguration(['EDC']).configuration as Json;
const good = { ...sample, cloud, fleet, updates };

/** `path: message` of each fault, in the order of the lines. */
function faultsOf(configuration: Json): string[] {
  return findFaults(JSON.stringify(configuration, null, 1)).map(({ path, message }) => `${path}: ${message}`);
}

const broker = 'must be mqtts://HOST:PORT or mqtt://HOST:PORT, and nothing more';
const server = 'must be https://HOST or https://HOST/PATH; plain http is allowed to this machine only';
const name64 = 'must be 1 to 64 letters, digits or -';
const levels = 'must be up to eight topic levels of letters, digits, . _ or -, with / between them';
const time = 'must be a time of day such as 02:30';
const needed = 'is missing: mqtts needs it';
const together = 'is missing: certificate and key go together';
const publicKey = 'must be base64 of the 32 bytes of an Ed25519 key';

/** By setting: what it can't be, and what is said of it. `undefined` is left out. */
const cases: Readonly<Record<string, readonly (readonly [value: unknown, message: string])[]>> = {
  cloud: [
    [null, 'must be a section in braces, not null'],
    [[cloud], 'must be a section in braces, not a list in brackets'],
    [true, 'must be a section in braces, not true or false'],
  ],
  'cloud.url': [
    [undefined, 'is missing'],
    [8883, 'must be text, not a number'],
    ['', broker],
    ['broker.example', broker],
    ['https://broker.example', broker],
    ['mqtts://', broker],
    ['mqtts:broker.example', broker],
    ['mqtts://broker.example/poid', broker],
    ['mqtts://broker.example?tls=1', broker],
    ['mqtts://user:password@broker.example', broker],
    ['mqtts://broker.example:0', broker],
    ['mqtts://broker.example:65536', broker],
    ['mqtt://broker.example', 'must be mqtts: plain mqtt is allowed to this machine only'],
  ],
  'cloud.ca': [
    [undefined, needed],
    ['', 'must not be empty'],
    [['ca.pem'], 'must be text, not a list in brackets'],
  ],
  'cloud.certificate': [
    [undefined, needed],
    ['T-1\0.pem', 'must not contain NUL'],
  ],
  'cloud.key': [
    [undefined, needed],
    ['x'.repeat(4_096), 'must have at most 4095 characters'],
  ],
  'cloud.terminal': [
    ['', name64],
    ['T/1', name64],
    ['+', name64],
    [1_042, 'must be text, not a number'],
  ],
  'cloud.prefix': [
    ['', levels],
    ['poid/+', levels],
    ['poid/#', levels],
    ['/poid', levels],
    ['poid/', levels],
    ['a/b/c/d/e/f/g/h/i', levels],
    ['$SYS/poid', levels],
  ],
  'cloud.keepAliveS': [
    [4, 'must be at least 5'],
    [601, 'must be at most 600'],
    [30.5, 'must be a whole number'],
    ['30', 'must be a number, not text'],
  ],
  'cloud.statusS': [
    [4, 'must be at least 5'],
    [86_401, 'must be at most 86400'],
    [null, 'must be a number, not null'],
  ],
  fleet: [[key, 'must be a section in braces, not text']],
  'fleet.publicKeys': [
    [undefined, 'is missing'],
    [[], 'must not be empty'],
    [[key, key, key, key, key], 'must have at most 4 entries'],
    [key, 'must be a list in brackets, not text'],
  ],
  'fleet.publicKeys.0': [
    ['key', publicKey],
    [key.slice(1), publicKey],
    [null, 'must be text, not null'],
  ],
  'fleet.group': [
    ['', name64],
    ['hk/shops', name64],
  ],
  updates: [[1, 'must be a section in braces, not a number']],
  'updates.url': [
    [undefined, 'is missing'],
    ['hawkbit.example', server],
    ['http://hawkbit.example', server],
    ['https://hawkbit.example?tenant=A', server],
    ['https://:password@hawkbit.example', server],
    ['https://hawkbit.example:65536', server],
    [`https://${'h'.repeat(2_048)}`, 'must have at most 2048 characters'],
  ],
  'updates.tenant': [['A/B', 'must be 1 to 63 letters, digits, _ or -']],
  'updates.controllerId': [['', 'must be 1 to 256 letters, digits, . _ : or -']],
  'updates.authentication': [
    ['token', 'must be one of targetToken, gatewayToken, certificate'],
    ['targettoken', 'must be one of targetToken, gatewayToken, certificate; did you mean targetToken?'],
  ],
  'updates.ca': [['', 'must not be empty']],
  'updates.window': [['02:00-05:00', 'must be a section in braces, not text']],
  'updates.window.from': [
    [undefined, 'is missing'],
    ['2:00', time],
  ],
  'updates.window.until': [
    ['24:00', time],
    ['02:00', 'must differ from from: such a window never opens'],
  ],
  'updates.forced': [[true, 'must be one of inWindow, atOnce']],
  'updates.bundleBytesMax': [
    [1_023, 'must be at least 1024'],
    [17_179_869_185, 'must be at most 17179869184'],
  ],
  'updates.pollMs': [
    [999, 'must be at least 1000'],
    [86_400_001, 'must be at most 86400000'],
  ],
};

describe('each setting of the links, wrong by itself', () => {
  test('the configuration is good without that', () => assert.deepEqual(faultsOf(good), []));

  for (const [path, faults] of Object.entries(cases)) {
    test(path, () => {
      for (const [value, message] of faults)
        assert.deepEqual(faultsOf(placed(good, path, value)), [`${path}: ${message}`], JSON.stringify(value));
    });
  }

  test('what needs another setting names it', () => {
    const withUpdates = (more: Json) => faultsOf({ ...good, updates: { ...updates, ...more } });
    const asked = { authentication: 'certificate' };
    const said = 'is missing: authentication says so';
    assert.deepEqual(withUpdates({ certificate: 'T-1.pem' }), [`updates.key: ${together}`]);
    assert.deepEqual(withUpdates({ key: 'T-1.key' }), [`updates.certificate: ${together}`]);
    assert.deepEqual(withUpdates(asked), [`updates.certificate: ${said}`, `updates.key: ${said}`]);
    assert.deepEqual(withUpdates({ ...asked, certificate: 'T-1.pem', key: 'T-1.key' }), []);
    assert.deepEqual(faultsOf({ ...good, cloud: undefined }), [
      'fleet: needs cloud: its documents come through that broker',
    ]);
    assert.deepEqual(faultsOf({ ...good, cloud: { url: 'mqtt://127.0.0.1:1883' } }), []);
    const loud = faultsOf({ ...good, cloud: { url: 'MQTTS://broker.example' } });
    assert.deepEqual(
      loud,
      ['ca', 'certificate', 'key'].map((name) => `cloud.${name}: ${needed}`),
    );
  });

  test('a name that is no setting', () => {
    const names: readonly [place: string, written: string, instead: string][] = [
      ['cloud', 'cert', 'did you mean certificate?'],
      ['cloud', 'keepAlive', 'did you mean keepAliveS?'],
      ['cloud', 'URL', 'did you mean url?'],
      ['cloud', 'topics', 'there are url, ca, certificate, key, terminal, prefix, keepAliveS, statusS'],
      ['fleet', 'publicKey', 'did you mean publicKeys?'],
      ['updates', 'controlerId', 'did you mean controllerId?'],
      ['updates.window', 'form', 'did you mean from?'],
      ['updates.window', 'to', 'there are from, until'],
    ];
    for (const [place, written, instead] of names) {
      const path = `${place}.${written}`;
      assert.deepEqual(faultsOf(placed(good, path, '')), [`${path}: is no setting; ${instead}`]);
    }
  });

  test('none was forgotten', () => {
    const { properties } = configurationJsonSchema() as Section;
    const links = ['cloud', 'fleet', 'updates'] as const;
    const wanted = links.flatMap((link) => pathsOf(link, properties?.[link]));
    // Of these both are told where they need each other.
    const byOthers = ['updates.certificate', 'updates.key'];
    assert.deepEqual(
      wanted.filter((path) => !byOthers.includes(path) && !Object.hasOwn(cases, path)),
      [],
    );
  });
});

test('all that is wrong is told at once, each with its line and column', () => {
  const text = `{"shop": {"name": "S"}, "reader": {"driver": "neo2", "path": "/dev/x"}, "acquirers": [${JSON.stringify((sample['acquirers'] as Json[])[0])}],
  "cloud": {
    "url": "mqtts://broker.example",
    "certificate": "",
    "key": "T-1.key", "keepAliveS": 3,
    "prefix": "poid/#",
    "topic": "T-1"
  },
  "fleet": {"publicKeys": ["${key}", "second"], "groups": "hk"},
  "updates": {
    "window": {"from": "two", "until": "05:00"},
    "forced": "now"
  }
}`;
  const faults = findFaults(text).map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  assert.deepEqual(faults, [
    `2:12 cloud.ca: ${needed}`,
    '4:20 cloud.certificate: must not be empty',
    '5:37 cloud.keepAliveS: must be at least 5',
    `6:15 cloud.prefix: ${levels}`,
    '7:5 cloud.topic: is no setting; there are url, ca, certificate, key, terminal, prefix, keepAliveS, statusS',
    `9:76 fleet.publicKeys.1: ${publicKey}`,
    '9:87 fleet.groups: is no setting; did you mean group?',
    '10:14 updates.url: is missing',
    `11:24 updates.window.from: ${time}`,
    '12:15 updates.forced: must be one of inWindow, atOnce',
  ]);
});

interface Section {
  readonly properties?: Readonly<Record<string, Section>>;
}

function pathsOf(path: string, section: Section | undefined): string[] {
  return [
    path,
    ...Object.entries(section?.properties ?? {}).flatMap(([name, each]) => pathsOf(`${path}.${name}`, each)),
  ];
}

/** A copy with this value at this place. */
function placed(configuration: Json, path: string, value: unknown): Json {
  const copy = structuredClone(configuration);
  const names = path.split('.');
  const last = names.pop() ?? '';
  const section = names.reduce<Json>((part, name) => part[name] as Json, copy);
  section[last] = value;
  return copy;
}
