import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { readSerialNumber } from '../../src/config/serial-number.ts';
import { beginWithFleet, confirmFleet } from '../../src/fleet/adoption/fleet-start.ts';
import type { Configuration } from '../../src/config/configuration.ts';
import type { Json } from '../../src/config/json-file.ts';
import { mergeOver } from '../../src/config/merge.ts';
import { ConfigurationTopic } from '../../src/fleet/documents/configuration-topic.ts';
import { canonicalKey, FleetKeys, readDroppedKeys } from '../../src/fleet/documents/fleet-keys.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { FleetKey } from './fleet-key.ts';
import { PlayedLink } from './played-link.ts';

const [old, next, other] = [new FleetKey(), new FleetKey(), new FleetKey()];
const name = 'T-1042';
const naming = (...keys: readonly FleetKey[]) => ({ fleet: { publicKeys: keys.map(({ publicKey }) => publicKey) } });

/** A terminal whose own file has these keys; each document that it takes starts it anew. */
class Terminal {
  readonly dir: string;
  readonly #own: Json;
  #link = new PlayedLink();

  private constructor(dir: string, own: Json) {
    this.dir = dir;
    this.#own = own;
  }

  static async start(dir: string, ...keys: readonly FleetKey[]): Promise<Terminal> {
    const own = { ...naming(...keys), cloud: { terminal: name }, stateDir: dir };
    const terminal = new Terminal(dir, own);
    await terminal.#begin();
    return terminal;
  }

  get reported(): Record<string, unknown> {
    return this.#link.last('configuration/state');
  }

  /** What becomes of a document: `good`, or why it is not. */
  async takes(version: number, configuration: Json, key: FleetKey): Promise<string> {
    const document = { kind: 'configuration', version, for: { terminal: name }, configuration };
    const reported = this.#link.next();
    this.#link.send('configuration', key.message(document));
    await reported;
    const { trial, refused, unread } = this.reported;
    if (typeof unread === 'string') return unread;
    if (trial !== version) return (refused as { reason: string }).reason;
    await this.#begin();
    assert.equal(this.reported['version'], version);
    return 'good';
  }

  async #begin(): Promise<void> {
    const load = async (settings: Json) => mergeOver(this.#own, settings) as unknown as Configuration;
    const start = await beginWithFleet(
      await load({}),
      load,
      readSerialNumber({ serialNumber: path.join(this.dir, 'serial-number') }),
    );
    await confirmFleet(start);
    this.#link = new PlayedLink();
    const reported = this.#link.next();
    const { keys, store } = start;
    void new ConfigurationTopic({
      link: this.#link,
      recipient: { terminal: name, group: undefined, publicKeys: keys.inForce },
      store,
      keys,
      clock: new ManualClock(),
      check: async () => undefined,
      take: async (_settings, adopt) => {
        await adopt();
        return undefined;
      },
      onProgress: () => () => undefined,
      restart: () => undefined,
      onReport: () => undefined,
      onFailure: (error) => assert.fail(error as Error),
    });
    await reported;
  }
}

test('a terminal whose fleet.json is damaged starts with its own configuration, and says so', async (t) => {
  const dir = await directory(t);
  await writeFile(path.join(dir, 'fleet.json'), '{"good":{"ver');
  const own = { stateDir: dir, fleet: { publicKeys: [old.publicKey] } } as unknown as Configuration;
  const start = await beginWithFleet(own, async () => assert.fail('nothing of it is loaded'), 'T-1');
  assert.equal(start.configuration, own);
  assert.deepEqual(start.faults, ['what the fleet has sent is not used, because fleet.json is damaged']);
});

async function directory(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-keys-'));
  t.after(() => rm(dir, { recursive: true }));
  return dir;
}

const nobody = 'nobody of the fleet has signed it';
const settings = { logLevel: 'info' };

/** The old key is dropped by version 2. */
async function changed(t: TestContext): Promise<Terminal> {
  const terminal = await Terminal.start(await directory(t), old);
  assert.equal(await terminal.takes(1, naming(old, next), old), 'good');
  assert.equal(await terminal.takes(2, naming(next), next), 'good');
  return terminal;
}

