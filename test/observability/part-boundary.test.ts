import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const module = fileURLToPath(new URL('../../src/observability/part-boundary.ts', import.meta.url));

/** A process of its own with a boundary: what it has printed and how it ended. */
function runBoundary(code: string) {
  const program = `
    import { PartBoundary } from ${JSON.stringify(module)};
    const boundary = new PartBoundary({ failure: (part, error) => console.log('failure', part, error.message), warn: () => {} });
    ${code}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  return { lines: stdout.trim().split('\n'), stderr, status };
}

test('what a part begins belongs to it: a timer, a promise and a listener of it end nothing', () => {
  const { lines, status } = runBoundary(`
    boundary.within('cloud', () => {
      setTimeout(() => { throw new Error('timer'); }, 1);
      setTimeout(() => Promise.reject(new Error('rejection')), 20);
    });
    boundary.notify('screen', () => { throw new Error('at once'); });
    boundary.onFailure('cloud', () => { console.log('restarted'); throw new Error('its restart'); });
    setTimeout(() => console.log('alive', JSON.stringify([...boundary.failures])), 60);
  `);
  assert.deepEqual(lines, [
    'failure screen at once',
    'failure cloud timer',
    'restarted',
    'failure cloud its restart',
    'failure cloud rejection',
    'restarted',
    'alive [["screen",1],["cloud",4]]',
  ]);
  assert.equal(status, 0);
});

test('the work of a payment that a part has asked for is not the part’s: its exception ends the process', () => {
  const { stderr, status } = runBoundary(`
    boundary.within('cloud', () => boundary.outside(() => setTimeout(() => { throw new Error('money'); }, 1)));
    setTimeout(() => console.log('alive'), 500);
  `);
  assert.notEqual(status, 0);
  assert.match(stderr, /money/);
});

test('the same failure is logged once, and counted each time', () => {
  const { lines } = runBoundary(`
    const fail = () => { throw new Error('again'); };
    for (let each = 0; each < 50; each++) boundary.notify('print', fail);
    console.log(boundary.failures.get('print'));
  `);
  assert.deepEqual(lines, ['failure print again', '50']);
});
