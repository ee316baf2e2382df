import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertRefused, marker } from './refused.ts';
import { type Call, type Json, sale, scriptless, served } from './served.ts';
import { bodyRefusalAnswer } from '../../../src/pos/api/client-fault.ts';
import { RawClient, wire } from './raw-client.ts';
import { noteReasons } from '../../support/reported-reasons.ts';

const wrongTypes: readonly unknown[] = [marker, true, null, [marker], { [marker]: marker }, Number(marker)];
const fieldsOf = {
  posId: [true, null, [marker], { [marker]: marker }, 4761739001010119, '', 'x'.repeat(65), `${marker}\u0007`],
  messageId: [true, null, [marker], { [marker]: marker }, 4761739001010119, '', 'x'.repeat(65), `${marker}\u0000`],
  transactionType: [...wrongTypes, '', 'sale'],
  requestAmount: [...wrongTypes, '', '30', 0, -1, -0.01, 30.001, 1e10, 1e21, 0.000_001],
  currency: [true, null, [marker], { [marker]: marker }, 4761739001010119],
  originalTerminalTransactionId: [true, [marker], { [marker]: marker }, 4761739001010119, marker.repeat(5)],
  preferredEntryMode: [marker, true, [marker], { [marker]: marker }, 4761739001010119, 'card'],
  preferredInstrument: [marker, true, [marker], { [marker]: marker }, 4761739001010119],
  forceAcquirer: [marker, true, [marker], { [marker]: marker }, 4761739001010119],
  approvalCode: [marker, true, [marker], { [marker]: marker }, 4761739001010119],
  collectTimeoutSeconds: [marker, true, [marker], { [marker]: marker }, 1.5, '60'],
  cashierId: [true, [marker], { [marker]: marker }, 4761739001010119, 'x'.repeat(33), ' ', `${marker}\u001b`],
  shiftId: [true, [marker], { [marker]: marker }, 4761739001010119, 'x'.repeat(33), '\u3000', `${marker}\u2028`],
  posReference: [true, [marker], { [marker]: marker }, 4761739001010119, 'x'.repeat(65), `\u202e${marker}`, 'a\nb'],
  tipAmount: [marker, true, [marker], { [marker]: marker }, -1, 30, 0.001],
  cashbackAmount: [marker, true, [marker], { [marker]: marker }, -1, 30, 0.001, 4_761_739_001],
} as const satisfies Record<string, readonly unknown[]>;

