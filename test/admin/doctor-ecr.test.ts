import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkEcr } from '../../src/admin/doctor/settings.ts';
import { ecrSettings } from '../../src/config/ecr-settings.ts';

const ecr = ecrSettings.parse({
  tills: [
    { posId: 'POS-1', key: 'poid-test-key-16' },
    { posId: 'POS-2', key: 'poid-test-key-of-32-bytes-length' },
  ],
});
const running = (notificationsWaiting: number, notificationsGivenUp: number) => ({
  protocols: { ecr: { port: 9001, notificationsWaiting, notificationsGivenUp } },
});

test('the doctor names the port of ECR and who may call, and never a key', () => {
  assert.equal(checkEcr({}, undefined).verdict, 'SKIPPED');
  const stopped = checkEcr({ ecr }, undefined);
  assert.deepEqual(
    [stopped.verdict, stopped.detail],
    ['PASS', 'https on port 9001 for POS-1, POS-2, once the terminal runs'],
  );
  const { verdict, detail } = checkEcr({ ecr }, running(0, 0));
  assert.deepEqual([verdict, detail], ['PASS', 'https on port 9001 for POS-1, POS-2']);
});

test('notifications that wait or were given up are a warning, with what mends it', () => {
  for (const [waiting, givenUp, words] of [
    [2, 0, /2 notifications wait/],
    [1, 3, /3 notifications were given up, 1 wait/],
  ] as const) {
    const finding = checkEcr({ ecr }, running(waiting, givenUp));
    assert.equal(finding.verdict, 'WARN');
    assert.match(finding.detail, words);
    assert.match(JSON.stringify(finding), /ecr\.tills\[\]\.notify/);
  }
});
