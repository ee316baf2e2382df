import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import type { Way } from './customer.ts';
import { type Begun, eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** Of fixtures/cards/visa-debit.json. */
const rightPin = '2468';

/** A card whose chip asks for a PIN that its issuer checks. */
const way: Way = {
  name: 'VISA CHIP with PIN',
  method: 'VISA',
  entryMode: 'CHIP',
  acquirer: 'EDC',
  instrument: 'visa-debit',
  request: {},
  present: async (stage) => {
    await stage.insert('visa-debit');
    await stage.enterPin(rightPin);
  },
};

/** This POS prints its receipts itself, and is told how the cardholder was verified. */
const printing = 'POS-B';
const configuration = { printer: undefined, receipt: { printedByPosId: { [printing]: 'pos' } } };

for (const key of ['tdes', 'aes'] as const) {
  describe(`a reader keyed for ${key}`, () => {
    let stage: Stage;
    let reported: Posting[] = [];
    before(async () => {
      stage = await Stage.open({ acquirer: { replyTimeoutMs: 700 }, configuration, key });
    });
    after(() => stage.close());
    afterEach(async () => {
      const books = reported;
      reported = [];
      try {
        await stage.host('EDC', { mode: 'up' });
        await drained(stage);
        await assertHostsAgree(stage, books);
        await stage.assertDisarmed();
        assert.deepEqual(await stage.unexpected(), []);
        assert.equal((await stage.bench()).reader.insertedCard, undefined);
      } finally {
        await stage.sim('POST', '/api/reset', {});
      }
    });

    function keep({ body }: HttpAnswer, by: Way = way): Json {
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      reported.push(booked('SALE', by, 3_000, body));
      return body;
    }

    /** What a POS that prints is told of a sale that way: how its cardholder was verified. */
    async function verifiedBy(by: Way): Promise<Json> {
      const { body } = await stage.paid(by, { posId: printing });
      const [posting] = await stage.ledger();
      keep({ status: 200, body: { ...body, transactionResult: { trace: Number(posting.stan) } } }, by);
      return body.transactionPrintData.authenticationMethod;
    }

    /** The card is in its slot, and the pad waits. */
    async function asked(): Promise<Begun> {
      const begun = stage.begun();
      await stage.insert('visa-debit');
      const view = await stage.view(({ scene }) => scene === 'enterPin');
      assert.equal(view.hint, 'leaveCardIn');
      return begun;
    }

    test('the right PIN: approved by host and card, and nobody signs', async () => {
      const { answer } = await asked();
      assert.equal((await stage.bench()).reader.insertedCard, 'visa-debit');
      await stage.enterPin(rightPin);
      const body = keep(await answer);
      assert.equal(body.transactionResult.entryMode, 'CHIP');
      const { terminalTransactionId } = body;
      const receipt = (await stage.post('receipt', { terminalTransactionId, output: 'TEXT' })).body.text;
      assert.match(receipt, /TC +[0-9A-F]{16}/);
      assert.match(receipt, /PIN VERIFIED/);
      assert.doesNotMatch(receipt, /SIGN/i);
    });

    test('the answer says who has verified the PIN', async () => {
      assert.equal(await verifiedBy(way), 'ONLINE_PIN');
    });

    test('a wrong PIN, then the right one: the card stays in, and pays once', async () => {
      const { cardsRead } = (await stage.bench()).reader;
      const { answer } = await asked();
      await stage.enterPin('0000');
      const view = await stage.view(({ hint }) => hint === 'wrongPin');
      assert.equal(view.scene, 'enterPin');
      const { reader } = await eventually(
        () => stage.bench(),
        (bench) => bench.reader.pinPad.again,
      );
      assert.equal(reader.insertedCard, 'visa-debit');
      await stage.enterPin(rightPin);
      keep(await answer);
      assert.equal((await stage.bench()).reader.cardsRead, cardsRead + 1);
    });

    test('three wrong PINs: declined, and the card gets the decline', async () => {
      const { answer } = await asked();
      for (const pin of ['0000', '1111', '222222']) await stage.enterPin(pin);
      const { body } = await answer;
      assert.deepEqual([body.responseCode, body.financialImpact], [1075, 'NONE']);
    });

    test('the cancel key, at once and after a wrong PIN: cancelled, and the card is released', async () => {
      for (const wrong of [0, 1]) {
        const { answer } = await asked();
        for (let entered = 0; entered < wrong; entered++) {
          await stage.enterPin('0000');
          await stage.view(({ hint }) => hint === 'wrongPin');
        }
        await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
        const { body } = await answer;
        assert.deepEqual([body.responseResult, body.financialImpact], ['TRANSACTION_ALREADY_CANCEL', 'NONE']);
        assert.equal((await stage.bench()).reader.insertedCard, undefined);
      }
    });

    test('the card is taken out while its PIN is asked for: cancelled, nothing was sent', async () => {
      const { answer } = await asked();
      await stage.does('/api/reader/remove');
      const { body } = await answer;
      assert.deepEqual([body.responseResult, body.financialImpact], ['TRANSACTION_ALREADY_CANCEL', 'NONE']);
      assert.deepEqual(await stage.ledger(), []);
    });

    test('the POS cancels while the PIN is asked for', async () => {
      const { answer, request } = await asked();
      assert.equal((await stage.cancel(request)).body.responseResult, 'SUCCESS');
      assert.equal((await answer).body.responseResult, 'TRANSACTION_ALREADY_CANCEL');
    });

    test('the host is silent after the right PIN: reversed, and the reversal has no PIN', async () => {
      await stage.host('EDC', { mode: 'silent' });
      const { body } = await stage.paid(way);
      assert.equal(body.responseResult, 'ERROR');
      await eventually(
        () => stage.enquiry(body),
        (enquiry) => enquiry.body.financialImpact === 'REVERSED',
      );
    });

    test('the card refuses after the right PIN: declined and reversed', async () => {
      await stage.fault('reader', { cardRefuses: true });
      const { body } = await stage.paid(way);
      assert.equal(body.responseResult, 'DECLINED');
      await eventually(
        () => stage.enquiry(body),
        (enquiry) => enquiry.body.financialImpact === 'REVERSED',
      );
    });

    test('a contactless card asks for its PIN as well', async () => {
      const { answer } = stage.begun();
      await stage.tap('visa-debit');
      await stage.enterPin(rightPin);
      keep(await answer, { ...way, entryMode: 'CONTACTLESS' });
    });

    test('a PIN that the chip has verified itself is not requested again', async () => {
      const present = (on: Stage) => on.insert('mastercard-pin');
      const other = { ...way, method: 'MASTER', instrument: 'mastercard-pin', present };
      assert.equal(await verifiedBy(other), 'OFFLINE_PIN');
    });
  });
}
