import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { StreamReports } from '../../../../hw-sim/reader/reports/stream.ts';
import { MemoryPty } from '../wire.ts';

const one = '11'.repeat(64);
const two = '22'.repeat(64);

interface Stage {
  readonly pty: MemoryPty;
  readonly port: StreamReports;
  readonly reports: string[];
  readonly unexpected: string[];
}

function opened(t: TestContext, reportGapMs?: number): Stage {
  const pty = new MemoryPty();
  const port = new StreamReports(pty, reportGapMs === undefined ? {} : { reportGapMs });
  const reports: string[] = [];
  const unexpected: string[] = [];
  port.onReport((report) => reports.push(report.toString('hex')));
  port.onUnexpected((bytes) => unexpected.push(bytes.toString('hex')));
  t.after(() => port.close());
  return { pty, port, reports, unexpected };
}

describe('reports back to back', () => {
  test('however the stream is cut', (t) => {
    const { pty, reports, unexpected } = opened(t);
    for (let cut = 0; cut <= 256; cut += 2) {
      pty.send((one + two).slice(0, cut));
      pty.send((one + two).slice(cut));
      assert.deepEqual(reports.splice(0), [one, two], `cut at ${cut / 2}`);
    }
    for (const byte of (one + two).match(/../g) ?? []) pty.send(byte);
    assert.deepEqual(reports, [one, two]);
    assert.deepEqual(unexpected, []);
  });

  test('outward as they are', (t) => {
    const { pty, port } = opened(t);
    port.write(Buffer.from(one + two, 'hex'));
    assert.equal(pty.sent(), one + two);
    assert.equal(port.carrier, 'stream');
    assert.equal(port.link, '/nowhere');
  });

  test('one that does not go on is given up, and the next byte begins a new one', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reports, unexpected } = opened(t, 50);
    pty.send(one + two.slice(0, 20));
    t.mock.timers.tick(49);
    pty.send('22');
    t.mock.timers.tick(49);
    assert.deepEqual(unexpected, []);
    t.mock.timers.tick(1);
    assert.deepEqual(unexpected, ['22'.repeat(11)]);
    pty.send(two);
    t.mock.timers.tick(1000);
    assert.deepEqual(reports, [one, two]);
    assert.equal(unexpected.length, 1);
  });

  test('unplugged, half a report is forgotten', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, port, reports, unexpected } = opened(t);
    pty.send(two.slice(0, 20));
    await port.unplug();
    assert.equal(port.plugged, false);
    t.mock.timers.tick(10_000);
    await port.plug();
    assert.equal(port.plugged, true);
    pty.send(one);
    assert.deepEqual(reports, [one]);
    assert.deepEqual(unexpected, []);
  });
});
