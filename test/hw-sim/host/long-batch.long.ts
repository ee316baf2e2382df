import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findings, started } from './started.ts';
import { type Done, doneOf } from './till.ts';

describe('a long batch', { timeout: 120_000 }, () => {
  it('10,000 postings settle at once, a thousand by upload, with counts of six digits', async (t) => {
    const { host, terminal, till } = await started(t);
    const posted = async (count: number): Promise<Done[]> => {
      const asked = Array.from({ length: count }, (_, index) => till.offline(100 + index));
      return await Promise.all(
        asked.map(async ({ message, ...rest }) => ({
          ...doneOf(rest, await terminal.ask(message)),
          approval: 'PHONE1',
        })),
      );
    };
    const sum = (batch: Done[]): [number, number] => [batch.length, batch.reduce((all, { amount }) => all + amount, 0)];
    const first = await posted(10_000);
    assert.equal(await till.settle(1, { sales: sum(first) }), '00');
    assert.ok(host.ledger().every(({ batch }) => batch === 1));

    const second = await posted(1000);
    await host.setMode({ mode: 'up', mismatch: true });
    assert.equal(await till.settle(2, { sales: sum(second) }), '95');
    const codes = await Promise.all(second.map((one, index) => till.uploaded(one, { more: index < 999 })));
    assert.ok(codes.every((code) => code === '00'));
    assert.equal(await till.settle(2, { sales: sum(second) }, true), '00');
    assert.deepEqual(host.settlements()[1]?.differences, []);
    assert.equal(host.ledger().filter(({ batch }) => batch === 2).length, 1000);
    assert.equal(await till.settle(3), '00', 'nothing is left');
    assert.deepEqual(findings(host), []);
  });
});
