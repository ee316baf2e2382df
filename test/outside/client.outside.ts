import assert from 'node:assert/strict';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type Json, Stage } from '../e2e/stage.ts';
import { command, here, ownDirectory, root, run } from './tools.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open();
});
after(() => stage.close());

test('openapi-typescript makes types of the document, with which a till of openapi-fetch compiles and pays', async (t) => {
  // A copy: what is generated and compiled belongs to no checkout.
  const dir = await ownDirectory(t);
  await cp(path.join(here, 'till'), dir, { recursive: true });
  const modules = path.join(dir, 'node_modules');
  await symlink(path.join(here, 'node_modules'), modules);
  await writeFile(path.join(dir, 'package.json'), '{ "type": "module" }');
  const document = await fetch(`${stage.apiUrl}/openapi.json`);
  await writeFile(path.join(dir, 'openapi.json'), await document.text());
  const made = await run(command('openapi-typescript'), ['openapi.json', '--output', 'terminal.d.ts'], dir);
  assert.equal(made.code, 0, made.stderr);
  const roots = ['--typeRoots', path.join(root, 'node_modules/@types')];
  const compiled = await run(path.join(root, 'node_modules/.bin/tsc'), ['-p', dir, ...roots]);
  assert.equal(compiled.code, 0, compiled.stdout);

  const till = async (...parameters: string[]): Promise<Json> => {
    const { code, stdout, stderr } = await run(process.execPath, ['built/till.js', stage.apiUrl, ...parameters], dir);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const paying = till('SALE-1');
  await stage.tap('visa');
  const paid = await paying;
  assert.partialDeepStrictEqual(paid, { status: 200, result: 'SUCCESS', amount: 30, method: 'VISA', state: 'idle' });
  assert.deepEqual(await till('SALE-1'), paid, 'the same request again charges nothing');
  assert.deepEqual(await till('SALE-1', paid.id), {
    status: 409,
    reason: 'messageIdReused',
    retryable: 'CORRECT_REQUEST',
  });
  assert.partialDeepStrictEqual(await till('VOID-1', paid.id), { status: 200, result: 'SUCCESS' });
  const [posting] = await stage.ledger();
  assert.equal(posting.status, 'VOIDED');
});

interface EventSource {
  addEventListener(
    name: string,
    listener: (event: { readonly data: string; readonly lastEventId: string }) => void,
  ): void;
  close(): void;
}

test('EventSource of npm hears a payment from its beginning to its receipt', async () => {
  const { EventSource } = createRequire(path.join(here, 'package.json'))('eventsource') as {
    EventSource: new (url: string) => EventSource;
  };
  const source = new EventSource(`${stage.apiUrl}/sp/v1/events?posId=POS-7`);
  try {
    const answer: Json[] = [];
    const [first, idleAgain, printed] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    source.addEventListener('state', ({ data, lastEventId }) => {
      assert.notEqual(lastEventId, '');
      const event = JSON.parse(data);
      answer.push(event);
      if (event.state === 'idle') (answer.length === 1 ? first : idleAgain)?.resolve();
    });
    source.addEventListener(
      'receipt',
      ({ data }) => JSON.parse(data).receiptStatus === 'PRINTED' && printed?.resolve(),
    );
    await first?.promise;
    const { body } = await stage.paid('visa', { posId: 'POS-7' });
    assert.equal(body.responseResult, 'SUCCESS');
    await Promise.all([idleAgain?.promise, printed?.promise]);
    const states = answer.map(({ state, step }) => (step === undefined ? state : `${state}/${step}`));
    assert.deepEqual([states[0], states.at(-1)], ['idle', 'idle']);
    for (const state of ['collecting/choosingMethod', 'authorizing/atHost', 'approved']) {
      assert.ok(states.includes(state), states.join(' '));
    }
    const own = answer.filter(({ state }) => state !== 'idle');
    assert.ok(own.every(({ messageId }) => messageId === body.messageId));
  } finally {
    source.close();
  }
});
