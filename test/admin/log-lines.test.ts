import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readLines } from '../../src/admin/log-lines.ts';

async function linesOf(...chunks: string[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(chunks.map((each) => Buffer.from(each, 'latin1')))))
    lines.push(line);
  return lines;
}

test('lines, however they are cut, with and without an end', async () => {
  assert.deepEqual(await linesOf('one\ntw', 'o\r\n', '\nthree'), ['one', 'two', '', 'three']);
  assert.deepEqual(await linesOf('caf\u00c3', '\u00a9\n'), ['café']);
});

test('the rest of a long line is left out, and the lines after it are read', async () => {
  const long = 'a'.repeat(50_000);
  const [first = '', second] = await linesOf(long, long, `${long}\nnext\n`);
  assert.deepEqual([first.length, second], [65_536, 'next']);
});
