import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseRequest } from '../../../hw-sim/octopus/request.ts';
import { Daemon, started, type Answer } from './daemon.ts';

interface Exchange {
  readonly name: string;
  readonly request: string;
  readonly answer: string;
}

const { exchanges } = JSON.parse(
  readFileSync(new URL('../../../fixtures/frames/octopus.json', import.meta.url), 'utf8'),
) as { exchanges: readonly Exchange[] };

const octopus = '90000018';

/** Names of the fields of an answer, and what kind of value each is. */
const shape = (answer: Answer): string[] =>
  Object.entries(answer)
    .map(([name, value]) => `${name} ${typeof value}`)
    .toSorted();

const shapeOf = (name: string): string[] => {
  const exchange = exchanges.find((one) => one.name === name);
  assert.ok(exchange, name);
  return shape(JSON.parse(exchange.answer) as Answer);
};

describe('the exchanges of octopus.json', { timeout: 20_000 }, () => {
  for (const request of new Set(exchanges.map((exchange) => exchange.request))) {
    it(`${request} is a request`, () => assert.ok(parseRequest(Buffer.from(request))));
  }

  it('have answers of the same shape as those of this agent', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    let at = daemon;
    const check = async (name: string, call: string, parts: object = {}): Promise<void> => {
      const reported = await at.call(call, parts);
      assert.deepEqual(shape({ id: 1, ...reported }), shapeOf(name), name);
    };
    const poll = { timeoutMs: 500 };
    const deduct = { cardId: octopus, amount: 300, reference: '20260825-000123' };
    const find = { reference: '20260825-000123' };
    await check('open', 'open');
    await check('poll, 100020', 'poll', { timeoutMs: 1 });
    await check('find, none', 'find', { reference: '20260825-000122' });
    await check('deduct, 100020', 'deduct', deduct);
    void agent.tap('octopus');
    await check('poll, a card', 'poll', poll);
    await agent.fault({ readErrorNext: 'deduct' });
    await check('deduct, 100016', 'deduct', deduct);
    await agent.fault({ incompleteNext: 'deducted' });
    await check('deduct, 100022', 'deduct', deduct);
    await check('deduct, 100025', 'deduct', deduct);
    await check('find, incomplete', 'find', find);
    void agent.tap('octopus-other');
    await check('deduct, 101005', 'deduct', deduct);
    void agent.tap('octopus');
    await check('deduct', 'deduct', deduct);
    await check('find, deducted', 'find', find);
    void agent.tap('octopus-low');
    await check('deduct, 100048', 'deduct', { cardId: '90000034', amount: 300, reference: '20260825-000124' });
    void agent.tap('octopus-blocked');
    await check('poll, 100019', 'poll', poll);
    await check('upload', 'upload');
    await check('upload of nothing', 'upload');
    await agent.fault({ unplug: true });
    await agent.fault({ unplug: false });
    at = await Daemon.open(socketPath);
    t.after(() => at.hangUp());
    await check('find, no reader', 'find', find);
    await agent.fault({ readerAbsent: true });
    await check('open, no reader', 'open');
    assert.deepEqual(agent.unexpected, []);
  });
});
