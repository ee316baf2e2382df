import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The platform's own timers. Their delays overflow (domain/long-timeout), and no test's clock moves them. */
const platform = /(?<![.\w#])set(?:Timeout|Interval)\((?!\w+: )|from 'node:timers|\bAbortSignal\.timeout\(/;

/** Delays that are constants, or bounded by their setting, and that no test needs to move. */
const constant = [
  'src/pos/api/docs-page.ts',
  'src/pos/api/tls-front.ts',
  'src/pos/peripherals/till-lines.ts',
  'src/admin/await-idle-command.ts',
  'src/admin/checks/devices.ts',
  'src/admin/fleet/retained-states.ts',
  'src/admin/selftest/selftest.ts',
  'src/admin/selftest/screen.ts',
  'src/admin/update-agent-command.ts',
  'src/base/domain/long-timeout.ts',
  'src/journal/idle-work.ts',
  'src/journal/worker.ts',
  'src/receipt/logo.ts',
  'src/receipt/picture.ts',
  'src/receipt/png-decoder.ts',
  'src/main/run.ts',
  'src/screen/server.ts',
  'src/main/stop-signal.ts',
  'src/observability/log.ts',
  'src/observability/status.ts',
  'src/observability/systemd-socket.ts',
  'src/observability/watchdog.ts',
  'src/admin/shell/conduct.ts',
];

test('whoever waits for a time that is given uses the clock of src/base/ports', () => {
  const files = globSync('{src,drivers}/**/*.ts', { cwd: root }).toSorted();
  assert.ok(files.length > 400);
  const found = files.filter((file) => platform.test(readFileSync(`${root}${file}`, 'utf8')));
  assert.deepEqual(found, constant.toSorted());
});
