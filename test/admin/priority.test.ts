import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { checkPriority } from '../../src/admin/doctor/doctor.ts';
import { machineAt } from '../../src/admin/machine.ts';
import type { Configuration } from '../../src/config/configuration.ts';

const onLine = { reader: { driver: 'neo2', path: '/dev/poid/reader' } } as Configuration;
const onHid = { reader: { driver: 'mms', hid: { vendorId: '0801', productId: '2020' } } } as Configuration;

/** A machine whose service has threads of these nice values. */
function machineWith(t: TestContext, values: readonly number[], pid = '17') {
  const root = mkdtempSync(path.join(tmpdir(), 'poid-priority-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const [thread, value] of values.entries()) {
    const dir = path.join(root, `proc/${pid}/task/${thread}`);
    mkdirSync(dir, { recursive: true });
    // A thread may have any name.
    writeFileSync(path.join(dir, 'stat'), `${thread} (a) S 1 (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 20 ${value} 11 0`);
  }
  return { ...machineAt(root), run: () => `${pid}\n` };
}

test('poid doctor: the reader’s thread is before others, or not; where there is none it is not looked for', (t) => {
  const passed = checkPriority(machineWith(t, [0, -10, 0]), onLine);
  assert.deepEqual([passed.verdict, passed.detail], ['PASS', 'the reader’s thread is before others (-10)']);
  const stream = { reader: { driver: 'mms', hid: { stream: '/dev/ttyS1' } } } as Configuration;
  const warned = checkPriority(machineWith(t, [0, 0, 5]), stream);
  assert.equal(warned.verdict, 'WARN');
  assert.match(warned.remedy ?? '', /LimitNICE=-10.*systemctl restart poid/);
  assert.equal(checkPriority(machineWith(t, [0, 0]), onHid).verdict, 'SKIPPED');
  assert.equal(checkPriority(machineWith(t, [], '0'), onLine).verdict, 'SKIPPED');
  assert.equal(checkPriority({ ...machineAt('/'), run: () => undefined }, onLine).verdict, 'SKIPPED');
});
