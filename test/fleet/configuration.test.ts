import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { findUnsettable } from '../../src/config/settable.ts';
import { ConfigurationStore } from '../../src/fleet/documents/configuration-store.ts';
import { ConfigurationTopic, type Obstacle } from '../../src/fleet/documents/configuration-topic.ts';
import { parseDocument } from '../../src/fleet/documents/documents.ts';
import type { CloudMessage } from '../../src/payment/contracts/cloud-link.ts';
import { ManualClock, settled } from '../support/manual-clock.ts';
import { FleetKey } from './fleet-key.ts';
import { PlayedLink } from './played-link.ts';

const key = new FleetKey();
const own = { terminal: 'T-1042' };
const shop = { shop: { name: 'Harbour' } };
const document = (version: number, more: object = {}) => ({
  kind: 'configuration',
  version,
  for: own,
  configuration: shop,
  ...more,
});

/** One process of a terminal. */
class Stage {
  readonly link = new PlayedLink();
  readonly clock = new ManualClock();
  readonly file: string;
  readonly store: ConfigurationStore;
  restarts = 0;
  refusal: string | undefined;
  obstacle: Obstacle | undefined;
  /** How often it was looked for one. */
  looks = 0;
  progress: (kind: Obstacle['until']) => void = () => undefined;
  /** What a look waits for. */
  looking: Promise<void> = Promise.resolve();
  topic: ConfigurationTopic | undefined;

  private constructor(file: string, store: ConfigurationStore) {
    this.file = file;
    this.store = store;
  }

  static async open(t: TestContext): Promise<Stage> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-'));
    t.after(() => rm(dir, { recursive: true }));
    return Stage.start(path.join(dir, 'fleet.json'));
  }

  static async start(file: string): Promise<Stage> {
    const stage = new Stage(file, await ConfigurationStore.open(file));
    const reported = stage.link.next();
    stage.listen();
    await reported;
    return stage;
  }

  private listen(): void {
    this.topic = new ConfigurationTopic({
      link: this.link,
      recipient: { terminal: own.terminal, group: 'hk-shops', publicKeys: [new FleetKey().publicKey, key.publicKey] },
      store: this.store,
      keys: { refusal: () => undefined },
      clock: this.clock,
      check: async () => this.refusal,
      take: async (_settings, adopt, signal) => {
        this.looks += 1;
        await this.looking;
        signal.throwIfAborted();
        if (!this.obstacle) await adopt();
        return this.obstacle;
      },
      onProgress: (listener) => {
        this.progress = listener;
        return () => (this.progress = () => undefined);
      },
      restart: () => (this.restarts += 1),
      onReport: () => undefined,
      onFailure: (error) => assert.fail(error as Error),
    });
  }

  /** Sends it, and resolves with what is told of it. */
  async offer(message: CloudMessage): Promise<Record<string, unknown>> {
    const reported = this.link.next();
    this.link.send('configuration', message);
    await reported;
    return this.reported;
  }

  get reported(): Record<string, unknown> {
    return this.link.last('configuration/state');
  }

  async refuses(what: object, because?: string): Promise<string> {
    this.refusal = because;
    const { refused, unread } = await this.offer(key.message(what));
    this.refusal = undefined;
    return typeof unread === 'string' ? unread : (refused as { reason: string }).reason;
  }

  /** Ends this process, begins another one, and lets it come up. */
  async restarted(): Promise<{ stage: Stage; version: number | undefined }> {
    const store = await ConfigurationStore.open(this.file);
    const begun = await store.begin(this.clock.now());
    await store.confirm();
    return { stage: await Stage.start(this.file), version: begun?.version };
  }
}

for (const damaged of ['{"good":{"versi', '{"good":7}', '\u0000'.repeat(64), '']) {
  test(`a damaged file counts as empty, and is written anew: ${JSON.stringify(damaged.slice(0, 16))}`, async (t) => {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-'));
    t.after(() => rm(dir, { recursive: true }));
    const file = path.join(dir, 'fleet.json');
    await writeFile(file, damaged, { mode: 0o600 });
    const store = await ConfigurationStore.open(file, 'T-1');
    assert.deepEqual([store.isDamaged, store.kept, store.former], [true, {}, undefined]);
    assert.equal(await store.begin(new Date(0)), undefined);
    await store.try({ version: 3, digest: 'd', configuration: {} });
    assert.equal((await ConfigurationStore.open(file, 'T-1')).kept.trial?.version, 3);
  });
}

