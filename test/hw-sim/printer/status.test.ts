import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PrinterFault } from '../../../hw-sim/printer/printer.ts';
import { Wire } from './wire.ts';

const requests = ['100401', '100402', '100403', '100404'] as const;

/** What each of DLE EOT 1 to 4 answers while the fault lasts; values as published (Epson TM-T88III and TM-U220). */
const published: readonly [fault: PrinterFault, answers: readonly [string, string, string, string]][] = [
  [{}, ['12', '12', '12', '12']],
  [{ coverOpen: true }, ['1a', '16', '12', '12']],
  [{ paperOut: true }, ['1a', '32', '12', '72']],
  [{ paperOut: true, paperNearEnd: true }, ['1a', '32', '12', '7e']],
  [{ paperNearEnd: true }, ['12', '12', '12', '1e']],
  [{ cutterError: true }, ['1a', '52', '1a', '12']],
];

describe('real-time status', () => {
  for (const [fault, answers] of published) {
    it(`answers DLE EOT 1 to 4 with ${answers.join(' ')} on ${JSON.stringify(fault)}`, async () => {
      const wire = new Wire();
      await wire.printer.fault(fault);
      for (const [at, request] of requests.entries()) {
        wire.send(request);
        assert.equal(wire.received(), answers[at]);
      }
      assert.equal(wire.printer.state().droppedBytes, 0);
      assert.deepEqual(wire.printer.unexpected, []);
    });
  }

  it('answers a request that comes byte by byte, once', () => {
    const wire = new Wire();
    wire.send('10', '04', '01', '31 0a');
    assert.equal(wire.received(), '12');
    assert.equal(wire.printer.paper.text(), '1\n');
  });

  it('tells what was printed before the request, not after it', async () => {
    const wire = new Wire();
    await wire.printer.fault({ paperOutAfter: 2 });
    wire.send('41 0a 100404 42 0a 100404 43 0a 100404');
    assert.equal(wire.received(), '127272');
    assert.equal(wire.printer.paper.text(), 'A\nB\n');
  });

  it('obeys a request within image data, and records it', () => {
    const wire = new Wire();
    wire.send('1d7630 00 0300 0100 100401');
    assert.equal(wire.received(), '12');
    assert.equal(wire.printer.unexpected.length, 1);
    assert.match(wire.printer.unexpected[0]?.why ?? '', /within the data of another command/);
    assert.equal(wire.printer.paper.text(), '[image 24x1]\n');
  });

  it('does not know DLE EOT 5', () => {
    const wire = new Wire();
    wire.send('100405');
    assert.equal(wire.received(), '');
    assert.equal(wire.printer.unexpected[0]?.hex, '100405');
  });

  it('answers nothing while silent, and prints', async () => {
    const wire = new Wire();
    await wire.printer.fault({ silent: true });
    wire.send('41 0a 100401');
    assert.equal(wire.received(), '');
    assert.equal(wire.printer.paper.text(), 'A\n');
    await wire.printer.fault({ silent: false });
    wire.send('100401');
    assert.equal(wire.received(), '12');
  });
});

describe('automatic status back', () => {
  it('sends the status once when GS a asks for it, then at every change', async () => {
    const wire = new Wire();
    wire.send('1d61ff');
    assert.equal(wire.received(), '10000000');
    await wire.printer.fault({ coverOpen: true });
    assert.equal(wire.received(), '38000000');
    await wire.printer.fault({ coverOpen: true });
    assert.equal(wire.received(), '');
    await wire.printer.fault({ coverOpen: false, paperNearEnd: true });
    assert.equal(wire.received(), '10000300');
    await wire.printer.fault({ paperOut: true });
    assert.equal(wire.received(), '18000f00');
  });

  it('sends only what the mask asks for, and nothing after GS a 0', async () => {
    const wire = new Wire();
    wire.send('1d6108');
    assert.equal(wire.received(), '10000000');
    await wire.printer.fault({ coverOpen: true });
    assert.equal(wire.received(), '');
    await wire.printer.fault({ coverOpen: false });
    wire.send('1d6100');
    await wire.printer.fault({ paperNearEnd: true });
    assert.equal(wire.received(), '');
  });

  it('has byte 1 apart from every real-time answer: 0xx1xx00 against 0xx1xx10', async () => {
    const wire = new Wire();
    wire.send('1d61ff');
    wire.received();
    for (const fault of ['coverOpen', 'paperOut', 'cutterError'] as const) {
      await wire.printer.fault({ [fault]: true });
      const report = Buffer.from(wire.received(), 'hex');
      assert.equal(report.length, 4);
      assert.equal((report[0] ?? 0) & 0x93, 0x10);
    }
  });
});

describe('off-line', () => {
  it('takes no data, counts what it lost, and prints again afterwards', async () => {
    const wire = new Wire();
    await wire.printer.fault({ paperOut: true });
    wire.print('lost\n');
    wire.send('100404', '10', '0404');
    assert.equal(wire.received(), '7272');
    assert.equal(wire.printer.state().droppedBytes, 5);
    await wire.printer.fault({ paperOut: false });
    wire.print('kept\n');
    assert.equal(wire.printer.paper.text(), 'kept\n');
  });

  it('runs out of paper in the middle of a job', async () => {
    const wire = new Wire();
    await wire.printer.fault({ paperOutAfter: 1 });
    wire.print('one\ntwo\nthree\n');
    assert.equal(wire.printer.paper.text(), 'one\n');
    assert.equal(wire.printer.state().paperOut, true);
    assert.equal(wire.printer.state().droppedBytes, 'two\nthree\n'.length);
  });

  it('forgets half a command when it goes off-line', async () => {
    const wire = new Wire();
    wire.send('1d7630 00 0200 0200 ff');
    await wire.printer.fault({ coverOpen: true });
    await wire.printer.fault({ coverOpen: false });
    wire.print('whole\n');
    assert.equal(wire.printer.paper.text(), 'whole\n');
    assert.equal(wire.printer.state().droppedBytes, 9);
  });

  it('forgets modes with the power, when it is unplugged', async () => {
    const wire = new Wire();
    wire.send('1d6108 1b6102 1d76');
    wire.received();
    await wire.printer.fault({ unplug: true });
    assert.equal(wire.printer.state().connected, false);
    await wire.printer.fault({ unplug: false, paperNearEnd: true });
    assert.equal(wire.printer.state().connected, true);
    assert.equal(wire.received(), '');
    wire.print('left\n');
    assert.equal(wire.printer.paper.text(), 'left\n');
  });

  it('is as new after a reset', async () => {
    const wire = new Wire();
    wire.send('1b21 30 41 0a 1bff 1b70 00 32 fa');
    await wire.printer.fault({ paperOut: true, silent: true, unplug: true });
    await wire.printer.reset();
    const { paperRevision, ...state } = wire.printer.state();
    assert.ok(paperRevision > 0);
    assert.deepEqual(state, {
      connected: true,
      paperOut: false,
      coverOpen: false,
      cutterError: false,
      paperNearEnd: false,
      silent: false,
      drawerKicks: 0,
      droppedBytes: 0,
      unexpected: [],
    });
    assert.equal(wire.printer.paper.text(), '');
  });
});
