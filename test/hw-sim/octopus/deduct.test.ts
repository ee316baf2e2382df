import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { balanceOf, Daemon, deductions, findings, started, until } from './daemon.ts';

const deadline = { timeout: 20_000 };
const octopus = '90000018';
const other = '90000026';
const low = '90000034';

describe('a deduction', deadline, () => {
  it('takes the value once, however often its reference is asked for', async (t) => {
    const { agent, daemon } = await started(t);
    void agent.tap('octopus');
    const first = await daemon.deduct('T1', 300, octopus);
    assert.deepEqual(first, { code: 0, cardId: octopus, balance: 4700, receipt: '1A2B3C-000001' });
    // With the card there again, and without it.
    const again = agent.tap('octopus');
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), first);
    agent.remove();
    assert.equal(await again, false);
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), first);
    void agent.tap('octopus');
    await daemon.deduct('T2', 100, octopus);
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), first, 'the balance is that of its own time');
    assert.equal(balanceOf(agent, 'octopus'), '46000');
    assert.deepEqual(agent.ledger()[0], {
      reference: 'T1',
      cardId: octopus,
      amountMinor: '3000',
      status: 'POSTED',
      receipt: '1A2B3C-000001',
      uploaded: false,
      at: '2026-08-25T02:15:30.000Z',
    });
    assert.deepEqual(deductions(agent), ['T1 3000 POSTED', 'T2 1000 POSTED']);
    assert.deepEqual(agent.unexpected, []);
  });

  it('takes all that is on the card, and not a unit more', async (t) => {
    const { agent, daemon } = await started(t);
    const used = agent.tap('octopus-low');
    assert.deepEqual(await daemon.deduct('T1', 52, low), { code: 100_048, balance: 51 });
    assert.equal(await used, true);
    assert.deepEqual([balanceOf(agent, 'octopus-low'), deductions(agent)], ['510', []]);
    void agent.tap('octopus-low');
    assert.equal((await daemon.deduct('T1', 51, low))['balance'], 0);
  });

  it('without a card, or from another card than the one at the reader, is none', async (t) => {
    const { agent, daemon } = await started(t);
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_020 });
    const used = agent.tap('octopus-other');
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 101_005 });
    assert.equal('heldCard' in agent.state(), false, 'the customer has taken it away');
    assert.equal(await used, false);
    assert.deepEqual(deductions(agent), []);
    assert.deepEqual([balanceOf(agent, 'octopus'), balanceOf(agent, 'octopus-other')], ['50000', '32050']);
  });

  it('under a reference of another amount or card is refused and recorded', async (t) => {
    const { agent, daemon } = await started(t);
    void agent.tap('octopus');
    await daemon.deduct('T1', 300, octopus);
    void agent.tap('octopus-other');
    assert.deepEqual(await daemon.deduct('T1', 301, octopus), { code: 100_021 });
    assert.deepEqual(await daemon.deduct('T1', 300, other), { code: 100_021 });
    assert.deepEqual(
      findings(agent),
      Array.from({ length: 2 }, () => 'a reference that was used for another deduction'),
    );
    assert.deepEqual(deductions(agent), ['T1 3000 POSTED']);
    assert.equal(balanceOf(agent, 'octopus-other'), '32050');
  });

  it('is refused for ever once its reference was found to be none', async (t) => {
    const { agent, daemon } = await started(t);
    assert.deepEqual(await daemon.call('find', { reference: 'T1' }), { code: 0, state: 'none' });
    const used = agent.tap('octopus');
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_021 });
    assert.deepEqual(await daemon.call('find', { reference: 'T1' }), { code: 0, state: 'none' });
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_021 });
    agent.remove();
    assert.equal(await used, false);
    assert.deepEqual([balanceOf(agent, 'octopus'), deductions(agent)], ['50000', []]);
    assert.deepEqual(agent.unexpected, []);
  });
});

describe('the file', deadline, () => {
  it('holds what was posted since the last one, and nothing that is incomplete', async (t) => {
    const { agent, daemon } = await started(t);
    for (const [reference, amount] of [
      ['T1', 300],
      ['T2', 50],
    ] as const) {
      void agent.tap('octopus');
      await daemon.deduct(reference, amount, octopus);
    }
    await agent.fault({ incompleteNext: 'deducted' });
    void agent.tap('octopus');
    await daemon.deduct('T3', 7, octopus);
    assert.deepEqual(await daemon.call('upload'), { code: 0, count: 2, total: 350 });
    assert.deepEqual(
      agent.ledger().map(({ uploaded }) => uploaded),
      [true, true, false],
    );
    assert.deepEqual(await daemon.call('upload'), { code: 0, count: 0, total: 0 });
    void agent.tap('octopus');
    await daemon.deduct('T3', 7, octopus);
    assert.deepEqual(await daemon.call('upload'), { code: 0, count: 1, total: 7 });
  });
});

