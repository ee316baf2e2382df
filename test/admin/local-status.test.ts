import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { askLocalFleet, askLocalStatus } from '../../src/admin/local-status.ts';
import { ownDirectory, poid } from '../cli/poid.ts';
import { earlyHints, hostileServer, switchingProtocols } from '../base/dial/hostile-server.ts';

const example = readFileSync(new URL('../../systemd/poid.json', import.meta.url), 'utf8');

for (const [what, answer] of [
  ['status 101', switchingProtocols],
  ['interim answers without end', earlyHints.repeat(1_000)],
  ['what is not HTTP', 'no status\r\n\r\n'],
] as const) {
  test(`a program in place of the terminal that answers ${what} has no status`, { timeout: 20_000 }, async (t) => {
    const port = await hostileServer(t, (socket) => socket.write(answer));
    assert.equal(await askLocalStatus(port), 'unknown');
    assert.equal(await askLocalFleet(port), undefined);
  });
}

test('await-idle reports that the state is unknown', { timeout: 30_000 }, async (t) => {
  const port = await hostileServer(t, (socket) => socket.write(switchingProtocols));
  const file = path.join(await ownDirectory(t), 'poid.json');
  await writeFile(file, JSON.stringify({ ...(JSON.parse(example) as object), screen: { port } }));
  const { code, out } = await poid(t, 'await-idle', '--config', file);
  assert.deepEqual([code, out], [1, 'the terminal does not answer: its state is unknown\n']);
});
