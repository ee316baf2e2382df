import assert from 'node:assert/strict';
import { testReady } from './machine/ready-terminal.ts';

for (const model of ['mms', 'neo2'] as const) {
  testReady(`${model} on hidraw, by uhid`, async (terminal) => {
    await terminal.guest.outputOf('modprobe uhid && udevadm settle');
    await terminal.simulatorWith(`--reader ${model === 'mms' ? 'mms' : 'neo2-hid'} --carrier uhid`);
    await terminal.configure((settings, simulated) => ({ ...settings, reader: simulated['reader'] }));
    await terminal.shop.ready();
    assert.match(await terminal.guest.outputOf('readlink -f /dev/poid/reader-hid'), /hidraw\d$/);
    await terminal.assertSells('sold');
    await terminal.simulate('reader/fault', { unplug: true });
    await terminal.statusUntil('the reader is gone', ({ devices }) => devices?.['reader']?.state === 'absent');
    await terminal.simulate('reader/fault', { unplug: false });
    await terminal.shop.ready();
  });
}
