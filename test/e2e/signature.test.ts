import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { PNG } from 'pngjs';
import type { Signature } from '../../src/base/domain/signature.ts';
import { signatureDots } from '../../src/receipt/lines.ts';
import { ServerEvents } from './server-events.ts';
import { eventually, type Json, Stage } from './stage.ts';

/** A wave and a line: no row or column of numbers like it is anywhere else. */
const strokes: Signature = [
  Array.from({ length: 60 }, (_, at) => [20 + at * 5, 64 + Math.round(40 * Math.sin(at / 4))]).flat(),
  [31, 117, 353, 109],
];

let stage: Stage;
/** A page that shows the screen: without one nobody could sign. */
let page: ServerEvents | undefined;

async function opened(timeouts: Json = {}, receipt: Json = {}): Promise<void> {
  stage = await Stage.open({ configuration: { receipt: { signature: 'screen', ...receipt }, timeouts } });
  await looked();
}

async function looked(): Promise<void> {
  page?.close();
  page = await ServerEvents.open(`${stage.screenUrl}/events`);
}

async function closed(): Promise<void> {
  page?.close();
  page = undefined;
  await stage.close();
}

/** A VISA sale, whose holder must sign. */
async function sold(): Promise<Json> {
  const { body } = await stage.paid('visa');
  assert.equal(body.responseResult, 'SUCCESS');
  return body;
}

const sign = () => stage.act('sign', { kind: 'sign', strokes });

