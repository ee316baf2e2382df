import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('main.ts', import.meta.url));

test('a fleet of 200 loses and doubles nothing while its broker is killed', { timeout: 120_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--terminals', '200']);
  const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, number>;
  assert.ok((figures['payments'] ?? 0) > 100, stdout);
  const wrong = ['booksLost', 'booksDoubled', 'booksOutOfOrder', 'paymentsToldAndNotBooked', 'paymentsUnanswered'];
  assert.deepEqual(
    wrong.map((name) => figures[name]),
    wrong.map(() => 0),
  );
});
