import assert from 'node:assert/strict';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext } from 'node:test';
import type { MqttClient } from 'mqtt';
import { poid } from '../cli/poid.ts';
import { awaitLink, cloudSettings, connected, terminalName } from '../pos/cloud/cloud-till.ts';
import { eventually, Stage } from '../e2e/stage.ts';
import { Broker } from '../support/broker.ts';
import { commandSchema, plantedAndTaken } from '../support/command-schema.ts';
import { testsThatNeed } from '../support/needs.ts';
import { FleetKey } from './fleet-key.ts';

const { after, before, test } = testsThatNeed('mosquitto', 'openssl');

const acl = `
user ${terminalName}
topic readwrite poid/v1/${terminalName}/#
user desk
topic readwrite poid/v1/+/configuration
topic write poid/v1/+/extract
topic read poid/v1/#
`;
const fleet = new FleetKey();
const home = `poid/v1/${terminalName}`;

let dir: string;
let broker: Broker;
let stage: Stage;
let menu: MqttClient;
const heard: { topic: string; text: string; properties: Record<string, unknown> }[] = [];

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-fleet-'));
  broker = await Broker.start(dir, { tls: true, acl });
  const configuration = { cloud: await cloudSettings(broker), fleet: { publicKeys: [fleet.publicKey] } };
  stage = await Stage.open({ configuration, hosts: ['EDC'] });
  menu = await connected(broker, 'desk');
  menu.on('message', (topic, payload, { properties }) => {
    heard.push({ topic, text: payload.toString(), properties: { ...properties?.userProperties } });
  });
  await menu.subscribeAsync(`${home}/#`, { qos: 1 });
});
after(async () => {
  await menu.endAsync(true);
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

/** Publishes what `poid fleet sign` has signed, as docs/fleet.md shows it. */
async function publish(
  t: TestContext,
  topic: string,
  document: object,
  more: { retain?: boolean; responseTopic?: string } = {},
) {
  const [file, key] = [path.join(dir, 'document.json'), path.join(dir, 'fleet.key')];
  const payload = JSON.stringify(document);
  await writeFile(file, payload);
  await writeFile(key, fleet.pem);
  const { code, out, err } = await poid(t, 'fleet', 'sign', file, '--key', key);
  assert.equal(code, 0, err);
  const { retain = false, responseTopic } = more;
  const properties = {
    userProperties: { signature: out.trim() },
    ...(responseTopic === undefined ? {} : { responseTopic }),
  };
  await menu.publishAsync(`${home}/${topic}`, payload, { qos: 1, retain, properties });
}

const configuration = (version: number, settings: object) => ({
  kind: 'configuration',
  version,
  for: { terminal: terminalName },
  configuration: settings,
});

/** What the terminal has told of its configuration, once it fits. */
function reportedState(fits: (state: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  return eventually(async () => {
    const last = heard.findLast(({ topic }) => topic === `${home}/configuration/state`);
    return JSON.parse(last?.text ?? '{}') as Record<string, unknown>;
  }, fits);
}

test('a sale, then a configuration: the terminal ends in order, begins with it, and says so', async (t) => {
  await stage.paid('visa');
  await publish(t, 'configuration', configuration(1, { shop: { name: 'Harbour Books' } }), { retain: true });
  await reportedState(({ trial }) => trial === 1);
  await eventually(
    async () => stage.running,
    (running) => !running,
  );
  await stage.startDaemon();
  await reportedState(({ version, trial }) => version === 1 && trial === undefined);
  const { body } = await stage.paid('mastercard');
  assert.match(JSON.stringify(body), /SUCCESS/);
  await eventually(
    () => stage.paper(),
    (paper) => paper.includes('Harbour Books'),
  );
});

test('one that changes acquirers waits for the settlement; one that can’t be used is refused', async (t) => {
  const { acquirers } = JSON.parse(await readFile(stage.configuration, 'utf8')) as {
    acquirers: { security?: unknown }[];
  };
  // How a host is recognized stays a setting of the terminal.
  const contracts = acquirers.map((each) => ({ ...each, security: undefined }));
  const moved = contracts.map((each) => ({ ...each, tid: '87654321' }));
  await publish(t, 'configuration', configuration(2, { acquirers: moved }), { retain: true });
  const waits = await reportedState(({ waiting }) => waiting !== undefined);
  assert.match(JSON.stringify(waits['waiting']), /unsettled money/);
  const wrong = contracts.map((each) => ({ ...each, tid: 'short' }));
  // `poid fleet sign` would not: somebody else's program has signed it.
  const message = fleet.message(configuration(3, { acquirers: wrong }));
  const properties = { userProperties: { ...message.properties } };
  await menu.publishAsync(`${home}/configuration`, Buffer.from(message.payload), { qos: 1, retain: true, properties });
  const { refused, version } = await reportedState((state) => state['refused'] !== undefined);
  assert.match(JSON.stringify(refused), /tid/);
  assert.equal(version, 1);
  assert.ok(stage.running);
});

test('one with which it does not come up is given up, and the last good one is back', async (t) => {
  await publish(t, 'configuration', configuration(4, { shop: { name: 'Harbour Wines' } }), { retain: true });
  await reportedState(({ trial }) => trial === 4);
  await eventually(
    async () => stage.running,
    (running) => !running,
  );
  // Whatever keeps it from coming up: nobody else can tell that it is not the configuration.
  const { key } = await broker.credentials(terminalName);
  await rename(key, `${key}.away`);
  for (let starts = 0; starts < 3; starts++) await assert.rejects(stage.startDaemon(), /cloud\.key/);
  await rename(`${key}.away`, key);
  await stage.startDaemon();
  const { refused, version } = await reportedState((state) => state['trial'] === undefined);
  assert.match(JSON.stringify(refused), /"version":4,"reason":"the terminal did not come up with it"/);
  assert.equal(version, 1);
});

/** The lines of an extract, and its text. */
async function extracted(t: TestContext, what: 'journal' | 'settlements' | 'log') {
  const notAfter = new Date(Date.now() + 600_000).toISOString();
  const document = { kind: 'extract', id: `of-${what}`, for: { terminal: terminalName }, notAfter, what };
  await publish(t, 'extract', document, { responseTopic: `${home}/extract/answer/${what}` });
  const parts = await eventually(
    async () => heard.filter(({ topic }) => topic === `${home}/extract/answer/${what}`),
    ([first, ...more]) => first !== undefined && 1 + more.length === Number(first.properties['parts']),
  );
  const text = parts.map((each) => each.text).join('');
  const lines = text.trimEnd().split('\n');
  return { text, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test('extracts of journal and log, with no card number', async (t) => {
  const journal = await extracted(t, 'journal');
  assert.deepEqual(
    journal.lines.map(({ state }) => state),
    ['APPROVED', 'APPROVED'],
  );
  const log = await extracted(t, 'log');
  assert.ok(log.lines.some(({ msg }) => msg === 'fleet: extract'));
  assert.doesNotMatch(journal.text + log.text, /\d{12,19}/);
});

test('`poid fleet status` tells of it', async (t) => {
  const { ca, certificate, key } = await broker.credentials('desk');
  const call = ['fleet', 'status', '--url', broker.url, '--ca', ca, '--certificate', certificate, '--key', key];
  const { code, out, err } = await poid(t, ...call, '--json');
  assert.equal(code, 3, err);
  const { terminals } = JSON.parse(out) as { terminals: Record<string, unknown>[] };
  const schema = commandSchema('fleet status');
  schema.parse({ terminals });
  assert.deepEqual(
    plantedAndTaken({ terminals }, (each) => schema.safeParse(each).success),
    [],
  );
  const [state] = terminals;
  assert.deepEqual([terminals.length, state?.['terminal'], state?.['state']], [1, terminalName, 'online']);
  assert.deepEqual(state?.['unsettled'], { reversals: 0, advices: 0, rejected: 0, batches: 0 });
  // Both sales, of which no message waits.
  assert.deepEqual(state?.['money'], [{ currency: 'HKD', count: 2, amount: '60.00' }]);
  assert.match(JSON.stringify(state?.['configuration']), /"version":1,.*"refused":\{"version":4/);
  assert.match((await poid(t, ...call)).out, /^terminal .*\nT-1 +online .* HKD 60\.00 in 2 +nothing +1, 4 refused: /);
  await stage.stopDaemon('SIGTERM');
  assert.match((await poid(t, ...call)).out, /\nT-1 +offline /);
  await stage.startDaemon();
  await awaitLink(stage);
});

test('an extract of settlements, with their totals', async (t) => {
  const { body } = await stage.settle();
  const { lines } = await extracted(t, 'settlements');
  assert.deepEqual([...new Set(lines.map((line) => line['terminalTransactionId']))], [body.terminalTransactionId]);
  const sold = lines.filter(({ count }) => count !== 0);
  assert.deepEqual(
    sold.map(({ acquirer, count, amount }) => [acquirer, count, amount]),
    [['EDC', 2, '60.00']],
  );
});

test('messages that nobody has signed are counted in the log, not written one by one', async (t) => {
  const before = stage.log.length;
  for (let part = 0; part < 10; part++) {
    const junk = Array.from({ length: 20 }, (_, at) =>
      menu.publishAsync(`${home}/extract`, `junk ${part} ${at}`, { qos: 1 }),
    );
    await Promise.all(junk);
  }
  const responseTopic = `${home}/extract/answer/desk-9`;
  const asked = { kind: 'extract', id: 'E-9', for: { terminal: terminalName }, what: 'settlements' };
  const notAfter = new Date(Date.now() + 60_000).toISOString();
  await publish(t, 'extract', { ...asked, notAfter }, { responseTopic });
  await eventually(
    async () => heard.some(({ topic }) => topic === responseTopic),
    (isHeard) => isHeard,
  );
  const lines = stage.log.slice(before).split('\n');
  const written = lines.filter((line) => line.includes('"msg":"fleet: extract"')).length;
  assert.ok(written <= 45, `${written} lines`);
});
