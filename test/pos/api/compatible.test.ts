import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openApi } from '../../../src/pos/api/openapi.ts';
import { closedSets, findBreaks } from './compatible.ts';
import { faults } from './json-schema.ts';
import type { Json } from './served.ts';

/** The documents of releases, without their descriptions, each with the requests of its examples that were carried out. */
const folder = fileURLToPath(new URL('released', import.meta.url));
const present: Json = JSON.parse(JSON.stringify(openApi));
const releases = readdirSync(folder).map((name) => ({
  name: path.basename(name, '.json'),
  document: JSON.parse(readFileSync(path.join(folder, name), 'utf8')),
}));

for (const { name, document } of releases) {
  describe(`a till that was written for ${name}`, () => {
    test('finds every call, field and value, and is asked for no more', () => {
      assert.deepEqual(findBreaks(document, present), []);
    });

    test('is understood: each request of its examples is a request of today', () => {
      assert.ok(document.requests.length > 20);
      for (const { name: example, operation, request } of document.requests) {
        const { requestBody } =
          Object.values<Json>(present.paths)
            .flatMap((methods) => Object.values<Json>(methods))
            .find(({ operationId }) => operationId === operation) ?? assert.fail(operation);
        if (requestBody === undefined) continue;
        const { schema } = requestBody.content['application/json'];
        assert.deepEqual(faults(request, schema, present), [], example);
      }
    });
  });
}

/** The places of a document by name, so that the changes below stay readable. */
const request = (document: Json) => document.components.schemas.PosRequest;
const answer = (document: Json) => document.components.schemas.Status;

describe('what breaks a till is noticed', () => {
  for (const [what, change, said] of [
    ['a call is gone', (now) => delete now.paths['/sp/v1/drawer/open'], /^post \/sp\/v1\/drawer\/open is gone$/],
    ['a field of an answer is gone', (now) => delete answer(now).properties.ready, /200\/ready is gone$/],
    [
      'a field of an answer may be absent',
      (now) => answer(now).required.splice(answer(now).required.indexOf('version'), 1),
      /200\/version may be absent$/,
    ],
    ['a field has another type', (now) => (answer(now).properties.version = { type: 'number' }), /version is number$/],
    ['a value is gone', (now) => request(now).properties.transactionType.enum.pop(), /transactionType is never /],
    [
      'a closed set has grown',
      (now) => now.components.schemas.Fault.properties.retryable.enum.push('LATER'),
      /retryable may be LATER$/,
    ],
    ['a field of a request is gone', (now) => delete request(now).properties.cashierId, /request\/cashierId is gone$/],
    ['a field is required', (now) => request(now).required.push('cashierId'), /request\/cashierId is required$/],
    ['less is taken', (now) => (request(now).properties.posId.maxLength = 4), /request\/posId has another maxLength$/],
    [
      'a parameter is gone',
      (now) => now.paths['/sp/v1/transactions'].get.parameters.splice(0, 1),
      /^get \/sp\/v1\/transactions \w+ is gone$/,
    ],
    ['a status is gone', (now) => delete now.paths['/sp/v1/payment'].post.responses[409], /payment 409 is gone$/],
  ] as readonly (readonly [string, (now: Json) => unknown, RegExp])[]) {
    test(what, () => {
      const now = structuredClone(present);
      change(now);
      const breaks = findBreaks(present, now);
      assert.ok(
        breaks.some((each) => said.test(each)),
        breaks.join('\n'),
      );
    });
  }

  for (const [what, change] of [
    ['a call', (now) => (now.paths['/sp/v1/later'] = now.paths['/sp/v1/status'])],
    ['a field of an answer', (now) => (answer(now).properties.later = { type: 'string' })],
    ['an optional field of a request', (now) => (request(now).properties.later = { type: 'string' })],
    ['a reason', (now) => now.components.schemas.Fault.properties.reason.enum.push('later')],
    ['a kind of transaction', (now) => request(now).properties.transactionType.enum.push('LATER')],
  ] as readonly (readonly [string, (now: Json) => unknown])[]) {
    test(`${what} more breaks none`, () => {
      const now = structuredClone(present);
      change(now);
      assert.deepEqual(findBreaks(present, now), []);
    });
  }

  test('the closed sets are in the document', () => {
    const text = JSON.stringify(present);
    for (const name of closedSets) assert.match(text, new RegExp(`"${name}":\\{[^}]*"enum":`), name);
  });
});
