import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const script = readFileSync(new URL('../../bin/adopt-serial-number', import.meta.url), 'utf8');
/** The part that judges the text, as it stands in the script. */
const judging = script.slice(script.indexOf('case $number in'), script.indexOf('if [ "$valid" = no ]'));

function isValid(number: string): boolean {
  const text = `number=$1\n${judging}\necho "$valid"`;
  return execFileSync('sh', ['-euc', text, 'sh', number], { encoding: 'utf8' }).trim() === 'yes';
}

test('a serial number is one line of its letters, whatever else stands before or after it', () => {
  for (const number of ['PT-000123', '7', 'A.b_c-9', 'S'.repeat(32)]) assert.ok(isValid(number), number);
  for (const number of [
    '',
    '-1',
    '.x',
    'S'.repeat(33),
    'SHOP-B\n../../<b>',
    '<b>\nSHOP-B',
    'A B',
    'A\u001b[31m',
    'é',
  ]) {
    assert.ok(!isValid(number), JSON.stringify(number));
  }
});
