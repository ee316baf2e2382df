import assert from 'node:assert/strict';
import { readEnvelope } from '../../../src/pos/ecr/wire/envelope.ts';
import { decrypt, encrypt } from '../../../src/pos/ecr/wire/cipher.ts';
import { canonicalText, parseCanonical } from '../../../src/pos/ecr/wire/content.ts';
import { type EcrCall, ecrCalls, parseRequest } from '../../../src/pos/ecr/wire/request.ts';
import { bodyOf, type Content, md5, page, printed, printedContent } from '../../pos/ecr/ecr-client.ts';
import { json, jsonNests, jsonTokens, text } from '../material.ts';
import { hostile } from '../mutation.ts';
import { assertSilent, canary, type Target } from '../target.ts';

const key = 'poid-test-key-16';
const callers = [{ key: 'poid-test-key-of-32-bytes-length' }, { key }];
const contents: Content[] = [
  ...page.calls.map(({ call }) => printedContent(call)),
  { func_type: 1001, amt: 88.5, channel: 'octopus', out_trade_no: '3f0c--7--2' },
  { func_type: 1002, orderId: canary, refund_amount: '30.00' },
];
const words = ["='", "',", '{content:', ", digest:'", "'}", 'amt=', 'func_type=1001', '\\u0000', '1e9', '88.2999999'];

/** Bodies as they come from the network: with any digest, and, for what is behind it, with the one that fits. */
export const ecrRequests: Target = {
  name: 'ecr-requests',
  share: 4,
  inputs: hostile({
    seeds: [
      ...contents.flatMap((each) => [
        text(bodyOf(each, key, 'odoo')),
        text(bodyOf(each, key, 'content')),
        json(each),
        text(Object.keys(each).join(',')),
      ]),
      text(printed(page.canonical)),
      Buffer.from(page.serial.hex, 'hex'),
    ],
    tokens: [...jsonTokens, ...words.map(text)],
    nests: jsonNests,
  }),
  check(input) {
    const body = Buffer.from(input).toString();
    for (const takesClear of [false, true]) {
      const read = readEnvelope(body, { callers, takesClear });
      // Only what was made with a key is a request, and a mutation of it fits no digest.
      if (typeof read === 'object') checkContent(canonicalText(read.content));
    }
    checkContent(body);
    // Behind a digest that fits: what a till with the key may send.
    const sealed = encrypt(`{content:${body}, digest:'${md5(body + key)}'}`, key);
    const signed = readEnvelope(sealed, { callers, takesClear: false });
    assert.ok(typeof signed === 'object' || signed === 'malformed' || signed === 'otherKey');
    if (typeof signed === 'object') assert.equal(signed.caller.key, key);
    decrypt(input, key);
  },
};

/** A canonical text is read in one way, and no fault repeats a value of it. */
function checkContent(written: string): void {
  const content = parseCanonical(written);
  if (!content) return;
  assert.equal(canonicalText(content), written, 'a text is read in another way than it is written');
  for (const call of Object.keys(ecrCalls) as EcrCall[]) {
    const request = parseRequest(call, content, 'HKD');
    if ('fault' in request) assertSilent(request.fault);
    else if (request.call === 'trade') assert.ok(request.minor > 0n && request.minor < 10n ** 12n);
  }
}
