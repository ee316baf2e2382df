import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import tty from 'node:tty';
import { MmsReader } from '../../../../hw-sim/reader/mms/reader.ts';
import { hidIdentities } from '../../../../hw-sim/reader/reports/identity.ts';
import { openReports } from '../../../../hw-sim/reader/reports/open.ts';
import { fixture, messagesOf, reportsOf } from '../mms/wire.ts';
import { keys } from '../stage.ts';
import { hex } from '../wire.ts';

test('the MMS reader answers in reports over a real pty, and its client sees it go', async (t) => {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'mms-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const link = path.join(dir, 'reader');
  const port = await openReports({ identity: hidIdentities.mms, link, carrier: 'stream' });
  const reader = new MmsReader(port, keys);
  t.after(async () => {
    await reader.close();
    await port.close();
  });

  const { O_RDWR, O_NOCTTY } = fs.constants;
  const client = new tty.ReadStream(fs.openSync(link, O_RDWR | O_NOCTTY));
  client.on('error', () => undefined);
  const gone = once(client, 'close');
  const answered = new Promise<string>((resolve) => {
    let seen = '';
    client.on('data', (chunk: Buffer) => {
      seen += chunk.toString('hex');
      if (seen.length >= 128) resolve(seen);
    });
  });
  fs.writeFileSync(link, hex(reportsOf(fixture('start, all interfaces, 60 s, 1.00 USD'))));
  assert.deepEqual(messagesOf(await answered), [fixture('start answer').replace('8201', '8200')]);
  assert.equal(reader.armed, true);

  await reader.fault({ unplug: true });
  await gone;
  assert.equal(fs.existsSync(link), false);
  assert.deepEqual(reader.unexpected, []);
});