describe('a key that a document has dropped', () => {
  test('is not valid again with a document that names no keys', async (t) => {
    const terminal = await changed(t);
    assert.equal(await terminal.takes(3, settings, next), 'good');
    assert.equal(await terminal.takes(4, settings, old), nobody);
    assert.equal(await terminal.takes(4, settings, next), 'good');
  });

  test('can’t be added by a later document, however its text is spelled', async (t) => {
    const terminal = await changed(t);
    assert.match(await terminal.takes(3, naming(next, old), next), /version 2 dropped: it is never valid here again/);
    const respelled = old.publicKey.replace(/.=$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}=`);
    assert.equal(canonicalKey(respelled), old.publicKey);
    const spelled = { fleet: { publicKeys: [next.publicKey, respelled] } };
    assert.match(await terminal.takes(4, spelled, next), /version 2 dropped/);
  });

  test('is not valid after a factory reset, nor with another file that has it', async (t) => {
    const { dir } = await changed(t);
    for (const file of ['fleet.json', 'fleet-keys.json']) await rm(path.join(dir, file));
    const reset = await Terminal.start(dir, old, other);
    assert.equal(await reset.takes(1, settings, old), nobody);
    assert.equal(await reset.takes(1, settings, next), nobody, 'nor is a key that only a document has named');
    assert.equal(await reset.takes(1, settings, other), 'good');
  });

  test('is kept in a file that its owner alone reads, with version and time, beyond a torn line', async (t) => {
    const { dir } = await changed(t);
    const file = path.join(dir, 'fleet-keys.dropped');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await appendFile(file, '{"key":"torn');
    const keys = await FleetKeys.open(dir, name, [next.publicKey, other.publicKey]);
    await keys.adopt(9, [other.publicKey], new Date(0));
    const dropped = await readDroppedKeys(dir);
    assert.deepEqual(
      dropped.map(({ key, version }) => [key, version]),
      [
        [old.publicKey, 2],
        [next.publicKey, 9],
      ],
    );
    assert.match(dropped[0]?.at ?? '', /^20\d\d-/);
  });

  test('is dropped also where a power cut has left the list of keys as it was', async (t) => {
    const dir = await directory(t);
    const terminal = await Terminal.start(dir, old);
    assert.equal(await terminal.takes(1, naming(old, next), old), 'good');
    const before = await readFile(path.join(dir, 'fleet-keys.json'));
    assert.equal(await terminal.takes(2, naming(next), next), 'good');
    await writeFile(path.join(dir, 'fleet-keys.json'), before);
    assert.equal(await (await Terminal.start(dir, old)).takes(3, settings, old), nobody);
  });
});

describe('keys of a document', () => {
  test('that lack the key which has signed it are refused: nobody locks himself out', async (t) => {
    const terminal = await Terminal.start(await directory(t), old);
    assert.match(await terminal.takes(1, naming(next), old), /drops the key that signed it/);
    assert.equal(await terminal.takes(2, settings, old), 'good');
  });

  test('stay in force with later documents that name none, and on each start', async (t) => {
    const dir = await directory(t);
    const terminal = await Terminal.start(dir, old);
    await terminal.takes(1, naming(old, next), old);
    assert.equal(await terminal.takes(2, settings, next), 'good');
    assert.equal(await (await Terminal.start(dir, old)).takes(3, settings, next), 'good');
  });

  test('that a version before has taken are in force, and what they lack is dropped', async (t) => {
    const dir = await directory(t);
    const good = { version: 5, digest: 'd', configuration: naming(next) };
    await writeFile(path.join(dir, 'fleet.json'), JSON.stringify({ good }));
    const terminal = await Terminal.start(dir, old);
    assert.equal(await terminal.takes(6, settings, old), nobody);
    assert.equal(await terminal.takes(6, settings, next), 'good');
  });

  test('are over when the terminal’s own file has others', async (t) => {
    const { dir } = await changed(t);
    const provisioned = await Terminal.start(dir, other);
    assert.equal(await provisioned.takes(3, settings, next), nobody);
    assert.equal(await provisioned.takes(3, settings, other), 'good');
  });
});

test('a power cut between a document and its keys is made good at the next start', async (t) => {
  const dir = await directory(t);
  const terminal = await Terminal.start(dir, old);
  await terminal.takes(1, naming(old, next), old);
  const before = await readFile(path.join(dir, 'fleet-keys.json'));
  await terminal.takes(2, naming(next), next);
  await writeFile(path.join(dir, 'fleet-keys.json'), before);
  await rm(path.join(dir, 'fleet-keys.dropped'));
  const restarted = await Terminal.start(dir, old);
  assert.equal(await restarted.takes(3, settings, old), nobody);
  assert.equal(await restarted.takes(3, settings, next), 'good');
});

test('a state directory that is moved to another machine brings no document along, and its dropped keys', async (t) => {
  const { dir } = await changed(t);
  await writeFile(path.join(dir, 'serial-number'), 'PT-000124\n');
  const moved = await Terminal.start(dir, old, other);
  assert.equal(moved.reported['version'], null);
  assert.deepEqual(JSON.parse(await readFile(path.join(dir, 'fleet.json'), 'utf8')), { terminal: `PT-000124 ${name}` });
  assert.equal(await moved.takes(1, settings, next), nobody);
  assert.equal(await moved.takes(1, settings, old), nobody);
  assert.equal(await moved.takes(1, settings, other), 'good');
  assert.equal((await Terminal.start(dir, old, other)).reported['version'], 1);
});
