import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { byCard } from './customer.ts';
import { armed, eventually, type Json, Stage } from './stage.ts';

let stage: Stage;
before(async () => {
  stage = await Stage.open({ configuration: { printer: undefined } });
});
after(() => stage.close());
afterEach(async () => {
  await stage.assertDisarmed();
  assert.deepEqual(await stage.unexpected(), []);
  await stage.sim('POST', '/api/reset', {});
});

const allModes = ['CARD', 'QR_SCAN', 'QR_PRESENT', 'OCTOPUS', 'EPS', 'CASH'];

/** What the page shows, and what waits for the customer. */
interface Start {
  readonly scene: string;
  readonly mode?: string;
  readonly wallet?: string;
  readonly modes?: readonly string[];
  readonly waits: readonly string[];
}

const byMode = {
  choice: { scene: 'chooseMethod', waits: ['reader'] },
  CARD: { scene: 'presentCard', mode: 'CARD', waits: ['reader'] },
  QR_SCAN: { scene: 'scanCode', mode: 'QR_SCAN', waits: ['scanner'] },
  QR_PRESENT: { scene: 'presentCode', mode: 'QR_PRESENT', wallet: 'ALIPAY', waits: ['code'] },
  OCTOPUS: { scene: 'tapOctopus', mode: 'OCTOPUS', waits: ['octopus'] },
  EPS: { scene: 'presentCard', mode: 'EPS', waits: ['reader'] },
  CASH: { scene: 'tenderCash', mode: 'CASH', waits: [] },
} as const satisfies Record<string, Start>;

const starts: readonly (readonly [request: Json, start: Start])[] = [
  [{}, byMode.choice],
  [{ preferredEntryMode: '' }, byMode.choice],
  [{ preferredEntryMode: 'DEFAULT' }, byMode.choice],
  [{ preferredEntryMode: 'CARD' }, byMode.CARD],
  [{ preferredEntryMode: 'QR_SCAN' }, byMode.QR_SCAN],
  [{ preferredEntryMode: 'QR_PRESENT' }, byMode.QR_PRESENT],
  [{ preferredEntryMode: 'CASH' }, byMode.CASH],
  ...['CARD', 'VISA', 'MASTER', 'AMEX', 'JCB', 'UNIONPAY'].flatMap((preferredInstrument) =>
    [{}, { preferredEntryMode: 'CARD' }].map((more): [Json, Start] => [{ preferredInstrument, ...more }, byMode.CARD]),
  ),
  ...['QR', 'ALIPAY', 'WECHAT', 'UPI_QR'].flatMap((preferredInstrument): [Json, Start][] => [
    [{ preferredInstrument }, byMode.QR_SCAN],
    [{ preferredInstrument, preferredEntryMode: 'QR_SCAN' }, byMode.QR_SCAN],
    [
      { preferredInstrument, preferredEntryMode: 'QR_PRESENT' },
      { ...byMode.QR_PRESENT, wallet: preferredInstrument === 'QR' ? 'ALIPAY' : preferredInstrument },
    ],
  ]),
  [{ preferredInstrument: 'FPS' }, { ...byMode.QR_PRESENT, wallet: 'FPS' }],
  [{ preferredInstrument: 'OCTOPUS' }, byMode.OCTOPUS],
  [{ preferredInstrument: 'EPS' }, byMode.EPS],
  [{ preferredInstrument: 'EPS', preferredEntryMode: 'CARD' }, byMode.EPS],
  [{ preferredInstrument: 'CASH' }, byMode.CASH],
  [{ preferredInstrument: 'CASH', preferredEntryMode: 'CASH' }, byMode.CASH],
  [{ forceAcquirer: 'EDC' }, { ...byMode.CARD, modes: ['CARD'] }],
  [{ forceAcquirer: 'CUP' }, { ...byMode.CARD, modes: ['CARD'] }],
  [{ forceAcquirer: 'EPS' }, { ...byMode.EPS, modes: ['EPS'] }],
  [
    { forceAcquirer: 'EPS', preferredEntryMode: 'CARD' },
    { ...byMode.EPS, modes: ['EPS'] },
  ],
  [{ forceAcquirer: 'OCTOPUS' }, { ...byMode.OCTOPUS, modes: ['OCTOPUS'] }],
  [{ forceAcquirer: 'CASH' }, { ...byMode.CASH, modes: ['CASH'] }],
  [{ forceAcquirer: 'QR' }, { scene: 'chooseMethod', modes: ['QR_SCAN', 'QR_PRESENT'], waits: [] }],
  [
    { forceAcquirer: 'QR', preferredInstrument: 'WECHAT', preferredEntryMode: 'QR_PRESENT' },
    { ...byMode.QR_PRESENT, wallet: 'WECHAT', modes: ['QR_SCAN', 'QR_PRESENT'] },
  ],
  // Cash back is EPS alone, Octopus moves Hong Kong dollars in steps of ten cents, and nothing but a card is authorized.
  [{ cashbackAmount: 10 }, { ...byMode.EPS, modes: ['EPS'] }],
  [{ requestAmount: 30.05 }, { ...byMode.choice, modes: allModes.filter((mode) => mode !== 'OCTOPUS') }],
  [{ transactionType: 'AUTH' }, { ...byMode.CARD, modes: ['CARD'] }],
  [{ transactionType: 'REFUND' }, { ...byMode.CARD, modes: ['CARD'] }],
];

