import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { hasChip } from '../../../hw-sim/card/card.ts';
import { activation, armed, type Stage, cancel, card, cardAnswerOf, cards, ready, responses } from './stage.ts';
import { hex, response } from './wire.ts';

const useStripe = { command: '02', status: '0a', data: hex('FFEE1F 04 62 07 00 00') };
const useChip = { command: '02', status: '0a', data: hex('FFEE1F 04 62 08 00 00') };

describe('a stripe', () => {
  test('answers with attribution C8, encrypted and masked, and 9F39 alone, byte for byte', async (t) => {
    const { pty, reader } = armed(t, '07');
    assert.equal(await reader.swipe(card('eps')), true);
    const answer = response(pty.sent());
    assert.equal(answer.command, '02');
    assert.equal(answer.status, '00');
    // The two ciphertexts are computed with Python's cryptography package from the key of the published vectors.
    assert.equal(
      answer.data.toString('hex').toUpperCase(),
      [
        'C8',
        'DFEE120AFFFF9876543210E00001',
        '57A111675964CCCCCC8453DCCCCCCCCCCCCCCCCC',
        '57C1185031E8A49E4096CAAEED50DBDA1ECD55762B0BADD2BAF0FA',
        '5AA108675964CCCCCC8453',
        '5AC110D4F5E668F95EB4391182E034CFBDD501',
        '9F390190',
      ].join(''),
    );
    const { armed: stillArmed, cardsRead, ksn } = reader.state();
    assert.deepEqual({ stillArmed, cardsRead, ksn }, { stillArmed: false, cardsRead: 1, ksn: 'FFFF9876543210E00001' });
    assert.deepEqual(reader.unexpected, []);
  });

  for (const [name, { pan }] of cards) {
    test(`of ${name} is read where no chip is waited for, and its number stays secret`, async (t) => {
      const { pty, reader } = armed(t, '01');
      assert.equal(await reader.swipe(card(name)), true);
      const { status, data } = response(pty.sent());
      assert.equal(status, '00');
      assert.deepEqual([...cardAnswerOf(data).clear], [['9F39', '90']]);
      assert.ok(!data.toString('hex').includes(pan));
    });
  }

  for (const interfaces of ['02', '04', '06']) {
    test(`is not met by a reader that waits on ${interfaces}`, async (t) => {
      const { pty, reader } = armed(t, interfaces);
      assert.equal(await reader.swipe(card('eps')), false);
      assert.equal(pty.sent(), '');
      assert.equal(reader.armed, true);
    });
  }

  test('is not met by a reader that waits for nothing', async (t) => {
    const { pty, reader } = ready(t);
    assert.equal(await reader.swipe(card('eps')), false);
    pty.send(activation('07'));
    assert.equal(pty.sent(), '');
  });

  test('that a card does not have is not read', async (t) => {
    const { pty, reader } = armed(t, '07');
    const visa = card('visa');
    assert.ok(hasChip(visa));
    assert.equal(await reader.swipe({ ...visa, serviceCode: '101', interfaces: ['contactless'] }), false);
    assert.equal(pty.sent(), '');
  });

  for (const serviceCode of ['201', '601']) {
    test(`with the service code ${serviceCode}: use the chip, and no key is spent`, async (t) => {
      const { pty, reader } = armed(t, '07');
      assert.equal(await reader.swipe({ ...card('visa'), serviceCode }), true);
      assert.deepEqual(response(pty.sent()), useChip);
      assert.equal(reader.armed, false);
      assert.equal(reader.state().cardsRead, 0);
      pty.send(activation('07'));
      await reader.insert(card('visa'));
      assert.match(response(pty.sent()).data.toString('hex'), /^c0dfee120affff9876543210e00001/);
    });
  }

  for (const serviceCode of ['101', '120', '501']) {
    test(`with the service code ${serviceCode} is read where a chip is waited for as well`, async (t) => {
      const { pty, reader } = armed(t, '07');
      await reader.swipe({ ...card('visa'), serviceCode });
      assert.equal(response(pty.sent()).status, '00');
    });
  }
});

describe('the stripe of a chip that failed', () => {
  for (const interfaces of ['07', '05', '01']) {
    test(`is read on ${interfaces} as a fallback`, async (t) => {
      const { pty, reader } = await failed(t);
      pty.send(activation(interfaces));
      assert.equal(await reader.swipe(card('visa')), true);
      const { status, data } = response(pty.sent());
      assert.equal(status, '00');
      assert.equal(data[0], 0xc8);
      assert.deepEqual([...cardAnswerOf(data).clear], [['9F39', '80']]);
    });
  }

  test('but only once', async (t) => {
    const { pty, reader } = await failed(t);
    pty.send(activation('07'));
    await reader.swipe(card('visa'));
    pty.sent();
    pty.send(activation('07'));
    await reader.swipe(card('visa'));
    assert.deepEqual(response(pty.sent()), useChip);
  });

  test('not where 02-40 allows no fallback', async (t) => {
    const { pty, reader } = await failed(t);
    pty.send(activation('07', 'DFEF3C03000060'));
    await reader.swipe(card('visa'));
    assert.deepEqual(response(pty.sent()), useChip);
  });

  test('a card that never had a chip is no fallback', async (t) => {
    const { pty, reader } = armed(t, '07');
    await reader.insert(card('eps'));
    assert.deepEqual(response(pty.sent()), useStripe);
    pty.send(activation('07'));
    await reader.swipe(card('eps'));
    assert.deepEqual([...cardAnswerOf(response(pty.sent()).data).clear], [['9F39', '90']]);
  });

  const forgets: [why: string, between: (stage: Stage, t: TestContext) => Promise<void> | void][] = [
    [
      'another card was read',
      async ({ reader }) => {
        await reader.tap(card('jcb'));
      },
    ],
    ['the transaction was cancelled', ({ pty }) => pty.send(cancel)],
    ['the transaction timed out', (_, t) => t.mock.timers.tick(30_000)],
    [
      'the power was gone',
      async ({ pty, reader }) => {
        await reader.fault({ unplug: true });
        await reader.fault({ unplug: false });
        pty.send('5669564f746563683200 01 01 0001 01 D734');
      },
    ],
    [
      'the simulator was reset',
      async ({ pty, reader }) => {
        await reader.reset();
        // What was armed stays armed.
        await reader.swipe(card('visa'));
        assert.deepEqual(responses(pty), [useChip]);
      },
    ],
  ];
  for (const [why, between] of forgets) {
    test(`not any more once ${why}`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const stage = await failed(t);
      stage.pty.send(activation('07'));
      await between(stage, t);
      stage.pty.sent();
      stage.pty.send(activation('07'));
      await stage.reader.swipe(card('visa'));
      assert.deepEqual(response(stage.pty.sent()), useChip);
    });
  }

  test('even after a card that collided', async (t) => {
    const { pty, reader } = await failed(t);
    pty.send(activation('07'));
    await reader.fault({ collision: true });
    await reader.tap(card('visa'));
    pty.sent();
    pty.send(activation('07'));
    await reader.swipe(card('visa'));
    assert.equal(response(pty.sent()).status, '00');
  });
});

/** A Visa chip could not be read. */
async function failed(t: TestContext): Promise<Stage> {
  const stage = armed(t, '07');
  await stage.reader.fault({ chipFails: true });
  await stage.reader.insert(card('visa'));
  assert.deepEqual(response(stage.pty.sent()), useStripe);
  return stage;
}