describe('a field that is wrong: 400 with a pointer, no echo, no payment', () => {
  for (const [field, values] of Object.entries(fieldsOf)) {
    for (const value of values) {
      test(`${field}: ${JSON.stringify(value).slice(0, 40)}`, async (t) => {
        const { terminal, pay } = await served(t);
        const answer = await pay({ [field]: value });
        assertRefused(answer, 400);
        assert.equal(answer.json.responseCode, 4);
        // More than one fault may be found in a value, all of them in its field.
        const pointers: string[] = answer.json.errors.map(({ pointer }: { pointer: string }) => pointer);
        assert.deepEqual([...new Set(pointers)], [`/${field}`]);
        assert.ok(answer.json.errors[0].message.length > 0);
        assert.equal(terminal.paid.length, 0);
      });
    }
  }

  for (const field of ['posId', 'messageId', 'transactionType', 'requestAmount', 'currency']) {
    test(`${field} missing`, async (t) => {
      const { terminal, pay } = await served(t);
      const answer = await pay({ [field]: undefined });
      assertRefused(answer, 400);
      assert.deepEqual(answer.json.errors, [{ pointer: `/${field}`, message: 'is missing', reason: 'fieldMissing' }]);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const currency of [marker, 'hkd', 'HK', 'XXX', 'XTS', 'XAU', '', 'toString', '__proto__']) {
    test(`currency ${JSON.stringify(currency)}: 105 INVALID_CURRENCY`, async (t) => {
      const { terminal, pay } = await served(t);
      const answer = await pay({ currency });
      assertRefused(answer, 400);
      assert.equal(answer.json.responseResult, 'INVALID_CURRENCY');
      assert.equal(answer.json.responseCode, 105);
      assert.equal(answer.json.errors[0].pointer, '/currency');
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('a field that there is not: a misspelled original must not become a refund without one', async (t) => {
    const { terminal, pay } = await served(t);
    for (const [name, pointer] of [
      ['originalTerminalTransactionID', '/originalTerminalTransactionID'],
      ['tipamount', '/tipamount'],
      ['constructor', '/constructor'],
      [marker, ''],
    ] as const) {
      const answer = await pay({ [name]: '1' });
      assertRefused(answer, 400);
      assert.deepEqual(
        answer.json.errors.map((each: Json) => each.pointer),
        [pointer],
      );
    }
    assert.equal(terminal.paid.length, 0);
  });

  test('markers in every field at once', async (t) => {
    const { pay } = await served(t);
    const all = Object.fromEntries(Object.keys(fieldsOf).map((name) => [name, { [marker]: marker }]));
    const answer = await pay({ ...all, [marker]: marker });
    assertRefused(answer, 400);
    // And one for the field that there is not.
    assert.equal(answer.json.errors.length, Object.keys(fieldsOf).length + 1);
  });

  test('the identity comes back where it is one, as SPEC 4 wants it', async (t) => {
    const { pay } = await served(t);
    const { json } = await pay({ requestAmount: -1 });
    assert.equal(json.posId, sale.posId);
    assert.equal(json.messageId, sale.messageId);
    assert.equal('posId' in (await pay({ messageId: '' })).json, false);
  });
});

describe('an amount as JSON text', () => {
  const text = (amount: string) => JSON.stringify({ ...sale, requestAmount: 0 }).replace(':0,', `:${amount},`);

  for (const amount of [
    '30.001',
    '-30',
    '-0',
    '0.00',
    '1e-3',
    '1e400',
    '99999999999.99',
    '1'.repeat(41),
    '30.0000000000000001',
  ]) {
    test(`${amount.slice(0, 20)}: refused`, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ body: text(amount) });
      assertRefused(answer, 400);
      assert.equal(answer.json.errors[0].pointer, '/requestAmount');
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const amount of ['NaN', 'Infinity', '-Infinity', '0x1e', '030', '30.', '.5', '+30', '3_0', "'30'"]) {
    test(`${amount}: no JSON`, async (t) => {
      const { terminal, call } = await served(t);
      assertRefused(await call({ body: text(amount) }), 400);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const [amount, minor] of [
    ['30', 3000n],
    ['30.00', 3000n],
    ['3e1', 3000n],
    ['0.01', 1n],
    ['9999999999.99', 999_999_999_999n],
    ['0.29', 29n],
    ['1.10', 110n],
  ] as const) {
    test(`${amount}: ${minor} cents`, async (t) => {
      const { terminal, call } = await served(t);
      await call({ body: text(amount) });
      assert.deepEqual(terminal.paid[0]?.amount, { minor, currency: 'HKD' });
    });
  }
});

describe('fields that do not fit their kind: 400', () => {
  for (const [fields, pointer] of [
    [{ originalTerminalTransactionId: marker }, '/originalTerminalTransactionId'],
    [{ transactionType: 'VOID' }, '/originalTerminalTransactionId'],
    [{ transactionType: 'TIP_ADJUST', tipAmount: 1 }, '/originalTerminalTransactionId'],
    [{ transactionType: 'AUTH_COMP', originalTerminalTransactionId: '' }, '/originalTerminalTransactionId'],
    [{ tipAmount: 30 }, '/tipAmount'],
    [{ tipAmount: 4_761_739_001 }, '/tipAmount'],
    [{ tipAmount: -1 }, '/tipAmount'],
    [{ tipAmount: 0.001 }, '/tipAmount'],
    [{ transactionType: 'AUTH', tipAmount: 1 }, '/tipAmount'],
    [{ transactionType: 'AUTH', cashbackAmount: 1 }, '/cashbackAmount'],
    [{ transactionType: 'REFUND', cashbackAmount: 1 }, '/cashbackAmount'],
    [{ tipAmount: 20, cashbackAmount: 10 }, '/cashbackAmount'],
    [{ approvalCode: 'ABC123' }, '/approvalCode'],
    [{ transactionType: 'OFFLINE_SALE', approvalCode: 'ABC 12' }, '/approvalCode'],
    [{ transactionType: 'OFFLINE_SALE', approvalCode: marker }, '/approvalCode'],
  ] as const) {
    test(JSON.stringify(fields), async (t) => {
      const { terminal, pay } = await served(t);
      const answer = await pay(fields);
      assertRefused(answer, 400);
      assert.equal(answer.json.errors[0].pointer, pointer);
      assert.equal(terminal.paid.length, 0);
    });
  }
});

describe('what this terminal does not offer: 422', () => {
  for (const [fields, pointer] of [
    [
      { preferredInstrument: 'VISA', transactionType: 'AUTH_COMP', originalTerminalTransactionId: marker },
      '/transactionType',
    ],
    [{ transactionType: 'VOID', originalTerminalTransactionId: marker, forceAcquirer: 'EDC' }, '/forceAcquirer'],
    [{ preferredEntryMode: 'QR_SCAN' }, '/preferredEntryMode'],
    [{ preferredEntryMode: 'QR_PRESENT' }, '/preferredEntryMode'],
    [{ preferredEntryMode: 'CASH' }, '/preferredEntryMode'],
    [
      { transactionType: 'VOID', originalTerminalTransactionId: marker, preferredEntryMode: 'CASH' },
      '/preferredEntryMode',
    ],
    [{ preferredInstrument: 'OCTOPUS' }, '/preferredInstrument'],
    [{ preferredInstrument: 'VISA', forceAcquirer: 'CUP' }, '/preferredInstrument'],
    [{ forceAcquirer: 'QR' }, '/forceAcquirer'],
    [{ cashbackAmount: 1 }, '/cashbackAmount'],
  ] as const) {
    test(JSON.stringify(fields), async (t) => {
      const { terminal, pay } = await served(t);
      const answer = await pay(fields);
      assertRefused(answer, 422);
      assert.equal(answer.json.errors[0].pointer, pointer);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const fields of [
    { originalTerminalTransactionId: '', preferredInstrument: '', forceAcquirer: null, preferredEntryMode: '' },
    { preferredEntryMode: 'DEFAULT', preferredInstrument: 'VISA', forceAcquirer: 'EDC' },
    { preferredEntryMode: 'CARD', preferredInstrument: 'CARD', forceAcquirer: 'CUP' },
  ]) {
    test(`but ${JSON.stringify(fields)} goes`, async (t) => {
      const { terminal, pay } = await served(t);
      await pay(fields);
      assert.equal(terminal.paid.length, 1);
      assert.equal(terminal.paid[0]?.forcedAcquirer, fields.forceAcquirer || undefined);
    });
  }

  test('and a void goes with its original', async (t) => {
    const { terminal, pay } = await served(t);
    await pay({ transactionType: 'VOID', originalTerminalTransactionId: 'T-1' });
    assert.partialDeepStrictEqual(terminal.paid[0], { type: 'VOID', originalId: 'T-1' });
  });
});

describe('a body that is none', () => {
  const bodies: readonly [what: string, body: string | Buffer][] = [
    ['empty', ''],
    ['not JSON', `{"posId":"${marker}"`],
    ['two values', `${JSON.stringify(sale)}${JSON.stringify(sale)}`],
    ['a number', marker],
    ['a string', JSON.stringify(marker)],
    ['null', 'null'],
    ['true', 'true'],
    ['an array', '[]'],
    ['an array of requests', JSON.stringify([sale])],
    ['not UTF-8', Buffer.from(JSON.stringify({ ...sale, posId: 'P\u00c3(' }), 'latin1')],
    ['UTF-16', Buffer.from(JSON.stringify(sale), 'utf16le')],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['1,900 nested arrays', `${'['.repeat(1_900)}${']'.repeat(1_900)}`],
    ['1,900 nested objects', `${'{"a":'.repeat(1_900)}1${'}'.repeat(1_900)}`],
    ['a request inside __proto__', `{"__proto__":${JSON.stringify(sale)}}`],
    ['a request inside constructor', `{"constructor":{"prototype":${JSON.stringify(sale)}}}`],
    ['the source of a number, forged', JSON.stringify({ ...sale, requestAmount: { source: '30' } })],
  ];
  for (const [what, body] of bodies) {
    test(`${what}: 400`, async (t) => {
      const { terminal, call } = await served(t);
      assertRefused(await call({ body }), 400);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const [what, body] of [
    ['30,000 nested arrays', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['10,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['32,000 numbers', `{"a":[${Array(32_000).fill(1).join()}]}`],
    ['2,000 numbers in a request', JSON.stringify({ ...sale, numbers: Array(2_000).fill(1) })],
    ['30,000 brackets that nothing closes', '['.repeat(30_000)],
  ] as const) {
    test(`${what}: 413`, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ body });
      assertRefused(answer, 413);
      assert.deepEqual([answer.json.reason, answer.headers['connection']], ['bodyTooLarge', 'close']);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const body of ['{}', '{', '{"a":1,"a":2}']) {
    test(`the connection is closed after four times ${body}`, async (t) => {
      const api = await served(t);
      const client = new RawClient(api);
      client.socket.write(wire(body).repeat(4));
      await client.letGo();
      assert.deepEqual(client.text.match(/(?<=^connection: )[a-z-]+/gim), [...Array(3).fill('keep-alive'), 'close']);
    });
  }

  test('the largest body that is taken, and one byte more', async (t) => {
    const { terminal, call } = await served(t, { bodyBytesMax: 512 });
    const padded = (bytes: number) => JSON.stringify(sale).padEnd(bytes);
    assert.equal((await call({ body: padded(512) })).status, 503);
    assert.equal(terminal.paid.length, 1);
    assert.equal((await call({ body: padded(513) })).status, 413);
    assert.equal(terminal.paid.length, 1);
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    '',
    'multipart/form-data',
  ]) {
    test(`Content-Type ${JSON.stringify(type)}: 415`, async (t) => {
      const { terminal, call } = await served(t);
      assertRefused(await call({ body: JSON.stringify(sale), headers: { 'content-type': type } }), 415);
      assert.equal(terminal.paid.length, 0);
    });
  }

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json ;x=y',
  ]) {
    test(`Content-Type ${type} goes`, async (t) => {
      const { terminal, call } = await served(t);
      await call({ body: JSON.stringify(sale), headers: { 'content-type': type } });
      assert.equal(terminal.paid.length, 1);
    });
  }
});

describe('a call that is none', () => {
  for (const path of [
    '/',
    '/sp/v1',
    '/sp/v2/payment',
    '//sp/v1/payment',
    '/sp//v1/payment',
    '/sp/v1/payment/',
    '/sp/v1/../v1/payment',
    '/sp/v1/%70ayment',
    '/SP/v1/payment',
    `/${marker}`,
    '/__proto__',
    '/constructor',
    '*',
  ]) {
    test(`path ${path}: 404`, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ path, body: JSON.stringify(sale) });
      assertRefused(answer, 404);
      assert.equal(answer.json.responseCode, 3);
      assert.equal(terminal.paid.length, 0);
    });
  }

  const methods: readonly [Call, string][] = [
    [{ method: 'GET', path: '/sp/v1/payment' }, 'POST'],
    [{ method: 'PUT', path: '/sp/v1/payment', body: JSON.stringify(sale) }, 'POST'],
    [{ method: 'DELETE', path: '/sp/v1/enquiry' }, 'POST'],
    [{ method: 'PATCH', path: '/sp/v1/cancel' }, 'POST'],
    [{ method: 'OPTIONS', path: '/sp/v1/payment' }, 'POST'],
    [{ method: 'GET', path: '/sp/v1/settlement' }, 'POST'],
    [{ method: 'GET', path: '/sp/v1/receipt' }, 'POST'],
    [{ method: 'POST', path: '/sp/v1/status', body: '{}' }, 'GET, HEAD'],
    [{ method: 'POST', path: '/sp/v1/capabilities', body: '{}' }, 'GET, HEAD'],
  ];
  for (const [call, allow] of methods) {
    test(`${call.method} ${call.path}: 405, Allow: ${allow}`, async (t) => {
      const { terminal, ...api } = await served(t);
      const answer = await api.call(call);
      assertRefused(answer, 405);
      assert.equal(answer.headers['allow'], allow);
      assert.equal(terminal.paid.length, 0);
    });
  }
});

describe('a body that says two things at once: 400 with the key named, no payment', () => {
  const whole = JSON.stringify(sale);
  const also = (member: string) => whole.replace('{', () => `{${member},`);
  for (const [what, body, pointer] of [
    ['the amount twice', also('"requestAmount":1'), '/requestAmount'],
    ['the same amount twice', also(`"requestAmount":${JSON.stringify(sale.requestAmount)}`), '/requestAmount'],
    ['the posId twice', also('"posId":"POS-2"'), '/posId'],
    ['a key written in two ways', also('"request\\u0041mount":1'), '/requestAmount'],
    ['an unknown key twice', also('"x":1,"x":2'), '/x'],
    ['a key twice, deep within', also('"a":[0,{"b":{"c":1,"d":[],"c":2}}]'), '/a/1/b/c'],
    ['__proto__', also('"__proto__":{"posId":"POS-2"}'), '/__proto__'],
    ['__proto__ within', also('"a":{"__proto__":1}'), '/a/__proto__'],
    ['a key that could be a card number', also(`"${marker}":1,"${marker}":2`), ''],
    ['a key within one that could be', also(`"${marker}":{"a":1,"a":2}`), ''],
  ] as const) {
    test(what, async (t) => {
      const { terminal, call } = await served(t);
      const answer = await call({ path: '/sp/v1/payment', body });
      assertRefused(answer, 400);
      assert.deepEqual(
        answer.json.errors.map((each: { pointer: string }) => each.pointer),
        [pointer],
      );
      assert.equal(terminal.paid.length, 0);
    });
  }

  test('the same key in two objects, and what looks like a key in a text, are none', async (t) => {
    const { terminal, call } = await served(t);
    terminal.payAnswer = async () => scriptless;
    const body = also('"a":{"posId":1,"b":"\\",\\"b\\":1"},"c":["a","a",{"a":1},{"a":1}],"d":"{\\"d\\":1,\\"d\\":1}"');
    const answer = await call({ path: '/sp/v1/enquiry', body });
    assert.equal(answer.status, 404, answer.text);
    assert.equal(terminal.paid.length, 0);
  });
});

test('a body that ends early is told as that, should its sender still listen', () => {
  const { status, body } = bodyRefusalAnswer('aborted');
  noteReasons(body);
  assert.equal(status, 400);
  assert.partialDeepStrictEqual(body, { reason: 'bodyIncomplete', retryable: 'SAME_REQUEST', financialImpact: 'NONE' });
});
