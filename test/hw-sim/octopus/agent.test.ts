import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { OctopusAgent } from '../../../hw-sim/octopus/agent.ts';
import { balanceOf, cards, Daemon, deductions, findings, started, temporarySocket, until } from './daemon.ts';

const deadline = { timeout: 20_000 };
const octopus = '90000018';
const other = '90000026';
const low = '90000034';
const blocked = '90000042';

describe('calls', deadline, () => {
  it('are answered to the byte', async (t) => {
    const { agent, daemon } = await started(t);
    const ask = (line: string): Promise<string> => {
      daemon.write(`${line}\n`);
      return daemon.next();
    };
    assert.equal(await ask('{"id":7,"call":"open"}'), '{"id":7,"code":0,"deviceId":"1A2B3C","companyId":"021"}');
    void agent.tap('octopus');
    assert.equal(
      await ask('{"id":2,"call":"poll","timeoutMs":500}'),
      '{"id":2,"code":0,"cardId":"90000018","balance":5000}',
    );
    assert.equal(
      await ask('{"id":3,"call":"deduct","cardId":"90000018","amount":300,"reference":"T1"}'),
      '{"id":3,"code":0,"cardId":"90000018","balance":4700,"receipt":"1A2B3C-000001"}',
    );
    assert.equal(
      await ask('{"id":4,"call":"find","reference":"T1"}'),
      '{"id":4,"code":0,"cardId":"90000018","balance":4700,"receipt":"1A2B3C-000001","state":"deducted"}',
    );
    assert.equal(await ask('{"id":5,"call":"find","reference":"T2"}'), '{"id":5,"code":0,"state":"none"}');
    assert.equal(await ask('{"id":6,"call":"upload"}'), '{"id":6,"code":0,"count":1,"total":300}');
    assert.deepEqual(agent.unexpected, []);
  });

  it('may come in pieces', async (t) => {
    const { agent, daemon } = await started(t);
    const line = '{"id":9,"call":"find","reference":"T1"}\n';
    for (const character of line) {
      daemon.write(character);
      await new Promise(setImmediate);
    }
    assert.equal(await daemon.next(), '{"id":9,"code":0,"state":"none"}');
    assert.deepEqual(agent.unexpected, []);
  });

  it('before the library was opened are answered that there is no reader', async (t) => {
    const agent = new OctopusAgent({ path: await temporarySocket(t), cards });
    t.after(() => agent.close());
    await agent.listen();
    const daemon = await Daemon.open(agent.path);
    t.after(() => daemon.hangUp());
    void agent.tap('octopus');
    const reported = [
      await daemon.call('poll', { timeoutMs: 500 }),
      await daemon.deduct('T1', 300, octopus),
      await daemon.call('find', { reference: 'T1' }),
      await daemon.call('upload'),
    ];
    assert.deepEqual(
      reported,
      reported.map(() => ({ code: 100_001 })),
    );
    await daemon.call('open');
    assert.equal((await daemon.deduct('T1', 300, octopus))['code'], 0, 'a find without a reader closes nothing');
  });
});

describe('a poll', deadline, () => {
  it('waits for the card', async (t) => {
    const { agent, daemon } = await started(t);
    const reported = daemon.call('poll', { timeoutMs: 60_000 });
    await until(agent, ({ polling }) => polling);
    void agent.tap('octopus-other');
    assert.deepEqual(await reported, { code: 0, cardId: other, balance: 3205 });
    assert.deepEqual([agent.state().polling, agent.state().heldCard], [false, 'octopus-other']);
    assert.deepEqual(deductions(agent), []);
  });

  it('ends without a card at its time-out', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { agent, daemon } = await started(t);
    const reported = daemon.call('poll', { timeoutMs: 500 });
    await until(agent, ({ polling }) => polling);
    t.mock.timers.tick(499);
    assert.equal(agent.state().polling, true);
    t.mock.timers.tick(1);
    assert.deepEqual(await reported, { code: 100_020 });
    assert.equal(agent.state().polling, false);
  });

  it('of a card that the operator refuses tells its code, and the customer takes it away', async (t) => {
    const { agent, daemon } = await started(t);
    const used = agent.tap('octopus-blocked');
    assert.deepEqual(await daemon.call('poll', { timeoutMs: 500 }), { code: 100_019 });
    assert.equal(await used, true);
    const again = agent.tap('octopus-blocked');
    assert.deepEqual(await daemon.deduct('T1', 10, blocked), { code: 100_019 });
    assert.equal(await again, true);
    assert.deepEqual([balanceOf(agent, 'octopus-blocked'), deductions(agent)], ['10000', []]);
  });

  it('that nobody waits for any more is over', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    daemon.send('poll', { timeoutMs: 60_000 });
    await until(agent, ({ polling }) => polling);
    const next = await Daemon.open(socketPath);
    t.after(() => next.hangUp());
    await daemon.hangUp();
    assert.deepEqual(await next.call('find', { reference: 'T1' }), { code: 0, state: 'none' });
    assert.equal(agent.state().polling, false);
    assert.equal(agent.state().connected, true);
    assert.deepEqual(agent.unexpected, []);
  });
});