async function receipt(id: string, fields: Json): Promise<Json> {
  const { status, body } = await stage.post('receipt', { terminalTransactionId: id, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function merchantText(id: string): Promise<string> {
  return (await receipt(id, { output: 'TEXT', copy: 'MERCHANT' })).text;
}

/** Waits until no receipt waits, and returns what was printed since. */
async function printed(): Promise<string> {
  await eventually(
    () => stage.status(),
    ({ waitingReceipts }) => waitingReceipts === 0,
  );
  return stage.paper();
}

function isOnPicture(png: string): boolean {
  const picture = PNG.sync.read(Buffer.from(png, 'base64'));
  const dots = signatureDots(strokes);
  const left = Math.floor((picture.width - dots.width) / 2);
  for (let top = 0; top + dots.height <= picture.height; top++) {
    let isHere = true;
    for (let y = 0; y < dots.height && isHere; y++) {
      for (let x = 0; x < dots.width && isHere; x++) {
        isHere = (picture.data[((top + y) * picture.width + left + x) * 4] === 0) === dots.ink(x, y);
      }
    }
    if (isHere) return true;
  }
  return false;
}

describe('a signature on the screen', () => {
  before(() => opened());
  after(() => closed());
  afterEach(async () => {
    await stage.assertDisarmed();
    assert.deepEqual(await stage.unexpected(), []);
    await stage.sim('POST', '/api/reset', {});
    await stage.sim('DELETE', '/api/printer/paper');
  });

  test('is asked for once the POS has its answer; is on each picture of the merchant’s copy, and nowhere else', async () => {
    const body = await sold();
    const id = body.terminalTransactionId;
    assert.equal(body.receiptStatus, 'WAITING');
    assert.equal((await stage.status()).state, 'idle');
    const asked = await stage.view(({ scene }) => scene === 'sign');
    assert.deepEqual([asked.transaction, asked.amount], [id, '30.00']);
    await sign();
    const seen = await stage.view(({ scene }) => scene === 'checkSignature');
    assert.deepEqual(seen.signature, strokes);
    await stage.action(id, { kind: 'acceptSignature' });
    const paper = await printed();
    assert.ok(paper.includes('CUSTOMER COPY') && !paper.includes('MERCHANT COPY'), paper);
    const outcome = await stage.view(({ scene }) => scene === 'approved');
    assert.equal(outcome.reported.next, 'thanks');

    assert.match(await merchantText(id), /\n +SIGNED ON SCREEN\n/);
    assert.doesNotMatch(await merchantText(id), /CUSTOMER SIGNATURE|___/);
    assert.ok(isOnPicture((await receipt(id, { output: 'PNG', copy: 'MERCHANT' })).png));
    assert.ok(!isOnPicture((await receipt(id, { output: 'PNG' })).png), 'the customer’s copy has none');
    const { html } = await receipt(id, { output: 'HTML', copy: 'MERCHANT' });
    const [, data = ''] = /<img alt="" width="192" src="data:image\/png;base64,([^"]*)"/.exec(html) ?? [];
    assert.ok(isOnPicture(data));
    await receipt(id, { copy: 'MERCHANT' });
    assert.match(await stage.paper(), /SIGNED ON SCREEN/);

    const answer = (await stage.enquiry(body)).body;
    assert.deepEqual({ ...answer, receiptStatus: '' }, { ...body, receiptStatus: '' }, 'the payment is what it was');
    const first = JSON.stringify(strokes[0]).slice(1, 40);
    const list = await (await fetch(`${stage.apiUrl}/sp/v1/transactions?last=true`)).text();
    for (const text of [stage.log, JSON.stringify(answer), list]) assert.ok(!text.includes(first));
    assert.match(stage.log, /"msg":"signed"/);
  });

  test('stays over a restart, and the slip of a void has no part of it', async () => {
    const body = await sold();
    const id = body.terminalTransactionId;
    await sign();
    await stage.act('checkSignature', { kind: 'acceptSignature' });
    await printed();
    await stage.stopDaemon('SIGKILL');
    await stage.startDaemon();
    await looked();
    assert.ok(isOnPicture((await receipt(id, { output: 'PNG', copy: 'MERCHANT' })).png));
    const { posId, messageId } = stage.saleRequest();
    const voids = { transactionType: 'VOID_SALE', originalTerminalTransactionId: id };
    const voided = (await stage.post('payment', { posId, messageId, ...voids })).body;
    assert.equal(voided.responseResult, 'SUCCESS');
    assert.doesNotMatch(await merchantText(voided.terminalTransactionId), /SIGN/);
    assert.deepEqual(await stage.posted(), []);
  });

  test('on paper, because the customer wants a pen: the slip as ever', async () => {
    const { terminalTransactionId: id } = await sold();
    await stage.act('sign', { kind: 'signOnPaper' });
    const paper = await printed();
    assert.match(paper, /X_{47}\n +CUSTOMER SIGNATURE/);
    assert.match(await merchantText(id), /CUSTOMER SIGNATURE/);
  });

  test('that does not fit is refused, and changes nothing', async () => {
    const { terminalTransactionId: id } = await sold();
    for (const wrong of [
      [],
      [[1]],
      [[0, 0, 384, 0]],
      [Array.from({ length: 2402 }, () => 1)],
      'x',
      [[0, 0, '1', '1']],
    ]) {
      const response = await fetch(`${stage.screenUrl}/action`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: stage.screenUrl },
        body: JSON.stringify({ transaction: id, kind: 'sign', strokes: wrong }),
      });
      assert.equal(response.status, 400);
      assert.match(((await response.json()) as Json).reason, /^strokes must be/);
    }
    await stage.action('another', { kind: 'sign', strokes });
    await stage.action(id, { kind: 'acceptSignature' });
    assert.equal((await stage.view()).scene, 'sign');
    await stage.act('sign', { kind: 'signOnPaper' });
    await printed();
  });

  test('is ended by the next payment, which waits for nobody: the slip is printed', async () => {
    const first = await sold();
    await stage.view(({ scene }) => scene === 'sign');
    const second = await sold();
    assert.notEqual(second.terminalTransactionId, first.terminalTransactionId);
    await eventually(
      () => stage.paper(),
      (paper) => paper.includes('CUSTOMER SIGNATURE') && paper.includes(first.terminalTransactionId),
    );
    const { transaction } = await stage.view(({ scene }) => scene === 'sign');
    assert.equal(transaction, second.terminalTransactionId);
    await stage.action(transaction, { kind: 'sign', strokes });
    await stage.action(transaction, { kind: 'acceptSignature' });
    await printed();
    assert.match(await merchantText(first.terminalTransactionId), /CUSTOMER SIGNATURE/);
    assert.match(await merchantText(second.terminalTransactionId), /SIGNED ON SCREEN/);
    assert.equal((await stage.posted()).length, 2);
  });

  for (const [when, step] of [
    ['while the customer signs', async () => undefined],
    ['while the merchant looks at it', sign],
  ] as const) {
    test(`a power cut ${when}: the approval stands, once, and the slip has its line`, async () => {
      const body = await sold();
      await stage.view(({ scene }) => scene === 'sign');
      await step();
      await stage.stopDaemon('SIGKILL');
      await stage.startDaemon();
      await looked();
      const paper = await printed();
      assert.match(paper, /X_{47}\n +CUSTOMER SIGNATURE/);
      assert.equal(paper.split('MERCHANT COPY').length - 1, 1);
      const answer = (await stage.enquiry(body)).body;
      assert.deepEqual({ ...answer, receiptStatus: '' }, { ...body, receiptStatus: '' });
      assert.equal((await stage.posted()).length, 1);
      const { posId, messageId } = body;
      const again = await stage.payment({ ...stage.saleRequest(), posId, messageId });
      assert.equal(again.body.terminalTransactionId, body.terminalTransactionId);
      assert.equal((await stage.posted()).length, 1, 'a repeat charges nothing');
    });
  }

  test('is not asked for where no page shows the screen', async () => {
    page?.close();
    // The terminal notices a page that has left as its connection ends.
    await eventually(
      async () => {
        await sold();
        return (await stage.view()).scene;
      },
      (scene) => scene === 'approved',
    );
    assert.match(await printed(), /CUSTOMER SIGNATURE/);
    await looked();
  });
});

describe('a signature that does not come', () => {
  before(() => opened({ signatureMs: 300 }, { merchantCopy: 'always' }));
  after(() => closed());

  test('in time: the slip has its line', async () => {
    const { terminalTransactionId: id } = await sold();
    const paper = await printed();
    assert.match(paper, /X_{47}\n +CUSTOMER SIGNATURE/);
    const outcome = await stage.view(({ scene }) => scene === 'approved');
    assert.equal(outcome.reported.next, 'sign');
    assert.match(await merchantText(id), /CUSTOMER SIGNATURE/);
    assert.equal((await stage.posted()).length, 1);
  });
});
