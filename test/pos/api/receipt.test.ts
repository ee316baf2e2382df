import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReceiptCopy, Reprints } from '../../../src/pos/api/reprints.ts';
import type { RecordTree } from '../../../src/payment/records/transaction-status.ts';
import { approved, authorizedRecord, id, success } from './records.ts';
import { type Json, noReprints, served } from './served.ts';

const path = '/sp/v1/receipt';
const tree: RecordTree = { record: authorizedRecord({ outcome: approved, conclusion: success }), later: [] };
const identity = { posId: 'POS-1', messageId: 'M-1' };
const byId = { terminalTransactionId: id };

/** Keeps what was asked of it; its outputs name the copy. */
function keeping(fault?: Awaited<ReturnType<Reprints['print']>>) {
  const asked: [output: string, tree: RecordTree, copy: ReceiptCopy][] = [];
  const reprints: Reprints = {
    fault: undefined,
    slip: () => [],
    async print(each, copy) {
      asked.push(['PRINT', each, copy]);
      return fault;
    },
    async text(each, { copy }) {
      asked.push(['TEXT', each, copy]);
      return `${copy}\nDUPLICATE\n`;
    },
    async png(each, { copy }) {
      asked.push(['PNG', each, copy]);
      return Buffer.from(copy);
    },
    async html(each, { copy, language }) {
      asked.push(['HTML', each, copy]);
      return `<p lang="${language}">${copy}</p>`;
    },
  };
  return { reprints, asked };
}

const reported = { ...identity, responseResult: 'SUCCESS', responseCode: 0, terminalTransactionId: id };

for (const copy of ['CUSTOMER', 'MERCHANT'] as const) {
  for (const [output, more] of [
    ['PRINT', {}],
    ['TEXT', { text: `${copy}\nDUPLICATE\n` }],
    ['PNG', { png: Buffer.from(copy).toString('base64') }],
    ['HTML', { html: `<p lang="undefined">${copy}</p>` }],
  ] as const) {
    test(`${copy} as ${output}: only that, exactly`, async (t) => {
      const { reprints, asked } = keeping();
      const { terminal, call } = await served(t, { reprints });
      terminal.recalled = tree;
      const { status, json } = await call({ path, body: JSON.stringify({ ...byId, copy, output }) });
      assert.equal(status, 200);
      assert.deepEqual(json, { ...reported, copy, output, ...more });
      assert.deepEqual(asked, [[output, tree, copy]]);
    });
  }
}

test('pictures are drawn one after the other', async (t) => {
  let drawing = 0;
  let most = 0;
  const png = async () => {
    most = Math.max(most, ++drawing);
    await new Promise(setImmediate);
    drawing -= 1;
    return new Uint8Array([1]);
  };
  const { terminal, call } = await served(t, { reprints: { ...noReprints, png } });
  terminal.recalled = tree;
  const body = JSON.stringify({ ...byId, output: 'PNG' });
  const answers = await Promise.all(Array.from({ length: 6 }, () => call({ path, body })));
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json.png]),
    answers.map(() => [200, 'AQ==']),
  );
  assert.deepEqual([answers.length, most], [6, 1]);
});

test('a picture for which too many wait is refused, and may be asked for again', async (t) => {
  const { terminal, call } = await served(t, { pictures: { run: () => undefined } });
  terminal.recalled = tree;
  const { status, json } = await call({ path, body: JSON.stringify({ ...byId, output: 'PNG' }) });
  assert.deepEqual(
    [status, json.reason, json.financialImpact, json.retryable],
    [503, 'readingBusy', 'NONE', 'SAME_REQUEST'],
  );
});

test('a language is for what is not printed', async (t) => {
  const { reprints, asked } = keeping();
  const { terminal, call } = await served(t, { reprints });
  terminal.recalled = tree;
  const chosen = (output?: string) => call({ path, body: JSON.stringify({ ...byId, language: 'zh-Hant', output }) });
  const { json } = await chosen('HTML');
  const html = '<p lang="zh-Hant">CUSTOMER</p>';
  assert.deepEqual(json, { ...reported, copy: 'CUSTOMER', output: 'HTML', language: 'zh-Hant', html });
  asked.length = 0;
  for (const output of [undefined, 'PRINT', 'DATA']) {
    const refused = await chosen(output);
    assert.equal(refused.status, 400);
    assert.partialDeepStrictEqual(refused.json, {
      responseResult: 'INVALID_PARAMETER',
      errors: [{ pointer: '/language' }],
    });
  }
  assert.deepEqual(asked, []);
});

test('DATA prints nothing, and is the print data of shape B', async (t) => {
  const { reprints, asked } = keeping();
  const { terminal, call } = await served(t, { reprints });
  terminal.recalled = tree;
  const { json } = await call({ path, body: JSON.stringify({ ...byId, output: 'DATA' }) });
  assert.partialDeepStrictEqual(json, {
    ...reported,
    transactionPrintData: { transactionId: id, transactionType: 'SALE', cardData: { maskedPan: '************0119' } },
  });
  assert.deepEqual(asked, []);
});

