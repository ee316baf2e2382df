import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** What an event says of the position of a transaction is decided in one place. */
const decides = 'src/payment/records/evidence.ts';

/** These put events into words, one by one, or keep them as they are. */
const describes = [
  'src/admin/journal/story.ts',
  'src/payment/events/format.ts',
  'src/operator/story.ts',
  'src/observability/transaction-log.ts',
];

/** These list the kinds that they leave to it. */
const passes = ['src/journal/projection.ts', 'src/payment/records/record.ts'];

const root = fileURLToPath(new URL('..', import.meta.url));

const kinds = [
  'reversalAcknowledged',
  'adviceAnswered',
  'setAside',
  'resolved',
  'orderClosed',
  'orderLookedAt',
  'approvedLate',
];

/** A comparison with such an event, a case, or a list to look it up in. What writes one has `kind:` before it. */
const named = `'(?:${kinds.join('|')})'`;
const reads = [
  new RegExp(String.raw`\bkind [=!]== ${named}`),
  new RegExp(String.raw`\bcase ${named}:`),
  new RegExp(String.raw`kind\)? [=!]==? ${named}`),
  new RegExp(String.raw`\[(?:[^\]]*, )?${named}(?:,[^\]]*)?\]`),
  new RegExp(String.raw`^\s*${named},$`),
  new RegExp(String.raw`\.includes\(${named}\)`),
];

function readingLines(text: string): string[] {
  return text.split('\n').filter((line) => reads.some((read) => read.test(line)));
}

/** Other closed sets have words of the same name. */
const others: readonly RegExp[] = [
  /^src\/operator\/menu(-request)?\.ts$/,
  /^src\/pos\/api\/openapi-/,
  /^src\/screen\/page\//,
];

/** Questions of their own: approvals that a host repeats, a former format, what a host says of the terminal itself. */
const ownSubject = [
  'src/methods/card/late-answers.ts',
  'src/payment/events/format.ts',
  'src/observability/commissioning-faults.ts',
];

test('no other module decides by an event that settles, sets aside or closes a transaction', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) =>
      file !== decides &&
      ![...describes, ...passes, ...ownSubject].includes(file) &&
      !others.some((other) => other.test(file)),
  );
  assert.ok(files.length > 400, `only ${files.length} files were read`);
  const found = files.flatMap((file) =>
    readingLines(readFileSync(path.join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(found, []);
});

test('such a decision is noticed', () => {
  for (const line of [
    "    case 'setAside':",
    "  const known = events.findIndex(({ event }) => event.kind === 'resolved');",
    "const through = ['reversalAcknowledged', 'setAside', 'resolved', 'withdrawn'];",
    "  'orderLookedAt',",
    "  if (kinds.includes('resolved')) return;",
  ]) {
    assert.deepEqual(readingLines(line), [line]);
  }
  for (const line of ["  return [...events, { kind: 'resolved' }];", "    kind: z.literal('setAside'),"]) {
    assert.deepEqual(readingLines(line), []);
  }
});
