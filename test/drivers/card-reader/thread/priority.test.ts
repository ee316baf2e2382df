import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** In a process without rights: what the tests run as may have them. */
const powerless = `
  const { raisePriority } = await import(process.argv[1]);
  process.setgroups?.([]);
  if (process.getuid?.() === 0) process.setuid(65534);
  console.log(JSON.stringify({ refused: raisePriority() }));
`;

test('a system that gives no priority is no fault: it is told why', () => {
  const module = new URL('../../../../drivers/card-reader/thread/priority.ts', import.meta.url).href;
  const script = process.getuid?.() === 0 ? powerless : powerless.replace('process.setgroups?.([]);', '');
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script, module], {
    encoding: 'utf8',
  });
  assert.match((JSON.parse(stdout || '{}') as { refused?: string }).refused ?? '', /denied|permitted/, stderr);
});