describe('where the payment app starts', () => {
  for (const [request, { waits, ...start }] of starts) {
    test(`${JSON.stringify(request)}: ${start.scene}`, async () => {
      const { request: begun, answer } = stage.begun(request);
      const view = await stage.view(({ scene, code }) => scene === start.scene && (scene !== 'presentCode' || code));
      assert.partialDeepStrictEqual(view, { modes: allModes, ...start });
      assert.equal(view.mode, start.mode);
      await eventually(
        () => stage.bench(),
        (bench) => armed(bench).join() === waits.join(),
      );
      assert.equal((await stage.cancel(begun)).status, 200);
      assert.equal((await answer).body.financialImpact, 'NONE');
    });
  }
});

const entry = '/preferredEntryMode';
const instrument = '/preferredInstrument';
const contradictions: readonly (readonly [request: Json, pointer: string])[] = [
  [{ preferredEntryMode: 'CARD', preferredInstrument: 'ALIPAY' }, entry],
  [{ preferredEntryMode: 'CARD', preferredInstrument: 'OCTOPUS' }, entry],
  [{ preferredEntryMode: 'CARD', preferredInstrument: 'CASH' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', preferredInstrument: 'VISA' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', preferredInstrument: 'EPS' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', preferredInstrument: 'FPS' }, entry],
  [{ preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'CARD' }, entry],
  [{ preferredEntryMode: 'QR_PRESENT', preferredInstrument: 'OCTOPUS' }, entry],
  [{ preferredEntryMode: 'CASH', preferredInstrument: 'UNIONPAY' }, entry],
  [{ preferredEntryMode: 'CASH', preferredInstrument: 'QR' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', forceAcquirer: 'EDC' }, entry],
  [{ preferredEntryMode: 'CARD', forceAcquirer: 'QR' }, entry],
  [{ preferredEntryMode: 'CASH', forceAcquirer: 'CUP' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', cashbackAmount: 10 }, entry],
  [{ preferredEntryMode: 'QR_SCAN', transactionType: 'AUTH' }, entry],
  [{ preferredEntryMode: 'CASH', transactionType: 'REFUND' }, entry],
  [{ preferredEntryMode: 'QR_SCAN', transactionType: 'VOID', originalTerminalTransactionId: 'any' }, entry],
  [{ preferredInstrument: 'VISA', forceAcquirer: 'CUP' }, instrument],
  [{ preferredInstrument: 'ALIPAY', forceAcquirer: 'EDC' }, instrument],
  [{ preferredInstrument: 'EPS', forceAcquirer: 'QR' }, instrument],
  [{ preferredInstrument: 'CASH', forceAcquirer: 'EPS' }, instrument],
  [{ preferredInstrument: 'OCTOPUS', requestAmount: 30.05 }, instrument],
  [{ preferredInstrument: 'OCTOPUS', requestAmount: 3000, currency: 'JPY' }, '/currency'],
  [{ preferredInstrument: 'VISA', cashbackAmount: 10 }, instrument],
  [{ preferredInstrument: 'VISA', transactionType: 'VOID', originalTerminalTransactionId: 'any' }, instrument],
  [{ preferredInstrument: 'OCTOPUS', transactionType: 'AUTH' }, '/transactionType'],
  [{ forceAcquirer: 'EPS', transactionType: 'REFUND' }, '/transactionType'],
  [{ forceAcquirer: 'QR', transactionType: 'AUTH' }, '/transactionType'],
  [{ forceAcquirer: 'DCC' }, '/forceAcquirer'],
  [{ forceAcquirer: 'EDC', transactionType: 'VOID', originalTerminalTransactionId: 'any' }, '/forceAcquirer'],
];

describe('what contradicts itself is refused before anything starts', () => {
  for (const [request, pointer] of contradictions) {
    test(`${JSON.stringify(request)}: ${pointer}`, async () => {
      const { status, body } = await stage.payment(stage.saleRequest(request));
      assert.equal(status, 422, JSON.stringify(body));
      assert.equal(body.financialImpact, 'NONE');
      assert.equal(body.errors[0].pointer, pointer, body.message);
      assert.ok(Array.isArray(body.possible), 'it does not say what is possible');
      assert.equal((await stage.status()).state, 'idle');
      assert.equal((await stage.enquiry(body)).status, 404);
    });
  }
});

test('where only its hosts take cards, a terminal starts there and offers nothing else', async () => {
  const configuration = { printer: undefined, scanner: undefined, octopus: undefined, cash: false };
  const bare = await Stage.open({ configuration, hosts: ['EDC', 'CUP'] });
  try {
    for (const preferredInstrument of ['ALIPAY', 'WECHAT', 'FPS', 'UPI_QR', 'OCTOPUS', 'EPS', 'CASH', 'QR']) {
      const { status, body } = await bare.payment(bare.saleRequest({ preferredInstrument }));
      assert.equal(status, 422);
      assert.equal(body.errors[0].pointer, instrument);
      assert.deepEqual(body.possible, []);
    }
    for (const preferredEntryMode of ['QR_SCAN', 'QR_PRESENT', 'CASH']) {
      const { status, body } = await bare.payment(bare.saleRequest({ preferredEntryMode }));
      assert.equal(status, 422);
      assert.equal(body.errors[0].pointer, entry);
      assert.match(body.message, /possible are CARD$/);
    }
    const { answer } = bare.begun();
    const view = await bare.view(({ scene }) => scene === 'presentCard');
    assert.deepEqual(view.modes, ['CARD']);
    await byCard('visa', 'insert').present(bare);
    assert.equal((await answer).body.responseResult, 'SUCCESS');
    assert.deepEqual(await bare.unexpected(), []);
  } finally {
    await bare.close();
  }
});
