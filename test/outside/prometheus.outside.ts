import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { eventually, type Json, Stage } from '../e2e/stage.ts';
import { ownDirectory, root, run } from './tools.ts';

const monitoring = path.join(root, 'docs/monitoring');

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { metrics: { enabled: true } } });
});
after(() => stage.close());

const scraped = async () => (await fetch(`${stage.screenUrl}/metrics`)).text();

/** The expressions of the dashboard, for all terminals. */
async function dashboardExpressions(): Promise<string[]> {
  const { panels }: Json = JSON.parse(await readFile(path.join(monitoring, 'dashboard.json'), 'utf8'));
  return panels.flatMap(({ targets }: Json) => targets.map(({ expr }: Json) => expr.replaceAll('$instance', '.*')));
}

test('promtool finds nothing in the metrics of a terminal that has sold, nor in the rules', async (t) => {
  await stage.paid('visa');
  const file = path.join(await ownDirectory(t), 'metrics');
  await writeFile(file, await scraped());
  const linted = await run('sh', ['-c', 'promtool check metrics < "$1"', 'sh', file]);
  // Its library's own names for what the process has open, which it keeps for those who have them in a dashboard.
  const known = /^nodejs_active_\w+_total non-counter metrics should not have "_total" suffix$/;
  assert.deepEqual(
    linted.stderr.split('\n').filter((line) => line !== '' && !known.test(line)),
    [],
  );
  const rules = await run('promtool', ['check', 'rules', path.join(monitoring, 'alerts.yml')]);
  assert.equal(rules.code, 0, rules.stderr);
});

test('each alert fires where it should, and not beside it', async () => {
  const { code, stdout, stderr } = await run('promtool', [
    'test',
    'rules',
    path.join(root, 'test/outside/alerts.test.yml'),
  ]);
  assert.equal(code, 0, stdout + stderr);
  const rules = await readFile(path.join(monitoring, 'alerts.yml'), 'utf8');
  const proofs = await readFile(path.join(root, 'test/outside/alerts.test.yml'), 'utf8');
  for (const [, name = ''] of rules.matchAll(/alert: (\w+)/g)) assert.ok(proofs.includes(`"${name}"`), name);
});

test('Prometheus scrapes the terminal, and every panel of the dashboard has its metric', async (t) => {
  const dir = await ownDirectory(t);
  const target = stage.screenUrl.replace('http://', '');
  await writeFile(
    path.join(dir, 'prometheus.yml'),
    `scrape_configs:
  - job_name: poid
    scrape_interval: 1s
    static_configs: [{ targets: ['${target}'] }]
rule_files: ['${path.join(monitoring, 'alerts.yml')}']
`,
  );
  const port = await freePort();
  const flags = [
    '--config.file=prometheus.yml',
    `--storage.tsdb.path=${dir}/data`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('prometheus', flags, { cwd: dir, stdio: 'ignore' });
  t.after(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  const ask = async (query: string): Promise<Json> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    const notYet = { status: 'not up yet', data: { result: [] } };
    // While it starts it refuses connections, and then says 503 in plain text.
    return fetch(url).then(
      (answer) => (answer.status === 503 ? notYet : answer.json()),
      () => notYet,
    );
  };
  const { data } = await eventually(
    () => ask('poid_transactions_total{outcome="approved"}'),
    ({ data: { result } }) => result.length > 0,
  );
  assert.partialDeepStrictEqual(data.result[0].metric, { type: 'SALE', method: 'VISA', job: 'poid' });
  const names = new Set([...(await scraped()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name));
  for (const expression of await dashboardExpressions()) {
    assert.equal((await ask(expression)).status, 'success', expression);
    const [named = ''] = /\b(?:poid|process|nodejs)_\w+/.exec(expression) ?? [];
    assert.ok(names.has(named) || names.has(named.replace(/_bucket$/, '')), named);
  }
  const { data: firing } = await ask('ALERTS{alertstate="firing"}');
  assert.deepEqual(firing.result, []);
});

/** Prometheus can't be told to choose one. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
