import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdleDisplay } from '../../../src/pos/peripherals/idle-display.ts';
import type { ScreenView } from '../../../src/payment/contracts/screen.ts';
import { transaction } from '../../screen/views.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { noCounter } from '../../support/no-counter.ts';
import { type Json, served } from './served.ts';

const path = '/sp/v1/display';
const cart = {
  currency: 'HKD',
  lines: [
    { name: '凍檸茶', quantity: 2, amount: 44 },
    { name: 'Discount', amount: -1.5 },
  ],
  total: 42.5,
};

async function stage(t: Parameters<typeof served>[0], isAllowed = true) {
  const views: ScreenView[] = [];
  const screen = {
    isWatched: true,
    show: (view: ScreenView) => void views.push(view),
    onAction: () => () => undefined,
  };
  const display = new IdleDisplay(screen, new ManualClock(), { isAllowed, shownMs: 1_000, cardNumbers: 'refuse' });
  const { call } = await served(t, { counter: { ...noCounter, display } });
  const show = async (fields: Json) => {
    const { status, json } = await call({ path, body: JSON.stringify({ posId: 'POS-1', ...fields }) });
    return { status, json };
  };
  return { display, views, show };
}

test('a text, a cart with exact amounts, and nothing any more', async (t) => {
  const { views, show } = await stage(t);
  const done = { posId: 'POS-1', responseResult: 'SUCCESS', responseCode: 0 };
  const text = await show({ messageId: 'S-1', text: ['Next, please'] });
  assert.deepEqual([text.status, text.json], [200, { ...done, messageId: 'S-1', displayStatus: 'SHOWN' }]);
  assert.deepEqual(views.at(-1)?.till, { posId: 'POS-1', text: ['Next, please'] });
  await show({ cart });
  assert.deepEqual(views.at(-1)?.till, {
    posId: 'POS-1',
    cart: {
      currency: 'HKD',
      lines: [
        { name: '凍檸茶', quantity: '2', amount: '44.00' },
        { name: 'Discount', amount: '-1.50' },
      ],
      total: '42.50',
    },
  });
  for (const empty of [{}, { text: [] }, { text: '', cart: null }]) {
    await show({ cart });
    const { json } = await show(empty);
    assert.deepEqual(json, { ...done, displayStatus: 'CLEARED' });
    assert.deepEqual(views.at(-1), { scene: 'idle' });
  }
});

test('while a payment has the screen: 409; behind its outcome: WAITING; forbidden: 422', async (t) => {
  const { display, views, show } = await stage(t);
  display.show({ scene: 'presentCard', transaction });
  const { status, json } = await show({ cart });
  assert.deepEqual([status, json.reason, json.financialImpact], [409, 'busy', 'NONE']);
  assert.deepEqual(views, [{ scene: 'presentCard', transaction }]);
  display.show({ scene: 'approved' });
  assert.equal((await show({ cart })).json.displayStatus, 'WAITING');
  const forbidden = await (await stage(t, false)).show({ cart });
  assert.deepEqual([forbidden.status, forbidden.json.reason], [422, 'displayNotAllowed']);
});

test('what is not acceptable is told with its place', async (t) => {
  const { views, show } = await stage(t);
  const line = { name: 'x', amount: 1 };
  const wrong: readonly [fields: Json, status: number, pointer: string, reason: string][] = [
    [{ text: ['a'], cart }, 400, '/cart', 'fieldMisplaced'],
    [{ text: Array(9).fill('x') }, 400, '/text', 'fieldInvalid'],
    [{ text: ['x'.repeat(61)] }, 400, '/text/0', 'fieldInvalid'],
    [{ text: ['a\u202eb'] }, 400, '/text/0', 'fieldInvalid'],
    [{ text: 'one' }, 400, '/text', 'fieldInvalid'],
    [{ cart: { ...cart, currency: 'XXX' } }, 400, '/cart/currency', 'currencyUnknown'],
    [{ cart: { ...cart, total: 1.001 } }, 400, '/cart/total', 'amountInvalid'],
    [{ cart: { ...cart, lines: [line, { ...line, amount: 0.005 }] } }, 400, '/cart/lines/1/amount', 'amountInvalid'],
    [{ cart: { ...cart, lines: [{ ...line, quantity: 0.0001 }] } }, 400, '/cart/lines/0/quantity', 'fieldInvalid'],
    [{ cart: { ...cart, lines: Array.from({ length: 51 }, () => line) } }, 400, '/cart/lines', 'fieldInvalid'],
    [{ cart: { lines: [] } }, 400, '/cart/currency', 'fieldMissing'],
    [{ text: ['a'], seconds: 3_601 }, 400, '/seconds', 'fieldInvalid'],
    [{ text: ['a'], html: '<b>' }, 400, '/html', 'fieldUnknown'],
    [{ text: ['4761 7390 0101 0119'] }, 422, '/text', 'cardNumberNotAllowed'],
  ];
  for (const [fields, status, pointer, reason] of wrong) {
    const { status: got, json } = await show(fields);
    assert.deepEqual([got, json.errors?.[0]?.pointer, json.errors?.[0]?.reason], [status, pointer, reason], pointer);
  }
  assert.deepEqual(views, []);
});
