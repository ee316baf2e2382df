import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ProtocolName } from '../../../hw-sim/wires/protocol.ts';
import { Wires } from '../../../hw-sim/wires/record.ts';
import { shownFrame, shownWhole } from '../../../hw-sim/wires/shown.ts';
import type { Tap } from '../../../hw-sim/wires/tap.ts';
import { vector } from './shown-fields.ts';

interface Stage {
  readonly wires: Wires;
  readonly open: () => Tap;
  clock: number;
  /** Kind, direction, summary of each frame. */
  readonly reported: () => string[];
}

function stage(protocol: ProtocolName): Stage {
  const made: { clock: number } = { clock: 1000 };
  const wires = new Wires(() => made.clock);
  const open = wires.add('line', protocol);
  return Object.assign(made, {
    wires,
    open,
    reported: () =>
      wires.frames().map((frame) => `${frame.kind} ${frame.direction} ${shownFrame(frame, protocol).summary}`),
  });
}

const ping = vector('frames/neo2.json', 'ping');
const pong = vector('frames/neo2.json', 'ping answer');
const sale = vector('messages/terminal.json', 'sale');
const approval = vector('messages/iso8583.json', '0210 approve');

describe('frames of a serial line', () => {
  test('however the bytes come', () => {
    for (let at = 1; at < ping.length; at++) {
      const { open, reported } = stage('NEO2');
      const tap = open();
      tap.came(ping.subarray(0, at));
      tap.came(Buffer.concat([ping.subarray(at), ping]));
      tap.left(pong);
      const command = 'frame fromTerminal 18-01 ping';
      assert.deepEqual(reported(), [command, command, 'frame toTerminal 18/00 ping: OK'], `cut at ${at}`);
    }
  });

  test('noise before a frame, and a frame whose CRC is wrong', () => {
    const { open, reported } = stage('NEO2');
    const wrong = Buffer.from(ping);
    wrong[14] = 0;
    open().came(Buffer.concat([Buffer.from('FF00', 'hex'), wrong, ping]));
    const noise = 'noise fromTerminal bytes that are no frame';
    assert.deepEqual(reported(), [noise, noise, 'frame fromTerminal 18-01 ping']);
  });

  test('the rest of a frame that comes too late belongs to nothing', () => {
    const made = stage('NEO2');
    const tap = made.open();
    tap.came(ping.subarray(0, 12));
    made.clock += 2001;
    tap.came(ping);
    assert.deepEqual(made.reported(), ['noise fromTerminal bytes that are no frame', 'frame fromTerminal 18-01 ping']);
    tap.came(ping.subarray(0, 12));
    assert.equal(made.reported().length, 2);
    made.clock += 2001;
    assert.equal(made.reported().length, 3);
  });

  test('a command to the printer that comes in two reads is not cut in two', () => {
    const made = stage('ESC/POS');
    const tap = made.open();
    tap.came(Buffer.from('1D7630000100', 'hex'));
    tap.came(Buffer.from('0200FF00100404', 'hex'));
    assert.deepEqual(
      made.wires.frames().map(({ payload }) => payload.toString('hex')),
      ['1d7630000100' + '0200ff00' + '100404'],
    );
  });
});

describe('frames in HID reports', () => {
  test('a NEO2 answer of several reports is one frame', () => {
    const made = stage('NEO2 over HID');
    const tap = made.open();
    const frame = vector('frames/neo2.json', 'apply host response, approved, with scripts');
    const reports = [frame.subarray(0, 63), frame.subarray(63)].map((part, index) =>
      Buffer.concat([Buffer.of(index === 0 ? 2 : 4), part, Buffer.alloc(63 - part.length)]),
    );
    for (const report of reports) tap.came(report);
    const [only, ...others] = made.wires.frames();
    assert.deepEqual([only?.payload, only?.wireBytes, only?.reports, others], [frame, 128, 2, []]);
  });

  test('an MMS message in one report', () => {
    const made = stage('MMS');
    const cancel = vector('frames/mms.json', 'cancel');
    const report = Buffer.concat([Buffer.of(0, cancel.length), cancel, Buffer.alloc(62 - cancel.length)]);
    made.open().left(report);
    assert.deepEqual(made.reported(), ['frame toTerminal 1008 cancel transaction, request']);
  });
});

