import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { bodyText } from '../../../src/base/http/body.ts';

const headers = { 'content-type': 'application/json' };
const limits = { bytesMax: 8, drainBytesMax: 8 };

/** A request whose body comes as these chunks, each in the same buffer, as if that were used again at once. */
function requestOf(chunks: readonly string[]): IncomingMessage {
  const shared = Buffer.alloc(16);
  async function* body() {
    for (const chunk of chunks) yield shared.subarray(0, shared.write(chunk));
  }
  const request = { headers, rawHeaders: Object.entries(headers).flat(), socket: {} };
  return Object.assign(body(), request) as unknown as IncomingMessage;
}

test('a body is copied from its chunks, which are not kept', async () => {
  for (const [text, ...chunks] of [
    ['', ''],
    ['abc', 'abc'],
    ['abcdefg', 'a', 'b', 'c', 'd', 'e', 'f', 'g'],
    ['abcdefgh', 'ab', '', 'cdefgh'],
    ['é', 'é'],
  ] as const)
    assert.equal(await bodyText(requestOf(chunks), limits), text);
});

test('a body that is too large is not kept', async () => {
  for (const chunks of [['abcdefgh', 'i'], Array<string>(9).fill('a'), Array<string>(99).fill('a')])
    assert.deepEqual(await bodyText(requestOf(chunks), limits), { refused: 'too-large' });
});

test('bytes that are not UTF-8 are refused, also where they are cut', async () => {
  const whole = Buffer.from('é').toString('latin1');
  const [first = '', second = ''] = whole;
  async function* body() {
    yield Buffer.from(first, 'latin1');
    if (isWhole) yield Buffer.from(second, 'latin1');
  }
  let isWhole = true;
  const read = () =>
    bodyText(
      Object.assign(body(), { headers, rawHeaders: Object.entries(headers).flat(), socket: {} }) as never,
      limits,
    );
  assert.equal(await read(), 'é');
  isWhole = false;
  assert.deepEqual(await read(), { refused: 'not-utf8' });
});