describe('a configuration of the fleet', () => {
  test('is on trial with the next start, and good once the terminal has come up', async (t) => {
    const stage = await Stage.open(t);
    assert.equal(stage.reported['version'], null);
    assert.equal((await stage.offer(key.message(document(7))))['trial'], 7);
    assert.equal(stage.restarts, 1);
    const { stage: next, version } = await stage.restarted();
    assert.equal(version, 7);
    assert.equal(next.reported['version'], 7);
    assert.deepEqual(next.store.kept.good?.configuration, shop);
    assert.equal((await stat(stage.file)).mode & 0o777, 0o600);
  });

  test('is kept as it was signed, so that root can check it again; one that 0.1.0 has kept, once it comes again', async (t) => {
    const stage = await Stage.open(t);
    const message = key.message(document(7));
    await stage.offer(message);
    const { stage: next } = await stage.restarted();
    const signed = {
      payload: Buffer.from(message.payload).toString('base64'),
      signature: message.properties?.['signature'],
    };
    assert.deepEqual(next.store.kept.good?.signed, signed);
    const { good: { signed: _, ...unsigned } = assert.fail() } = next.store.kept;
    await writeFile(stage.file, JSON.stringify({ good: unsigned }));
    const later = await Stage.start(stage.file);
    assert.equal(later.store.kept.good?.signed, undefined);
    await later.offer(message);
    assert.deepEqual(later.store.kept.good?.signed, signed);
    assert.equal(later.restarts, 0);
  });

  test('with which the terminal does not come up is given up after three starts, and not taken again', async (t) => {
    const stage = await Stage.open(t);
    await stage.offer(key.message(document(1)));
    const { stage: first } = await stage.restarted();
    await first.offer(key.message(document(2)));
    for (const expected of [2, 2, 2, 1, 1]) {
      const store = await ConfigurationStore.open(stage.file);
      assert.equal((await store.begin(new Date()))?.version, expected);
    }
    const next = await Stage.start(stage.file);
    assert.equal(next.reported['version'], 1);
    assert.match(await next.refuses(document(2)), /did not come up/);
    assert.equal(next.restarts, 0);
    await next.offer(key.message(document(3)));
    assert.equal(next.restarts, 1);
  });

  test('that was given up is not tried again after another refusal, in a file of an earlier version either', async (t) => {
    const stage = await Stage.open(t);
    await stage.offer(key.message(document(1)));
    const { stage: first } = await stage.restarted();
    await first.offer(key.message(document(5)));
    for (const expected of [5, 5, 5, 1]) {
      const store = await ConfigurationStore.open(stage.file);
      assert.equal((await store.begin(new Date()))?.version, expected);
    }
    const { abandoned: _, ...earlier } = (await ConfigurationStore.open(stage.file)).kept;
    for (const isEarlier of [false, true]) {
      if (isEarlier) await writeFile(stage.file, JSON.stringify(earlier));
      for (let round = 0; round < 2; round++) {
        const next = await Stage.start(stage.file);
        assert.match(await next.refuses(document(3)), /^version 3: version 5 was given up/);
        assert.match(await next.refuses(document(5)), /did not come up/);
        assert.deepEqual([next.restarts, next.store.kept.abandoned], [0, 5]);
      }
    }
    const last = await Stage.start(stage.file);
    await last.offer(key.message(document(6)));
    assert.equal(last.restarts, 1);
  });

  test('waits until the terminal is idle, and is looked at again', async (t) => {
    const stage = await Stage.open(t);
    stage.obstacle = { reason: 'the terminal is collecting', until: 'idle' };
    const reported = await stage.offer(key.message(document(1)));
    assert.deepEqual(reported['waiting'], { version: 1, reason: 'the terminal is collecting' });
    assert.equal(stage.restarts, 0);
    stage.obstacle = undefined;
    const next = stage.link.next();
    stage.progress('idle');
    await next;
    assert.equal(stage.restarts, 1);
  });

  test('that waits for a settlement is looked at when something has ended, and at no other time', async (t) => {
    const stage = await Stage.open(t);
    stage.obstacle = { reason: 'unsettled money', until: 'ended' };
    await stage.offer(key.message(document(1)));
    for (let copy = 0; copy < 30; copy++) stage.link.send('configuration', key.message(document(1)));
    stage.clock.pass(24 * 3_600_000);
    await stage.offer({ payload: Buffer.from('junk') });
    stage.progress('idle');
    // It is taken after whatever that has caused.
    await stage.offer({ payload: Buffer.from('more junk') });
    assert.equal(stage.looks, 1);
    assert.equal(stage.clock.pending, 0);
    stage.obstacle = undefined;
    const next = stage.link.next();
    stage.progress('ended');
    await next;
    assert.deepEqual([stage.looks, stage.restarts], [2, 1]);
  });

  test('of several that wait the newest is kept; one that expires meanwhile is refused', async (t) => {
    const stage = await Stage.open(t);
    stage.obstacle = { reason: 'unsettled money', until: 'ended' };
    await stage.offer(key.message(document(1)));
    await stage.offer(key.message(document(2, { notAfter: '2026-01-01T01:00:00Z' })));
    const next = stage.link.next();
    stage.clock.pass(3_660_000);
    await next;
    assert.match(JSON.stringify(stage.reported['refused']), /"version":2.*to be taken before/);
    stage.obstacle = undefined;
    stage.progress('ended');
    await settled();
    assert.equal(stage.restarts, 0);
  });

  test('ends a look that is under way, and drops what is queued, when the terminal stops', async (t) => {
    const stage = await Stage.open(t);
    const begun = Promise.withResolvers<void>();
    stage.looking = begun.promise;
    stage.link.send('configuration', key.message(document(1)));
    for (let version = 2; version <= 30; version++) stage.link.send('configuration', key.message(document(version)));
    await settled();
    const closed = stage.topic?.close();
    begun.resolve();
    await closed;
    assert.deepEqual([stage.looks, stage.restarts, stage.store.kept.trial], [1, 0, undefined]);
  });

  test('waits for its time, and is refused after it', async (t) => {
    const stage = await Stage.open(t);
    const early = await stage.offer(key.message(document(1, { notBefore: '2026-01-01T01:00:00Z' })));
    assert.match(JSON.stringify(early['waiting']), /not before 2026-01-01T01/);
    const late = await stage.offer(key.message(document(2, { notAfter: '2025-12-31T23:59:59Z' })));
    assert.match(JSON.stringify(late['refused']), /to be taken before/);
    assert.equal(stage.restarts, 0);
  });

  test('is refused with its reason, and the last good one stays', async (t) => {
    const before = await Stage.open(t);
    await before.offer(key.message(document(5)));
    const { stage } = await before.restarted();
    assert.match(await stage.refuses(document(4)), /version 5 is in use: an older one is not taken/);
    assert.match(await stage.refuses(document(5, { configuration: {} })), /was another document/);
    assert.match(await stage.refuses(document(6), 'acquirers.0.tid 8 characters'), /8 characters/);
    // The one in use, sent again, is no news.
    const reported = await stage.offer(key.message(document(5)));
    assert.equal(reported['version'], 5);
    assert.equal(stage.restarts, 0);
    assert.equal(stage.store.kept.good?.version, 5);
  });

  test('that is old and sent again is not written, and does not hide why a newer one was refused', async (t) => {
    const before = await Stage.open(t);
    await before.offer(key.message(document(5)));
    const { stage } = await before.restarted();
    await stage.refuses(document(8), 'acquirers.0.tid 8 characters');
    await stage.refuses(document(7), 'acquirers.1.tid 8 characters');
    const kept = await stat(stage.file);
    for (let copy = 0; copy < 3; copy++) {
      for (const version of [3, 4, 7, 8]) {
        stage.refusal = 'not here';
        const { refused, unread } = await stage.offer(key.message(document(version)));
        assert.partialDeepStrictEqual(refused, { version: 8, reason: 'acquirers.0.tid 8 characters' });
        assert.equal(typeof unread, version === 8 ? 'undefined' : 'string');
      }
    }
    stage.refusal = undefined;
    stage.obstacle = { reason: 'unsettled money', until: 'ended' };
    await stage.offer(key.message(document(10)));
    for (const version of [4, 9]) {
      const reported = await stage.offer(key.message(document(version)));
      assert.deepEqual(reported['waiting'], { version: 10, reason: 'unsettled money' });
      assert.equal(reported['unread'], `version ${version}: version 10 waits`);
    }
    assert.equal(stage.looks, 1);
    // Each write replaces the file.
    assert.equal((await stat(stage.file)).ino, kept.ino);
    await stage.refuses(document(11), 'not here either');
    assert.notEqual((await stat(stage.file)).ino, kept.ino);
    assert.equal(stage.store.kept.refused?.version, 11);
  });

  test('is looked at once after the broker has taken the last answer, however many have come: the newest counts', async (t) => {
    const stage = await Stage.open(t);
    stage.refusal = 'not here';
    const publish = stage.link.publish.bind(stage.link);
    const taken = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    stage.link.publish = (topic, message) => {
      begun.resolve();
      return taken.promise.then(() => publish(topic, message));
    };
    stage.link.send('configuration', key.message(document(1)));
    await begun.promise;
    const before = stage.link.published.length;
    for (let version = 2; version <= 100; version++) stage.link.send('configuration', key.message(document(version)));
    taken.resolve();
    while (stage.store.kept.refused?.version !== 100) await stage.link.next();
    await settled();
    assert.equal(stage.link.published.length - before, 2);
  });

  test('counts only if the fleet has signed these bytes, for this terminal or its group', async (t) => {
    const stage = await Stage.open(t);
    const good = key.message(document(1));
    const changed = Buffer.from(Buffer.from(good.payload).toString().replace('Harbour', 'Another'));
    const asked = { kind: 'extract', id: 'x', for: own, notAfter: '2026-01-01T00:30:00Z', what: 'log' };
    for (const [message, reason] of [
      [{ payload: good.payload }, /nobody of the fleet has signed it/],
      [{ ...good, properties: { signature: 'none' } }, /nobody/],
      [{ ...good, payload: changed }, /nobody/],
      [new FleetKey().message(document(1)), /nobody/],
      [key.message(document(1, { for: { terminal: 'T-1043' } })), /for another terminal/],
      [key.message(document(1, { for: { group: 'mo-shops' } })), /for another terminal/],
      [key.message(document(0)), /^version/],
      [key.message({ ...document(1), more: 1 }), /more/],
      [key.message(asked), /of the kind extract/],
      [key.message(document(1, { configuration: { shop: 'x'.repeat(65_536) } })), /more than 65536/],
    ] as const) {
      assert.match(String((await stage.offer(message))['unread']), reason);
    }
    assert.equal(stage.restarts, 0);
    await stage.offer(key.message(document(1, { for: { group: 'hk-shops' } })));
    assert.equal(stage.restarts, 1);
  });
});

