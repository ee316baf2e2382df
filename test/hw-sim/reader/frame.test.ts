import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Arrival, CommandDecoder, crc16, responseFrame } from '../../../hw-sim/reader/neo2/frame.ts';
import { command, crc, hex } from './wire.ts';

interface Frame {
  readonly name: string;
  readonly direction: 'command' | 'response' | 'event';
  readonly hex: string;
  readonly crc: 'lsb-first' | 'msb-first';
}

const { frames } = JSON.parse(readFileSync(new URL('../../../fixtures/frames/neo2.json', import.meta.url), 'utf8')) as {
  readonly frames: readonly Frame[];
};
const whole = frames.filter((frame) => frame.hex.startsWith('5669564f7465636832'));
const commands = whole.filter((frame) => frame.direction === 'command' && frame.crc === 'lsb-first');
const responses = whole.filter((frame) => frame.direction === 'response');

const ping = '5669564F746563683200 18 01 0000 B3CD';
const activation =
  '5669564f746563683200024000221e9c01009f02060000000001009f0306000000000000dfef370107dfef3c0301006018d1';

describe('published frames', () => {
  test('there are enough of them', () => {
    assert.ok(commands.length >= 8, `${commands.length} commands`);
    assert.ok(responses.length >= 5, `${responses.length} responses`);
  });

  for (const frame of commands) {
    test(`command: ${frame.name}`, () => {
      const bytes = hex(frame.hex);
      const arrivals = new CommandDecoder().push(bytes);
      assert.deepEqual(arrivals, [
        {
          kind: 'command',
          command: { command: bytes[10], subCommand: bytes[11], data: bytes.subarray(14, -2), bytes },
        },
      ]);
    });
  }

  for (const frame of responses) {
    test(`response: ${frame.name}`, () => {
      const bytes = hex(frame.hex);
      const built = responseFrame(bytes.readUInt8(10), bytes.readUInt8(11), bytes.subarray(14, -2));
      assert.equal(built.toString('hex'), frame.hex);
    });
  }

  test('the check value of CRC-16/CCITT-FALSE', () => {
    assert.equal(crc16(Buffer.from('123456789')), 0x29b1);
    assert.equal(crc(Buffer.from('123456789')), 0x29b1);
  });
});

describe('a stream of commands', () => {
  test('byte by byte', () => {
    const decoder = new CommandDecoder();
    const arrivals = [...hex(activation)].flatMap((byte) => decoder.push(Buffer.of(byte)));
    assert.deepEqual(namesOf(arrivals), ['02-40']);
    assert.equal(decoder.pendingBytes, 0);
  });

  test('several at once', () => {
    const arrivals = new CommandDecoder().push(hex(ping + activation + ping));
    assert.deepEqual(namesOf(arrivals), ['18-01', '02-40', '18-01']);
  });

  test('cut anywhere', () => {
    const bytes = hex(ping + activation);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new CommandDecoder();
      const arrivals = [...decoder.push(bytes.subarray(0, cut)), ...decoder.push(bytes.subarray(cut))];
      assert.deepEqual(namesOf(arrivals), ['18-01', '02-40'], `cut at ${cut}`);
    }
  });

  test('every truncation is no command yet', () => {
    const bytes = hex(activation);
    for (let length = 0; length < bytes.length; length++) {
      const decoder = new CommandDecoder();
      assert.deepEqual(decoder.push(bytes.subarray(0, length)), []);
      assert.equal(decoder.pendingBytes, length);
    }
  });

  test('every flipped bit is noticed, and the next command is found', () => {
    const good = hex(ping);
    for (let bit = 0; bit < 8 * good.length; bit++) {
      const bad = Buffer.from(good);
      bad[bit >> 3] = (bad[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const decoder = new CommandDecoder();
      const names = namesOf([...decoder.push(Buffer.concat([bad, good])), ...decoder.abandon()]);
      assert.equal(names.filter((name) => name === '18-01').length, 1, `bit ${bit}: ${names.join()}`);
      assert.ok(names.length >= 2, `bit ${bit}: ${names.join()}`);
    }
  });

  test('noise before, between and behind is told, byte for byte', () => {
    const arrivals = new CommandDecoder().push(hex(`00FF56 ${ping} 5669564F00 ${ping} 414243`));
    assert.deepEqual(namesOf(arrivals), ['noise 00ff56', '18-01', 'noise 5669564f00', '18-01', 'noise 414243']);
  });

  test('the beginning of a header is not noise yet', () => {
    const decoder = new CommandDecoder();
    assert.deepEqual(decoder.push(hex('00 5669')).map(named), ['noise 00']);
    assert.deepEqual(decoder.push(hex(ping).subarray(2)).map(named), ['18-01']);
  });

  test('a length beyond the limit is not waited for', () => {
    const arrivals = new CommandDecoder().push(hex(`5669564F746563683200 18 01 FFFF ${ping}`));
    assert.deepEqual(namesOf(arrivals), ['tooLong 5669564f746563683200', 'noise 1801ffff', '18-01']);
  });

  test('a command inside what a torn one claimed comes out when that is given up', () => {
    const decoder = new CommandDecoder();
    assert.deepEqual(decoder.push(hex(`5669564F746563683200 02 40 0100 ${ping}`)), []);
    assert.deepEqual(namesOf(decoder.abandon()), ['incomplete 5669564f74656368320002400100', '18-01']);
    assert.deepEqual(decoder.abandon(), []);
  });

  test('a command behind a torn one of the same length survives', () => {
    const torn = hex(activation).subarray(0, 20);
    const decoder = new CommandDecoder();
    const names = namesOf([
      ...decoder.push(Buffer.concat([torn, hex(ping), hex(ping), hex(ping)])),
      ...decoder.abandon(),
    ]);
    assert.deepEqual(names.slice(-3), ['18-01', '18-01', '18-01']);
  });

  test('the test builds commands as published', () => {
    assert.equal(command('18-01'), hex(ping).toString('hex'));
  });
});

function namesOf(arrivals: readonly Arrival[]): string[] {
  return arrivals.map(named);
}

function named(arrival: Arrival): string {
  if (arrival.kind !== 'command') return `${arrival.kind} ${arrival.bytes.toString('hex')}`;
  const { bytes } = arrival.command;
  return `${bytes.toString('hex', 10, 11)}-${bytes.toString('hex', 11, 12)}`;
}
