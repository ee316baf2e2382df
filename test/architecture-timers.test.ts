import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The platform's own timers. Their delays overflow (domain/long-timeout), and no test's clock moves them. */
const platform = /(?<![.\w#])set(?:Timeout|Interval)\((?!\w+: )|from 'node:timers|\bAbortSignal\.timeout\(/;

/** Delays that are constants, or bounded by their setting, and that no test needs to move. */
const constant = [
  'src/api/docs-page.ts',
  'src/api/tls-front.ts',
  'src/commissioning/await-idle-command.ts',
  'src/commissioning/checks/devices.ts',
  'src/commissioning/fleet/retained-states.ts',
  'src/commissioning/local-status.ts',
  'src/commissioning/selftest/scan.ts',
  'src/commissioning/selftest/screen.ts',
  'src/commissioning/update-agent-command.ts',
  'src/domain/long-timeout.ts',
  'src/journal/idle-work.ts',
  'src/journal/worker.ts',
  'src/receipt/logo.ts',
  'src/receipt/picture.ts',
  'src/receipt/png-decoder.ts',
  'src/run.ts',
  'src/screen/watchers.ts',
  'src/stop-signal.ts',
  'src/supervision/answer-within.ts',
  'src/supervision/line-output.ts',
  'src/supervision/status.ts',
  'src/supervision/systemd-socket.ts',
  'src/supervision/watchdog.ts',
  'src/till/conduct.ts',
];

test('whoever waits for a time that is given uses the clock of src/ports', () => {
  const files = globSync('{src,drivers}/**/*.ts', { cwd: root }).toSorted();
  assert.ok(files.length > 400);
  const found = files.filter((file) => platform.test(readFileSync(`${root}${file}`, 'utf8')));
  assert.deepEqual(found, constant);
});