describe('which transaction', () => {
  test('by its own id: nothing else is asked', async (t) => {
    const { terminal, call } = await served(t, keeping());
    terminal.recalled = tree;
    assert.equal((await call({ path, body: JSON.stringify({ ...byId, ...identity }) })).status, 200);
    assert.deepEqual([terminal.recalls, terminal.asked], [[id], []]);
  });

  test('by posId and messageId: the one that they name', async (t) => {
    const { terminal, call } = await served(t, keeping());
    terminal.recalled = tree;
    terminal.enquiryAnswer = { kind: 'ended', record: tree.record, status: 'APPROVED' };
    const body = JSON.stringify({ ...identity, terminalTransactionId: '' });
    assert.equal((await call({ path, body })).status, 200);
    assert.deepEqual(terminal.asked, [{ call: 'enquire', ...identity }]);
    assert.deepEqual(terminal.recalls, [id]);
  });

  for (const [answer, code, result] of [
    [{ kind: 'notFound' }, 404, 'NOT_FOUND'],
    [{ kind: 'running', state: 'authorizing' }, 409, 'PROCESSING'],
  ] as const) {
    test(`one that is ${answer.kind} has no receipt: ${code}`, async (t) => {
      const { reprints, asked } = keeping();
      const { terminal, call } = await served(t, { reprints });
      terminal.recalled = tree;
      terminal.enquiryAnswer = answer;
      const { status, json } = await call({ path, body: JSON.stringify(identity) });
      assert.equal(status, code);
      assert.partialDeepStrictEqual(json, { responseResult: result });
      assert.deepEqual([asked, terminal.recalls], [[], []]);
    });
  }
});

describe('a body that is refused: 400, no echo, nothing is asked', () => {
  const marker = '4761739001010119';
  for (const [fields, pointers] of [
    [{}, ['/terminalTransactionId']],
    [{ posId: marker }, ['/terminalTransactionId']],
    [{ messageId: marker }, ['/terminalTransactionId']],
    [{ posId: '', messageId: marker }, ['/terminalTransactionId']],
    [{ terminalTransactionId: marker.repeat(5) }, ['/terminalTransactionId']],
    [{ terminalTransactionId: [marker] }, ['/terminalTransactionId']],
    [{ ...byId, copy: marker }, ['/copy']],
    [{ ...byId, copy: 'customer' }, ['/copy']],
    [{ ...byId, output: marker, copy: marker }, ['/copy', '/output']],
    [{ ...byId, posId: 'P\n', messageId: 7 }, ['/posId', '/messageId']],
  ] as readonly [Json, string[]][]) {
    test(JSON.stringify(fields).slice(0, 80), async (t) => {
      const { reprints, asked } = keeping();
      const { terminal, call } = await served(t, { reprints });
      terminal.recalled = tree;
      const { status, json, text } = await call({ path, body: JSON.stringify(fields) });
      assert.equal(status, 400);
      assert.partialDeepStrictEqual(json, { responseResult: 'INVALID_PARAMETER', financialImpact: 'NONE' });
      assert.deepEqual(
        json.errors.map(({ pointer }: { pointer: string }) => pointer),
        pointers,
      );
      assert.ok(!text.includes(marker), text);
      assert.deepEqual([asked, terminal.asked, terminal.recalls], [[], [], []]);
    });
  }
});

test('the id of a transaction that there is not does not come back', async (t) => {
  const { call } = await served(t, keeping());
  const { status, json, text } = await call({ path, body: '{"terminalTransactionId":"4761739001010119"}' });
  assert.equal(status, 404);
  assert.equal(json.financialImpact, 'NONE');
  assert.ok(!text.includes('4761739001010119'));
});

describe('a printer that can’t: 503, which says why', () => {
  for (const fault of ['absent', 'paper-out', 'cover-open', 'error'] as const) {
    test(fault, async (t) => {
      const { terminal, call } = await served(t, keeping(fault));
      terminal.recalled = tree;
      const { status, json } = await call({ path, body: JSON.stringify(byId) });
      assert.equal(status, 503);
      assert.partialDeepStrictEqual(json, { responseResult: 'ERROR', responseCode: 2, financialImpact: 'NONE' });
      assert.ok(json.message.includes(fault), json.message);
    });
  }

  test('there is none; text goes all the same', async (t) => {
    const { terminal, call } = await served(t, { reprints: noReprints });
    terminal.recalled = tree;
    const { status, json } = await call({ path, body: JSON.stringify(byId) });
    assert.equal(status, 503);
    assert.match(json.message, /no-printer/);
    assert.equal((await call({ path, body: JSON.stringify({ ...byId, output: 'TEXT' }) })).status, 200);
  });

  test('a reprint that throws: 500, and the reason goes to the log alone', async (t) => {
    const text = () => Promise.reject(new Error('inside'));
    const { terminal, call, failures } = await served(t, { reprints: { ...noReprints, text } });
    terminal.recalled = tree;
    const answer = await call({ path, body: JSON.stringify({ ...byId, output: 'TEXT' }) });
    assert.equal(answer.status, 500);
    assert.ok(!answer.text.includes('inside'));
    assert.equal(failures.length, 1);
  });
});