describe('an incomplete deduction', deadline, () => {
  for (const taken of ['deducted', 'notDeducted'] as const) {
    it(`${taken}: is completed by the same card, and takes the value exactly once`, async (t) => {
      const { agent, daemon } = await started(t);
      await agent.fault({ incompleteNext: taken });
      const torn = agent.tap('octopus');
      assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_022 });
      assert.equal(await torn, true);
      assert.equal(balanceOf(agent, 'octopus'), taken === 'deducted' ? '47000' : '50000');
      assert.deepEqual(deductions(agent), ['T1 3000 INCOMPLETE']);
      assert.equal(agent.ledger()[0]?.receipt, null);
      assert.deepEqual(agent.state().incomplete, { cardId: octopus, reference: 'T1' });
      assert.deepEqual(await daemon.call('find', { reference: 'T1' }), { code: 0, state: 'incomplete' });

      assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_025 }, 'no card: still incomplete');
      const wrong = agent.tap('octopus-other');
      assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 101_005 });
      assert.equal(await wrong, false);
      assert.equal(balanceOf(agent, 'octopus-other'), '32050');

      const back = agent.tap('octopus');
      const done = { code: 0, cardId: octopus, balance: 4700, receipt: '1A2B3C-000001' };
      assert.deepEqual(await daemon.deduct('T1', 300, octopus), done);
      assert.equal(await back, true);
      assert.deepEqual(await daemon.deduct('T1', 300, octopus), done);
      assert.equal(balanceOf(agent, 'octopus'), '47000');
      assert.deepEqual(deductions(agent), ['T1 3000 POSTED']);
      assert.equal('incomplete' in agent.state(), false);
      assert.deepEqual(await daemon.call('find', { reference: 'T1' }), { ...done, state: 'deducted' });
      assert.deepEqual(agent.unexpected, []);
    });
  }

  it('may be torn again, before and after its value was taken', async (t) => {
    const { agent, daemon } = await started(t);
    for (const [taken, code] of [
      ['notDeducted', 100_022],
      ['notDeducted', 100_025],
      ['deducted', 100_025],
      ['deducted', 100_025],
    ] as const) {
      await agent.fault({ incompleteNext: taken });
      void agent.tap('octopus');
      assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code });
    }
    void agent.tap('octopus');
    assert.equal((await daemon.deduct('T1', 300, octopus))['code'], 0);
    assert.deepEqual([balanceOf(agent, 'octopus'), deductions(agent)], ['47000', ['T1 3000 POSTED']]);
  });

  it('stays when its card can not be read, and keeps nobody else from paying', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ incompleteNext: 'notDeducted' });
    void agent.tap('octopus');
    await daemon.deduct('T1', 300, octopus);
    await agent.fault({ readErrorNext: 'deduct' });
    void agent.tap('octopus');
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_025 });
    void agent.tap('octopus-other');
    assert.equal((await daemon.deduct('T2', 100, other))['code'], 0);
    assert.deepEqual(deductions(agent), ['T1 3000 INCOMPLETE', 'T2 1000 POSTED']);
    assert.deepEqual(agent.state().incomplete, { cardId: octopus, reference: 'T1' });
  });

  it('is remembered by the reader while the agent is away', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    await agent.fault({ incompleteNext: 'deducted' });
    void agent.tap('octopus');
    await daemon.deduct('T1', 300, octopus);
    await agent.fault({ unplug: true });
    await agent.fault({ unplug: false });
    const next = await Daemon.open(socketPath);
    t.after(() => next.hangUp());
    await next.call('open');
    assert.deepEqual(await next.call('find', { reference: 'T1' }), { code: 0, state: 'incomplete' });
  });
});