test('a fleet sets contracts and how a shop works; not devices, who may call, or keys in clear text', () => {
  const acquirer = { id: 'QR', protocol: 'qfpay', clientKey: { credential: 'qr-key' } };
  assert.equal(findUnsettable({ ...shop, acquirers: [acquirer], updates: { window: {} } }), undefined);
  assert.match(
    findUnsettable({ acquirers: [{ ...acquirer, clientKey: 'secret' }] }) ?? '',
    /^acquirers\.0\.clientKey is a key/,
  );
  for (const name of [
    'stateDir',
    'http',
    'pairing',
    'reader',
    'cloud',
    'operator',
    'methods',
    '__proto__',
    'toString',
  ]) {
    assert.match(
      findUnsettable(JSON.parse(`{"${name}":{}}`) as Record<string, unknown>) ?? '',
      /not for a fleet/,
      name,
    );
  }
  assert.match(findUnsettable({ updates: { url: 'https://elsewhere.example' } }) ?? '', /^updates\.url/);
  for (const security of ['none', { tls: { ca: '/ca.pem' } }]) {
    const edc = { id: 'EDC', protocol: 'iso8583', security };
    assert.equal(findUnsettable({ acquirers: [acquirer, edc] }), 'acquirers.1.security is not for a fleet to set');
  }
  const coded = { id: 'EDC', protocol: 'iso8583', mac: { algorithm: 'aesCmac' } };
  assert.equal(findUnsettable({ acquirers: [coded] }), 'acquirers.0.mac is not for a fleet to set');
  assert.match(findUnsettable({ updates: 1 }) ?? '', /not for a fleet/);
});

test('a document in which a key stands twice, or that is named __proto__, or that nests without end, is none', () => {
  const text = JSON.stringify(document(1));
  const parsed = (json: string) => parseDocument(Buffer.from(json));
  assert.equal(typeof parsed(text), 'object');
  assert.equal(parsed(text.replace('"version":1', '"version":1,"version":2')), '/version appears twice');
  assert.equal(parsed(text.replace('"shop":', '"__proto__":')), '/configuration/__proto__ is not a field');
  assert.equal(parsed('['.repeat(60_000)), 'it is no JSON');
  const nested = parsed('['.repeat(30_000) + ']'.repeat(30_000));
  assert.ok(typeof nested === 'string' && nested.startsWith('the document: '));
});
