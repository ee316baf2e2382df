import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { readerModels } from '../../hw-sim/reader/simulated.ts';
import { carrierHere } from '../../hw-sim/reader/reports/open.ts';
import { assertHostsAgree, booked, drained, type Posting } from './books.ts';
import { byCard, byEps, epsPin, type Way } from './customer.ts';
import { type Begun, eventually, type HttpAnswer, type Json, Stage } from './stage.ts';

/** What carries the reports of a HID reader on this machine. */
const carrier = await carrierHere();

/**
 * The same list for every reader that a terminal can have: what customer, host and POS see of them does not differ.
 */
for (const reader of readerModels) {
  const wire = reader === 'neo2' ? 'serial' : carrier;
  describe(`${reader} over ${wire}`, () => {
    let stage: Stage;
    let reported: Posting[] = [];

    before(async () => {
      stage = await Stage.open({ reader, acquirer: { replyTimeoutMs: 1_500 }, configuration: { printer: undefined } });
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
      } finally {
        await stage.sim('POST', '/api/reset', {});
        await eventually(
          () => stage.status(),
          ({ ready }) => ready,
        );
      }
    });

    function keep({ body }: HttpAnswer, way: Way): Json {
      if (body.responseResult === 'SUCCESS') reported.push(booked('SALE', way, 3_000, body));
      return body;
    }

    function approved(answer: HttpAnswer, way: Way): Json {
      const body = keep(answer, way);
      assert.equal(body.responseResult, 'SUCCESS', body.message);
      assert.equal(body.transactionResult.entryMode, way.entryMode);
      return body;
    }

    /** The host had posted it; it is not told as approved, and in the end it is reversed. */
    async function assertReversed(body: Json, result: string): Promise<void> {
      assert.equal(body.responseResult, result, body.message);
      const enquiry = await eventually(
        () => stage.enquiry(body),
        (asked) => asked.body.financialImpact === 'REVERSED',
      );
      assert.notEqual(enquiry.body.transactionResult.tranStatus, 'APPROVED');
      assert.deepEqual(
        (await stage.ledger()).map(({ status }) => status),
        ['REVERSED'],
      );
    }

    function assertNothingMoved(body: Json, result: string): void {
      assert.deepEqual([body.responseResult, body.financialImpact], [result, 'NONE'], body.message);
    }

    /** The card has asked for authorization, and the host has posted the sale but not answered yet. */
    async function insertedAndPosted(): Promise<Begun> {
      // Longer than a busy machine needs for what comes next, and shorter than the terminal waits.
      await stage.host('EDC', { mode: 'up', delayMs: 800 });
      const begun = stage.begun();
      await stage.insert('visa');
      await eventually(
        () => stage.posted(),
        (posted) => posted.length === 1,
      );
      return begun;
    }

    async function armed(): Promise<void> {
      await eventually(
        () => stage.bench(),
        ({ reader: state }) => state.armed,
      );
    }

    async function pinAsked(): Promise<Begun> {
      const begun = stage.begun(byEps().request);
      await stage.swipe('eps');
      await stage.act('chooseAccount', { kind: 'account', account: 'SAVINGS' });
      await stage.view(({ scene }) => scene === 'enterPin');
      return begun;
    }

    test('the simulator says what it is carried by', async () => {
      assert.equal((await stage.bench()).reader.carrier, reader === 'neo2' ? undefined : carrier);
    });

    for (const card of ['visa', 'mastercard', 'amex', 'jcb', 'unionpay'] as const) {
      test(`${card}, tapped: approved`, async () => {
        const way = byCard(card);
        const body = approved(await stage.paid(way), way);
        assert.match(body.transactionResult.maskedPan, /^\*+\d{4}$/);
      });

      test(`${card}, inserted: approved by its host and, with the host's cryptogram, by the card`, async () => {
        const way = byCard(card, 'insert');
        const { terminalTransactionId } = approved(await stage.paid(way), way);
        const receipt = await stage.post('receipt', { terminalTransactionId, output: 'TEXT' });
        assert.match(receipt.body.text, /TC +[0-9A-F]{16}/);
        // The card's last word (EMV 4.3 Book 3, annex C6): 10 in the first byte, issuer authentication was performed.
        assert.match(receipt.body.text, /TSI +7800/);
        assert.equal((await stage.bench()).reader.insertedCard, undefined);
      });
    }

    if (reader === 'mms') {
      test('a card that was held there: the device shows what its host has said', async () => {
        const shown = async () => (await stage.bench()).reader.shown;
        approved(await stage.paid('visa'), byCard('visa'));
        assert.equal(await shown(), 'APPROVED');
        await stage.host('EDC', { decline: '51' });
        assertNothingMoved(keep(await stage.paid('visa'), byCard('visa')), 'DECLINED');
        assert.equal(await shown(), 'DECLINED');
        await stage.host('EDC', { mode: 'silent' });
        assert.equal((await stage.paid('visa')).body.responseResult, 'ERROR');
        assert.equal(await shown(), 'DECLINED');
      });
    }

    test('the host approves and the card says no: declined, and reversed', async () => {
      const { answer } = stage.begun();
      await stage.fault('reader', { cardRefuses: true });
      await stage.insert('visa');
      await assertReversed((await answer).body, 'DECLINED');
    });

    test('the card is pulled out while the host is at it: ERROR, and reversed', async () => {
      const { answer } = await insertedAndPosted();
      await stage.does('/api/reader/remove');
      await assertReversed((await answer).body, 'ERROR');
    });

    test('the reader is unplugged while the host is at it: ERROR, and reversed', async () => {
      const { answer } = await insertedAndPosted();
      await stage.fault('reader', { unplug: true });
      await assertReversed((await answer).body, 'ERROR');
    });

    test('the card’s last word is lost: not approved, and reversed', async () => {
      const { answer } = await insertedAndPosted();
      // The next message is the answer to what the host has decided.
      await stage.fault('reader', { dropNext: true });
      await assertReversed((await answer).body, 'ERROR');
    });

    for (const how of ['tap', 'insert'] as const) {
      test(`the host is down, ${how}: nothing moves, and the card is let go`, async () => {
        await stage.host('EDC', { mode: 'down' });
        assertNothingMoved((await stage.paid(byCard('visa', how))).body, 'ERROR');
        assert.equal((await stage.bench()).reader.insertedCard, undefined);
      });

      test(`the host declines, ${how}: declined with its code`, async () => {
        await stage.host('EDC', { decline: '51' });
        const { body } = await stage.paid(byCard('visa', how));
        assertNothingMoved(body, 'DECLINED');
        assert.equal(body.responseCode, 1051);
        assert.deepEqual(await stage.posted(), []);
      });
    }

    test('the host is silent, insert: ERROR, and reversed', async () => {
      await stage.host('EDC', { mode: 'silent' });
      const { body } = await stage.paid(byCard('visa', 'insert'));
      await stage.host('EDC', { mode: 'up' });
      await assertReversed(body, 'ERROR');
    });

    test('a stripe whose service code names a chip is refused: the chip is asked for', async () => {
      const { answer } = stage.begun();
      await stage.swipe('visa');
      await stage.view(({ hint }) => hint === 'insertCard');
      assert.deepEqual(await stage.ledger(), []);
      await stage.insert('visa');
      approved(await answer, byCard('visa', 'insert'));
    });

    test('a chip that fails: its stripe is asked for, and sent as a fallback', async () => {
      const { answer } = stage.begun();
      await stage.fault('reader', { chipFails: true });
      await stage.insert('visa');
      await stage.view(({ hint }) => hint === 'swipeCard');
      await stage.swipe('visa');
      approved(await answer, byCard('visa', 'fallback'));
    });

    test('a card that this reader has no application for is declined, and nothing is sent', async () => {
      await stage.fault('reader', { unsupported: true });
      assertNothingMoved((await stage.paid('visa')).body, 'DECLINED');
      assert.deepEqual(await stage.ledger(), []);
    });

    test('two cards at once: one is asked for, and pays', async () => {
      const { answer } = stage.begun();
      await stage.fault('reader', { collision: true });
      await stage.tap('visa');
      await stage.view(({ hint }) => hint === 'oneCardOnly');
      await stage.tap('visa');
      approved(await answer, byCard('visa'));
    });

    test('too much for a card that is held there: it is to be inserted, and pays once', async () => {
      const { answer } = stage.begun();
      await stage.fault('reader', { overLimit: true });
      await stage.tap('visa');
      await stage.view(({ hint }) => hint === 'insertCard');
      assert.deepEqual(await stage.ledger(), []);
      await stage.insert('visa');
      approved(await answer, byCard('visa', 'insert'));
      assert.equal((await stage.posted()).length, 1);
    });

    test('a card that was taken away too early: it is to be held there again, and pays once', async () => {
      const { answer } = stage.begun();
      await stage.fault('reader', { cardLost: true });
      await stage.tap('visa');
      await stage.view(({ hint }) => hint === 'holdCard' || hint === 'presentAgain');
      assert.deepEqual(await stage.ledger(), []);
      await stage.tap('visa');
      approved(await answer, byCard('visa'));
      assert.equal((await stage.posted()).length, 1);
    });

    test('EPS, swiped, with its PIN: paid, and the host has read both', async () => {
      const way = byEps();
      const body = approved(await stage.paid(way), way);
      assert.equal(body.transactionResult.maskedPan, '************8453');
    });

    test('EPS, a wrong PIN and then the right one: asked again, paid once', async () => {
      const { answer } = await pinAsked();
      await stage.enterPin('0000');
      await stage.view(({ hint }) => hint === 'wrongPin');
      await eventually(
        () => stage.bench(),
        ({ reader: { pinPad } }) => pinPad.asking && pinPad.again,
      );
      await stage.enterPin(epsPin);
      approved(await answer, byEps());
    });

    for (const wrong of [0, 1]) {
      test(`EPS, the pad's cancel key after ${wrong} wrong PINs: cancelled, nothing moves`, async () => {
        const { answer } = await pinAsked();
        for (let each = 0; each < wrong; each++) {
          await stage.enterPin('0000');
          await stage.view(({ hint }) => hint === 'wrongPin');
        }
        await stage.does('/api/pin-pad/enter', { key: 'CANCEL' });
        assertNothingMoved((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
      });
    }

    test('the reader is unplugged while a PIN is asked for: ERROR, nothing moves', async () => {
      const { answer } = await pinAsked();
      await stage.fault('reader', { unplug: true });
      assertNothingMoved((await answer).body, 'ERROR');
      assert.deepEqual(await stage.ledger('EPS'), []);
    });

    test('the POS cancels while a PIN is asked for: the pad is off, nothing moves', async () => {
      const { request, answer } = await pinAsked();
      assert.equal((await stage.cancel(request)).body.responseResult, 'SUCCESS');
      await stage.assertDisarmed();
      assertNothingMoved((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
    });

    test('the POS cancels while the reader is armed: disarmed, and the next sale goes through', async () => {
      const { request, answer } = stage.begun();
      await armed();
      assert.equal((await stage.cancel(request)).body.responseResult, 'SUCCESS');
      await stage.assertDisarmed();
      assertNothingMoved((await answer).body, 'TRANSACTION_ALREADY_CANCEL');
      approved(await stage.paid('visa'), byCard('visa'));
    });

    test('unplugged while armed: ERROR, nothing moves; plugged in again, it sells', async () => {
      const { answer } = stage.begun({ preferredEntryMode: 'CARD' });
      await armed();
      await stage.fault('reader', { unplug: true });
      assertNothingMoved((await answer).body, 'ERROR');
      const refused = await stage.payment(stage.saleRequest({ preferredEntryMode: 'CARD' }));
      assert.deepEqual([refused.status, refused.body.reason], [503, 'cardReaderAbsent']);
      await stage.fault('reader', { unplug: false });
      await eventually(
        () => stage.status(),
        ({ ready }) => ready,
      );
      approved(await stage.paid(byCard('visa', 'insert')), byCard('visa', 'insert'));
    });

    test('unplugged when the terminal starts: not ready until it is plugged in, and then it sells', async () => {
      await stage.stopDaemon('SIGTERM');
      await stage.fault('reader', { unplug: true });
      let isReady = false;
      const started = stage.startDaemon().then(() => (isReady = true));
      await eventually(
        () => Promise.resolve(stage.log),
        (log) => log.includes('absent'),
      );
      assert.equal(isReady, false);
      await stage.fault('reader', { unplug: false });
      await started;
      approved(await stage.paid('visa'), byCard('visa'));
    });

    test('answers byte by byte: the sale goes through', async () => {
      await stage.fault('reader', { splitBytes: true });
      approved(await stage.paid(byCard('visa', 'insert')), byCard('visa', 'insert'));
    });

    test('a garbled card is asked for again', async () => {
      const { answer } = stage.begun();
      await armed();
      await stage.fault('reader', { garble: true });
      await stage.tap('visa');
      await stage.tap('visa');
      approved(await answer, byCard('visa'));
    });
  });
}
