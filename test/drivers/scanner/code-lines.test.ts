import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { CodeLines } from '../../../drivers/scanner/line/code-lines.ts';

async function linesOf(bytes: string, midLine = false): Promise<string[]> {
  const found: string[] = [];
  const lines = new CodeLines(midLine, (line) => found.push(line));
  lines.push(Buffer.from(bytes, 'latin1'));
  await setImmediate();
  return found;
}

test('CR, LF and CR LF end a line, and empty ones say nothing', async () => {
  assert.deepEqual(await linesOf('a\rb\nc\r\n\r\n\n\rd\re'), ['a', 'b', 'c', 'd']);
});

test('the rest of a line that is not wanted is left out', async () => {
  assert.deepEqual(await linesOf('a\rb\r', true), ['b']);
});

test('each line has its own room, and one character more tells that it was too long', async () => {
  const long = 'A'.repeat(512);
  assert.deepEqual(await linesOf(`${long}\r${long}\r${long}BC\r${long}\r`), [long, long, `${long}B`, long]);
});
