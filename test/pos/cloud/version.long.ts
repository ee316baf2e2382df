import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Operator } from '../../e2e/operator.ts';
import { eventually, type Json, Stage } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { install } from '../../support/installed.ts';
import { acl, cloudSettings, connected, terminalName } from './cloud-till.ts';

/** Not this checkout's: a version that is read anywhere else than from the bundle differs. */
const version = '9.8.7~git20261126103517.gabcdef123456.local';

let dir: string;
let program: string;
let broker: Broker;
let stage: Stage;
before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'poid-version-'));
  program = await install(path.join(dir, 'installed'), version);
  broker = await Broker.start(dir, { tls: true, acl });
  const configuration = { cloud: await cloudSettings(broker), metrics: { enabled: true } };
  stage = await Stage.open({ configuration, hosts: ['EDC'], program });
});
after(async () => {
  await stage.close();
  await broker.stop();
  await rm(dir, { recursive: true });
});

async function said(...words: string[]): Promise<string> {
  const ran = promisify(execFile)(program, words);
  // A doctor who finds something wrong ends with 1.
  const { stdout } = await ran.catch((error: { readonly stdout: string }) => error);
  return stdout;
}

test('an installed terminal says one version everywhere', async () => {
  assert.equal(await said('--version'), `${version}\n`);
  assert.match(await said('--help'), new RegExp(`^poid ${version.replaceAll('.', '\\.')},`));
  const findings: Json = JSON.parse(await said('doctor', '--json', '--state-dir', stage.stateDir));
  assert.equal(findings.version, version);

  const status: Json = await (await fetch(`${stage.apiUrl}/sp/v1/status`)).json();
  assert.equal(status.version, version);

  const metrics = await (await fetch(`${stage.screenUrl}/metrics`)).text();
  assert.deepEqual(metrics.match(/^poid_build_info.*/gm), [`poid_build_info{version="${version}"} 1`]);

  // What the About panel shows.
  const view = await new Operator(stage).sees(() => true);
  assert.equal(view.version, version);

  const client = await connected(broker, 'till');
  try {
    const births: Json[] = [];
    client.on('message', (_topic, payload) => births.push(JSON.parse(payload.toString())));
    await client.subscribeAsync(`poid/v1/${terminalName}/status`, { qos: 1 });
    await eventually(
      async () => births.length,
      (count) => count > 0,
    );
    assert.deepEqual([births[0].state, births[0].version], ['online', version]);
  } finally {
    await client.endAsync(true);
  }
});