describe('faults', deadline, () => {
  it('readErrorNext: the next call of that name that meets a card, once', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ readErrorNext: 'poll' });
    void agent.tap('octopus');
    assert.deepEqual(await daemon.call('poll', { timeoutMs: 500 }), { code: 100_016 });
    assert.equal((await daemon.call('poll', { timeoutMs: 500 }))['code'], 0);
    await agent.fault({ readErrorNext: 'deduct' });
    assert.equal((await daemon.call('poll', { timeoutMs: 500 }))['code'], 0);
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_016 });
    assert.deepEqual([balanceOf(agent, 'octopus'), deductions(agent)], ['50000', []]);
    assert.equal((await daemon.deduct('T1', 300, octopus))['code'], 0, 'the card is still there');
    await agent.fault({ readErrorNext: 'deducted' });
    void agent.tap('octopus');
    assert.deepEqual(await daemon.deduct('T2', 300, octopus), { code: 100_016 });
    assert.equal((await daemon.call('find', { reference: 'T2' }))['state'], 'deducted', 'it was taken all the same');
    assert.deepEqual([balanceOf(agent, 'octopus'), deductions(agent).length], ['44000', 2]);
  });

  it('disconnectDuringDeduct: the value is taken, and the next connection finds it', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    await agent.fault({ disconnectDuringDeduct: true });
    assert.deepEqual(await daemon.deduct('T1', 300, octopus), { code: 100_020 }, 'nothing deducted: nothing to lose');
    void agent.tap('octopus');
    daemon.send('deduct', { cardId: octopus, amount: 300, reference: 'T1' });
    await daemon.closed;
    assert.equal(daemon.unread, 0);
    assert.deepEqual([balanceOf(agent, 'octopus'), deductions(agent)], ['47000', ['T1 3000 POSTED']]);
    const next = await Daemon.open(socketPath);
    t.after(() => next.hangUp());
    const done = { code: 0, cardId: octopus, balance: 4700, receipt: '1A2B3C-000001' };
    assert.deepEqual(await next.call('find', { reference: 'T1' }), { ...done, state: 'deducted' });
    assert.deepEqual(await next.deduct('T1', 300, octopus), done);
    assert.equal(balanceOf(agent, 'octopus'), '47000');
    assert.deepEqual(agent.unexpected, []);
  });

  it('silent: carries out and answers nothing, until it is switched off', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ silent: true });
    assert.equal(agent.state().silent, true);
    void agent.tap('octopus');
    daemon.send('poll', { timeoutMs: 60_000 });
    daemon.send('deduct', { cardId: octopus, amount: 300, reference: 'T1' });
    await until(agent, () => agent.ledger().length === 1);
    await agent.fault({ silent: false });
    assert.equal((await daemon.call('find', { reference: 'T1' }))['state'], 'deducted');
    assert.equal(daemon.unread, 0);
    assert.deepEqual(agent.unexpected, []);
  });

  it('silent swallows the answer of a poll that is open already', async (t) => {
    const { agent, daemon } = await started(t);
    daemon.send('poll', { timeoutMs: 60_000 });
    await until(agent, ({ polling }) => polling);
    await agent.fault({ silent: true });
    void agent.tap('octopus');
    assert.equal(agent.state().polling, false);
    await agent.fault({ silent: false });
    assert.equal((await daemon.call('upload'))['code'], 0);
    assert.equal(daemon.unread, 0);
  });

  it('garble: the next answer is no JSON, though what it is about is done', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ garble: true });
    void agent.tap('octopus');
    daemon.send('deduct', { cardId: octopus, amount: 300, reference: 'T1' });
    const line = await daemon.next();
    assert.throws(() => JSON.parse(line) as unknown, SyntaxError);
    assert.deepEqual(deductions(agent), ['T1 3000 POSTED']);
    assert.equal((await daemon.call('find', { reference: 'T1' }))['state'], 'deducted');
  });

  it('unplug: connection and socket are gone; back again, the library has to be opened, and the books are the same', async (t) => {
    const { agent, daemon, socketPath } = await started(t);
    void agent.tap('octopus');
    await daemon.deduct('T1', 300, octopus);
    daemon.send('poll', { timeoutMs: 60_000 });
    await until(agent, ({ polling }) => polling);
    await agent.fault({ unplug: true });
    await daemon.closed;
    assert.equal(existsSync(socketPath), false);
    assert.deepEqual(agent.state(), { plugged: false, connected: false, silent: false, polling: false });
    await assert.rejects(Daemon.open(socketPath), { code: 'ENOENT' });
    await agent.fault({ unplug: true });
    await agent.fault({ unplug: false });
    const next = await Daemon.open(socketPath);
    t.after(() => next.hangUp());
    assert.deepEqual(await next.call('find', { reference: 'T1' }), { code: 100_001 });
    await next.call('open');
    assert.equal((await next.call('find', { reference: 'T1' }))['state'], 'deducted');
  });

  it('readerAbsent: every call says so, and nothing is deducted or closed', async (t) => {
    const { agent, daemon } = await started(t);
    await agent.fault({ readerAbsent: true });
    void agent.tap('octopus');
    const reported = [
      await daemon.call('open'),
      await daemon.call('poll', { timeoutMs: 500 }),
      await daemon.deduct('T1', 300, octopus),
      await daemon.call('find', { reference: 'T1' }),
      await daemon.call('upload'),
    ];
    assert.deepEqual(
      reported,
      reported.map(() => ({ code: 100_001 })),
    );
    await agent.fault({ readerAbsent: false });
    assert.equal((await daemon.deduct('T1', 300, octopus))['code'], 0);
  });
});