describe('frames of HTTP', () => {
  test('with a length, in chunks, and without a body, back to back', () => {
    const made = stage('HTTP');
    const [sized, chunked, bare] = [
      'HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n{"respcd":"0000"}',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n{"respcd":"1145"}\r\n0\r\n\r\n',
      'HTTP/1.1 204 No Content\r\n\r\n',
    ];
    const all = Buffer.from(sized + chunked + bare);
    for (let at = 1; at < all.length; at++) {
      made.wires.clear();
      const tap = made.open();
      tap.left(all.subarray(0, at));
      tap.left(all.subarray(at));
      assert.deepEqual(
        made.reported().slice(1),
        ['HTTP 200 · 0000 success', 'HTTP 200 · 1145 processing', 'HTTP 204'].map((each) => `frame toTerminal ${each}`),
        `cut at ${at}`,
      );
    }
  });
});

describe('connections', () => {
  test('each has its own frames, its beginning and its end', () => {
    const made = stage('ISO 8583');
    const [one, two] = [made.open(), made.open()];
    one.came(sale.subarray(0, 50));
    two.came(sale);
    one.came(sale.subarray(50));
    one.left(approval);
    two.came(sale.subarray(0, 9));
    two.closed();
    assert.deepEqual(
      made.wires.frames().map(({ connection, kind, direction }) => `${connection} ${kind} ${direction}`),
      [
        '1 opened fromTerminal',
        '2 opened fromTerminal',
        '2 frame fromTerminal',
        '1 frame fromTerminal',
        '1 frame toTerminal',
        '2 noise fromTerminal',
        '2 closed toTerminal',
      ],
    );
  });
});

describe('what is kept', () => {
  test('nothing is cut before somebody looks, and the bytes are those of then', () => {
    const made = stage('NEO2');
    const tap = made.open();
    const bytes = Buffer.from(ping);
    tap.came(bytes);
    bytes.fill(0);
    made.clock = 5000;
    const [frame] = made.wires.frames();
    assert.deepEqual([frame?.atMs, frame?.payload], [1000, ping]);
  });

  test('the latest of each line; a busy line drops nothing of another', () => {
    const wires = new Wires(() => 0);
    const busy = wires.add('busy', 'NEO2')();
    const quiet = wires.add('quiet', 'NEO2')();
    quiet.came(ping);
    for (let count = 0; count < 5000; count++) busy.came(ping);
    assert.equal(wires.frames({ line: 'quiet' }).length, 1);
    const kept = wires.frames({ line: 'busy' });
    assert.equal(kept.length, 2000);
    // Also of those that were cut already.
    busy.came(ping);
    const next = wires.frames({ line: 'busy' });
    assert.deepEqual([next.length, next[0]?.id], [2000, (kept[0]?.id ?? 0) + 1]);
    assert.equal(wires.frame(kept[0]?.id ?? 0), undefined);
  });

  test('at most so many bytes', () => {
    const wires = new Wires(() => 0);
    const tap = wires.add('line', 'ESC/POS')();
    const text = Buffer.alloc(1024 * 1024, 'a');
    for (let count = 0; count < 5; count++) tap.came(text);
    assert.equal(wires.frames().length, 2);
  });

  test('frames after a number, and none after clearing', () => {
    const made = stage('NEO2');
    const tap = made.open();
    tap.came(ping);
    tap.left(pong);
    const [first, second] = made.wires.frames();
    assert.deepEqual(made.wires.frames({ after: first?.id ?? 0 }), [second]);
    made.wires.clear();
    assert.deepEqual(made.wires.frames(), []);
    tap.came(ping);
    assert.equal(made.wires.frames()[0]?.id, (second?.id ?? 0) + 1);
  });

  test('a frame as the control interface tells it: hidden bytes are stars', () => {
    const made = stage('scanner');
    made.open().left(Buffer.from('289431\r\n'));
    const [frame] = made.wires.frames();
    assert.ok(frame);
    const { bytes, summary, length } = shownWhole(frame, 'scanner');
    assert.deepEqual([bytes, summary, length], ['****393433310D0A', 'a code of 6 characters', 8]);
  });
});
