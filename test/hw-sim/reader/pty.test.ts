import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import tty from 'node:tty';
import { openPty } from '../../../hw-sim/pty.ts';
import { Neo2Reader } from '../../../hw-sim/reader/neo2/reader.ts';
import { hex } from './wire.ts';

test('the reader answers over a real pty, and its client sees it go', async (t) => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'neo2-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const pty = await openPty(path.join(dir, 'reader'));
  const reader = new Neo2Reader(pty, {
    bdk: hex('0123456789ABCDEFFEDCBA9876543210'),
    ksn: hex('FFFF9876543210E00000'),
  });
  t.after(async () => {
    await reader.close();
    await pty.close();
  });

  const { O_RDWR, O_NOCTTY } = fs.constants;
  const client = new tty.ReadStream(fs.openSync(pty.link, O_RDWR | O_NOCTTY));
  client.on('error', () => undefined);
  const gone = once(client, 'close');
  const answered = answerOf(client, 16);
  fs.writeFileSync(pty.link, hex('5669564F746563683200 18 01 0000 B3CD'));
  assert.equal(await answered, '5669564f74656368320018000000fa83');

  await reader.fault({ unplug: true });
  await gone;
  assert.equal(fs.existsSync(pty.link), false);
  assert.deepEqual(reader.unexpected, []);
});

function answerOf(client: tty.ReadStream, length: number): Promise<string> {
  return new Promise((resolve) => {
    let seen = '';
    client.on('data', (chunk: Buffer) => {
      seen += chunk.toString('hex');
      if (seen.length >= 2 * length) resolve(seen);
    });
  });
}