describe('a tap', deadline, () => {
  it('is true once the card was deducted from, and the card is gone then', async (t) => {
    const { agent, daemon } = await started(t);
    const used = agent.tap('octopus');
    await daemon.call('poll', { timeoutMs: 500 });
    await daemon.deduct('T1', 300, octopus);
    assert.equal(await used, true);
    assert.equal('heldCard' in agent.state(), false);
  });

  it('is false when the card goes unused: held too short, taken away, or changed for another', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { agent, daemon } = await started(t);
    const short = agent.tap('octopus', { holdMs: 100 });
    await daemon.call('poll', { timeoutMs: 500 });
    t.mock.timers.tick(100);
    assert.equal(await short, false);
    const changed = agent.tap('octopus');
    const removed = agent.tap('octopus-other');
    agent.remove();
    assert.deepEqual([await changed, await removed], [false, false]);
    assert.throws(() => agent.tap('visa'), RangeError);
  });
});

describe('the socket', deadline, () => {
  const nonsense: [name: string, line: string | Buffer][] = [
    ['no JSON', 'hello\n'],
    ['an empty line', '\n'],
    ['an array', '[{"id":1,"call":"open"}]\n'],
    ['a call that is none', '{"id":1,"call":"refund"}\n'],
    ['no id', '{"call":"open"}\n'],
    ['an id that is no number', '{"id":"1","call":"open"}\n'],
    ['a field too many', '{"id":1,"call":"open","amount":1}\n'],
    ['an amount of nothing', `{"id":1,"call":"deduct","cardId":"${octopus}","amount":0,"reference":"T1"}\n`],
    ['half a unit', `{"id":1,"call":"deduct","cardId":"${octopus}","amount":1.5,"reference":"T1"}\n`],
    ['an amount as text', `{"id":1,"call":"deduct","cardId":"${octopus}","amount":"300","reference":"T1"}\n`],
    ['no reference', `{"id":1,"call":"deduct","cardId":"${octopus}","amount":300,"reference":""}\n`],
    ['a poll without end', '{"id":1,"call":"poll"}\n'],
    ['no UTF-8', Buffer.from('{"id":1,"call":"find","reference":"\xff"}\n', 'latin1')],
    ['a line of more than 4 KiB', `{"id":1,"call":"upload"${' '.repeat(4096)}}\n`],
    ['a line without end', '7'.repeat(4097)],
  ];
  for (const [name, line] of nonsense) {
    it(`${name}: recorded, the connection closed, nothing answered`, async (t) => {
      const { agent, daemon, socketPath } = await started(t);
      void agent.tap('octopus');
      daemon.write(line);
      await daemon.closed;
      assert.equal(daemon.unread, 0);
      assert.equal(agent.unexpected.length, 1);
      assert.deepEqual(deductions(agent), []);
      const next = await Daemon.open(socketPath);
      t.after(() => next.hangUp());
      assert.equal((await next.deduct('T1', 300, octopus))['code'], 0, 'the next daemon is served');
    });
  }

  it('a second request while one is open is recorded, and not carried out', async (t) => {
    const { agent, daemon } = await started(t);
    daemon.send('poll', { timeoutMs: 60_000 });
    daemon.send('find', { reference: 'T1' });
    await daemon.closed;
    assert.deepEqual(findings(agent), ['a request while another was open']);
    assert.equal(
      agent.unexpected[0]?.hex,
      Buffer.from('{"id":3,"call":"find","reference":"T1"}').toString('hex').toUpperCase(),
    );
    await until(agent, ({ connected }) => !connected);
    assert.equal(agent.state().polling, false);
  });

  it('a line that is cut off is recorded', async (t) => {
    const { agent, daemon } = await started(t);
    daemon.write('{"id":1,"call":"op');
    const recorded = new Promise<void>((resolve) => {
      agent.onChange(() => agent.unexpected.length > 0 && resolve());
    });
    await daemon.hangUp();
    await recorded;
    assert.deepEqual(findings(agent), ['a line that has no end']);
  });

  it('serves one client: the next one waits until the first has gone', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    const second = await Daemon.open(socketPath);
    t.after(() => second.hangUp());
    second.send('find', { reference: 'T1' });
    assert.equal((await daemon.call('upload'))['code'], 0);
    assert.equal((await daemon.call('upload'))['code'], 0);
    assert.equal(second.unread, 0);
    await daemon.hangUp();
    assert.match(await second.next(), /"state":"none"/);
    assert.deepEqual(agent.unexpected, []);
  });

  it('turns away and records the sixth', async (t) => {
    const { agent, socketPath } = await started(t);
    const more = [];
    for (let count = 0; count < 5; count++) more.push(await Daemon.open(socketPath));
    await more.at(-1)?.closed;
    assert.deepEqual(findings(agent), ['one client more than can wait']);
    for (const daemon of more) await daemon.hangUp();
  });

  it('takes the place of one that was left behind, and of nothing else', async (t) => {
    const socketPath = await temporarySocket(t);
    const left = createServer();
    await new Promise<void>((resolve) => left.listen(socketPath, resolve));
    const agent = new OctopusAgent({ path: socketPath, cards });
    t.after(() => agent.close());
    await agent.listen();
    const daemon = await Daemon.open(socketPath);
    assert.equal((await daemon.call('open'))['code'], 0);
    await daemon.hangUp();
    await new Promise((resolve) => left.close(resolve));

    const file = await temporarySocket(t);
    await writeFile(file, 'somebody needs this');
    const second = new OctopusAgent({ path: file, cards });
    t.after(() => second.close());
    await assert.rejects(second.listen(), { code: 'EADDRINUSE' });
  });

  it('is gone after close, for good', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    const tap = agent.tap('octopus', { holdMs: 60_000 });
    daemon.send('poll', { timeoutMs: 60_000 });
    await agent.close();
    await daemon.closed;
    assert.equal(await tap, false);
    assert.equal(existsSync(socketPath), false);
    await assert.rejects(agent.fault({ unplug: false }));
    assert.equal(await agent.tap('octopus'), false);
  });
});

describe('a reset', deadline, () => {
  it('is a clean slate on the same connection', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ incompleteNext: 'deducted' });
    void agent.tap('octopus');
    await daemon.deduct('T1', 300, octopus);
    await daemon.call('find', { reference: 'T2' });
    const held = agent.tap('octopus');
    await agent.fault({ silent: true, garble: true, disconnectDuringDeduct: true, readErrorNext: 'deduct' });
    await agent.fault({ incompleteNext: 'notDeducted', readerAbsent: true });
    await agent.reset();
    assert.equal(await held, false);
    assert.deepEqual(agent.state(), { plugged: true, connected: true, silent: false, polling: false });
    assert.deepEqual(agent.ledger(), []);
    assert.deepEqual(
      agent.cards().map(({ name, balanceMinor }) => [name, Number(balanceMinor)]),
      cards.map(({ name, balanceMinor }) => [name, balanceMinor]),
    );
    void agent.tap('octopus-low');
    assert.deepEqual(await daemon.deduct('T2', 51, low), {
      code: 0,
      cardId: low,
      balance: 0,
      receipt: '1A2B3C-000001',
    });
  });
});
