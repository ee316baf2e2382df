import assert from 'node:assert/strict';
import { Gadgets, hidReader, serialReader, usbPrinter } from './machine/gadgets.ts';
import { testReady } from './machine/ready-terminal.ts';

const reader = serialReader('reader', 'SN-A');

testReady(
  'NEO2 on USB-CDC and a printer of the USB class: sales, a receipt, and the reader unplugged in each state',
  async (terminal) => {
    const { guest, shop } = terminal;
    const gadgets = await Gadgets.open(terminal);
    await gadgets.add(reader, 0);
    await gadgets.add(usbPrinter, 1);
    await gadgets.connect('/dev/ttyGS0', 'reader');
    await gadgets.connect('/dev/g_printer0', 'printer');
    await terminal.configure((settings) => ({
      ...settings,
      reader: { driver: 'neo2', path: '/dev/poid/reader' },
      printer: { driver: 'escpos', path: '/dev/poid/printer', columns: 48 },
    }));
    assert.match(await guest.outputOf('readlink -f /dev/poid/reader /dev/poid/printer'), /ttyACM0\n.*usb\/lp0$/);
    const absent = () =>
      terminal.statusUntil('the reader is gone', ({ devices }) => devices?.['reader']?.state === 'absent');
    const plugIn = async () => {
      await gadgets.plug(reader, 0);
      await shop.ready();
    };

    await terminal.assertSells('tapped');
    await terminal.until('the receipt is printed', async () =>
      (await terminal.paper()).includes('Visa') ? true : undefined,
    );
    await terminal.statusUntil('the printer tells of its paper', ({ devices }) => devices?.['printer']?.paper === 'ok');

    // Idle.
    await gadgets.unplug(reader);
    assert.equal((await absent()).devices?.['reader']?.reason, 'unplugged');
    await plugIn();

    // While it waits for a card.
    const collecting = await shop.begin('collecting', { preferredEntryMode: 'CARD' });
    await gadgets.unplug(reader);
    const { responseResult, financialImpact } = await collecting.answer;
    assert.deepEqual([responseResult, financialImpact], ['ERROR', 'NONE']);
    await plugIn();

    // With a chip in it, while the host authorizes.
    const postings = (await terminal.ledger()).length;
    await terminal.simulate('host/EDC', { mode: 'up', delayMs: 15_000 });
    const authorizing = await shop.begin('authorizing');
    await terminal.simulate('reader/insert', { card: 'visa', holdMs: 100_000 });
    await terminal.until('the host has it', async () =>
      (await terminal.ledger()).length > postings ? true : undefined,
    );
    await gadgets.unplug(reader);
    assert.equal((await authorizing.answer).responseResult, 'ERROR');
    await terminal.simulate('reader/remove', {});
    await terminal.simulate('host/EDC', { mode: 'up' });
    await plugIn();
    await terminal.until('it is reversed', async () =>
      (await shop.enquire('authorizing')).financialImpact === 'REVERSED' ? true : undefined,
    );

    // While the receipt waits for paper.
    await terminal.simulate('printer/fault', { paperOut: true });
    await terminal.assertSells('printing');
    await gadgets.unplug(reader);
    await absent();
    await guest.outputOf('curl -sf -X DELETE http://127.0.0.1:8090/api/printer/paper');
    await terminal.simulate('printer/fault', { paperOut: false });
    await terminal.until('the receipt is printed', async () =>
      (await terminal.paper()).includes('Visa') ? true : undefined,
    );
    await plugIn();
  },
);

testReady('two equal readers: none is used until the configuration names the serial number', async (terminal) => {
  const gadgets = await Gadgets.open(terminal);
  await gadgets.add(reader, 0);
  await gadgets.add(serialReader('other', 'SN-B'), 1);
  await gadgets.connect('/dev/ttyGS0', 'reader');
  await terminal.configure((settings) => ({ ...settings, reader: { driver: 'neo2', path: '/dev/poid/reader' } }));
  const { devices } = await terminal.statusUntil(
    'the reader is refused',
    (status) => status.devices?.['reader']?.reason === 'severalFit',
  );
  assert.equal(devices?.['reader']?.state, 'absent');
  assert.match(await terminal.guest.outputOf('journalctl -u poid --no-pager'), /SN-[AB].*SN-[AB]/);
  await terminal.configure((settings) => ({
    ...settings,
    reader: { driver: 'neo2', path: '/dev/poid/reader-SN-A', serial: 'SN-A' },
  }));
  await terminal.shop.ready();
});

testReady('a serial number that is the name of another port leads nowhere', async (terminal) => {
  const gadgets = await Gadgets.open(terminal);
  const { guest } = terminal;
  await terminal.configure((settings) => settings);
  /** The names of each reader that is plugged in, once there are so many. */
  const readers = (count: number) =>
    terminal.until(`${count} readers are there`, async () => {
      const said = await guest.outputOf(
        'for each in /dev/ttyACM*; do udevadm info --query=symlink --name=$each 2> /dev/null || true; done',
      );
      const found = said.split('\n').map((line) => line.split(' ').filter((each) => each.startsWith('poid/reader-')));
      const named = found.filter((names) => names.length > 0);
      return named.length === count ? named : undefined;
    });
  await gadgets.add(reader, 0);
  const [own = []] = await readers(1);
  const port = own.find((each) => each.startsWith('poid/reader-at-')) ?? assert.fail(own.join(' '));
  assert.ok(own.includes('poid/reader-SN-A'), own.join(' '));
  await gadgets.add(serialReader('other', port.replace('poid/reader-', '')), 1);
  const other = (await readers(2)).find((names) => !names.includes(port)) ?? assert.fail('both have one name');
  assert.equal(other.length, 1, other.join(' '));
  assert.equal(
    await guest.outputOf(`readlink -f /dev/${port}`),
    await guest.outputOf('readlink -f /dev/poid/reader-SN-A'),
  );
});

for (const model of ['mms', 'neo2'] as const) {
  testReady(`${model} on hidraw, by a USB gadget`, async (terminal) => {
    const gadgets = await Gadgets.open(terminal);
    const hid = hidReader(model);
    await gadgets.add(hid, 0);
    await terminal.simulatorWith(`--reader ${model === 'mms' ? 'mms' : 'neo2-hid'} --carrier stream`);
    await gadgets.connect('/dev/hidg0', 'reader', 64);
    const [vendorId, productId] = [hid.vendor, hid.product].map((id) => id.toString(16).padStart(4, '0'));
    const driver = model === 'mms' ? 'mms' : 'neo2';
    await terminal.configure((settings) => ({ ...settings, reader: { driver, hid: { vendorId, productId } } }));
    await terminal.shop.ready();
    await terminal.assertSells('sold');
    await gadgets.unplug(hid);
    await terminal.statusUntil('the reader is gone', ({ devices }) => devices?.['reader']?.state === 'absent');
    await gadgets.plug(hid, 0);
    await terminal.shop.ready();
  });
}
