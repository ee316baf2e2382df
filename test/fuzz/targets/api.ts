import assert from 'node:assert/strict';
import { parseJson, isRefusal } from '../../../src/pos/api/input.ts';
import type { JsonNumber } from '../../../src/pos/contracts/pos-calls.ts';
import { parseIdentity, parsePosRequest, requestDigest } from '../../../src/pos/api/pos-request.ts';
import { exponent } from '../../../src/base/domain/currency.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, type Target } from '../target.ts';

const sale = { posId: 'POS-1', messageId: 'M-1', transactionType: 'SALE', requestAmount: 30, currency: 'HKD' };
export const requests = [
  sale,
  { ...sale, requestAmount: 30.5, tipAmount: 0.5, preferredEntryMode: 'DEFAULT', preferredInstrument: 'VISA' },
  { ...sale, transactionType: 'VOID_SALE', originalTerminalTransactionId: 'T-1' },
  { ...sale, transactionType: 'OFFLINE_SALE', approvalCode: '123456' },
  { ...sale, currency: 'JPY', requestAmount: 3000, cashbackAmount: 100, forceAcquirer: 'EPS' },
  { posId: 'POS-1', messageId: 'M-1' },
];
const words = [
  '"requestAmount":',
  '"currency":',
  '"tipAmount":',
  '"SALE"',
  '"HKD"',
  '"JPY"',
  '"KWD"',
  '30.00',
  '"posId":',
];

export const apiJson: Target = {
  name: 'api-json',
  share: 12,
  inputs: hostile({ seeds: requests.map(json), tokens: [...jsonTokens, ...words.map(text)], nests: jsonNests }),
  check(input) {
    const body = parsed(Buffer.from(input).toString());
    if (body === undefined) return;
    parseIdentity(body);
    const request = parsePosRequest(body);
    if (isRefusal(request)) {
      assertSilent(JSON.stringify(request));
      assert.ok(request.errors.length > 0 && request.errors.length <= 20);
      return;
    }
    assert.match(requestDigest(request), /^[\da-f]{64}$/);
    assert.ok(request.amount.minor > 0n && request.amount.minor < 10n ** 12n);
    const { requestAmount } = body as { requestAmount: JsonNumber };
    // The float of V8 is near what was read digit by digit.
    const power = 10 ** exponent(request.amount.currency);
    const float = Number(requestAmount.source) * power;
    assert.ok(Math.abs(float - Number(request.amount.minor)) <= 0.5 + float * 1e-9, 'another amount than was sent');
  },
};

function parsed(sent: string): unknown {
  try {
    return parseJson(sent);
  } catch (error) {
    // Its message quotes the text: the server hands on none of it, which the http target looks at.
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
