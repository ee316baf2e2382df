import assert from 'node:assert/strict';
import { mkdir, symlink, copyFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LossyRelay } from '../e2e/lossy-relay.ts';
import { Stage } from '../e2e/stage.ts';
import { ownDirectory, root, run } from './tools.ts';

const examples = path.join(root, 'docs/examples');

describe('the examples of a till sell, also when their first answer is lost, and a repeat is refused', () => {
  let stage: Stage;
  let relay: LossyRelay;
  before(async () => {
    stage = await Stage.open({ hosts: ['EDC'] });
    relay = await LossyRelay.open(() => Number(new URL(stage.apiUrl).port));
    const { code, stderr } = await run(process.execPath, ['build/client.ts']);
    assert.equal(code, 0, stderr);
  });
  after(async () => {
    relay.close();
    await stage.close();
  });

  async function assertSells(program: string, file: string, cwd: string): Promise<void> {
    const before = (await stage.posted()).length;
    relay.next('answerLost', 'refused', 'otherTill', 'redirected', 'anonymous', 'noHttp');
    const till = run(program, [file, relay.url, '30'], cwd);
    await stage.tap('visa');
    const { code, stdout, stderr } = await till;
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^paid: [0-9A-Z]{26}\n$/);
    assert.equal((await stage.posted()).length, before + 1);
    assert.equal(relay.fared.filter((each) => each === 'answerLost').length > 0, true);

    await stage.host('EDC', { decline: '51' });
    const declined = run(program, [file, relay.url, '30'], cwd);
    await stage.tap('visa');
    assert.match((await declined).stdout, /^not paid: insufficientFunds: /);
    await stage.host('EDC', { mode: 'up' });
    assert.equal((await stage.posted()).length, before + 1);
  }

  test('till.mjs, with poid/client as a package', async (t) => {
    const dir = await ownDirectory(t);
    await mkdir(path.join(dir, 'node_modules'));
    await symlink(root, path.join(dir, 'node_modules/poid'));
    await copyFile(path.join(examples, 'till.mjs'), path.join(dir, 'till.mjs'));
    await assertSells(process.execPath, 'till.mjs', dir);
  });

  test('till.py, with the standard library of Python', () => assertSells('python3', 'till.py', examples));
});
