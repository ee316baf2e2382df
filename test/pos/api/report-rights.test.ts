import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { RequestAuthenticator } from '../../../src/pos/pairing/request-authenticator.ts';
import { SigningPos } from '../pairing/signing.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { noCounter } from '../../support/no-counter.ts';
import { cloud } from './cloud-stage.ts';
import { type Json, served } from './served.ts';

const target = '/sp/v1/report';

/** What the terminal was asked to report and to print. */
function watchedReports() {
  const asked: (string | undefined)[] = [];
  const printed: (string | undefined)[] = [];
  const reports: { read(...of: Parameters<typeof noReport>): Promise<readonly []> } = { read: noReport };
  async function noReport(
    _acquirer?: unknown,
    _batch?: number,
    { posId }: { readonly posId?: string | undefined } = {},
  ): Promise<readonly []> {
    asked.push(posId);
    return [];
  }
  const printReport = async ({ onlyPosId }: { readonly onlyPosId?: string | undefined }) => {
    printed.push(onlyPosId);
    return { kind: 'printed' } as const;
  };
  const counter = { ...noCounter, paper: { ...noCounter.paper, absence: undefined, printReport } };
  return { asked, printed, reports, counter };
}

/** Two paired POS; POS-2 has the right to reports of all. */
async function tills(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-rights-'));
  t.after(() => rm(dir, { recursive: true }));
  const [keys, clock, watched] = [new PairedKeys(dir), new ManualClock(), watchedReports()];
  const authenticator = await RequestAuthenticator.open(keys, clock);
  const { reports, counter } = watched;
  const stage = await served(t, { authenticator, reports, counter, reportsAll: (posId) => posId === 'POS-2' });
  const [one, two] = [new SigningPos('POS-1'), new SigningPos('POS-2')];
  for (const { paired } of [one, two]) await keys.put(paired);
  const asks = async (pos: SigningPos, method: string, path: string, fields?: object): Promise<Json> => {
    const body = fields ? JSON.stringify(fields) : '';
    const headers = pos.headers(`127.0.0.1:${stage.port}`, method, path, body, clock.now());
    const more = fields ? { 'content-type': 'application/json' } : {};
    return (await stage.call({ method, path, headers: { ...headers, ...more }, body })).json;
  };
  return { ...watched, one, two, asks };
}

describe('a report of a paired POS', () => {
  test('has what this POS has asked for alone, and says so', async (t) => {
    const { asked, one, asks } = await tills(t);
    for (const query of ['', '?acquirer=EDC', '?acquirer=EDC&batch=7&format=csv'])
      assert.equal((await asks(one, 'GET', `${target}${query}`)).onlyPosId, 'POS-1');
    assert.deepEqual(asked, ['POS-1', 'POS-1', 'POS-1']);
  });

  test('has everything with the right reportAll', async (t) => {
    const { asked, two, asks } = await tills(t);
    assert.equal((await asks(two, 'GET', target)).onlyPosId, undefined);
    assert.deepEqual(asked, [undefined]);
  });

  test('is the same on paper', async (t) => {
    const { asked, printed, one, two, asks } = await tills(t);
    for (const [pos, posId] of [
      [one, 'POS-1'],
      [two, 'POS-2'],
    ] as const)
      await asks(pos, 'POST', `${target}/print`, { posId, messageId: 'R-1' });
    assert.deepEqual(
      [asked, printed],
      [
        ['POS-1', undefined],
        ['POS-1', undefined],
      ],
    );
  });

  test('is the same through the cloud', async (t) => {
    const { asked, reports } = watchedReports();
    const { ask } = await cloud(t, { reports });
    assert.equal((await ask({ method: 'GET', target, body: '' })).json.onlyPosId, 'POS-1');
    assert.deepEqual(asked, ['POS-1']);
  });
});

test('without pairing a report has everything, whatever the configuration says of rights', async (t) => {
  const { asked, printed, reports, counter } = watchedReports();
  const { call } = await served(t, { reports, counter, reportsAll: () => false });
  assert.equal((await call({ method: 'GET', path: target })).json.onlyPosId, undefined);
  await call({
    method: 'POST',
    path: `${target}/print`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ posId: 'POS-1', messageId: 'R-1' }),
  });
  assert.deepEqual([asked, printed], [[undefined, undefined], [undefined]]);
});
