import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test, type TestContext } from 'node:test';
import { HidCommands } from '../../../../hw-sim/reader/neo2/hid-reports.ts';
import { hidLine } from '../../../../hw-sim/reader/neo2/hid.ts';
import { Neo2Reader } from '../../../../hw-sim/reader/neo2/reader.ts';
import { StreamReports } from '../../../../hw-sim/reader/reports/stream.ts';
import { activation, at, card, keys, pollOnDemand, whysOf } from '../stage.ts';
import { command, hex, MemoryPty, response } from '../wire.ts';

/** IDG p.197: 60-06 with 216 bytes, the example of a command that takes several reports. */
const { frames } = JSON.parse(
  readFileSync(new URL('../../../../fixtures/frames/neo2.json', import.meta.url), 'utf8'),
) as { readonly frames: readonly { readonly hex: string }[] };
const terminalData = frames.find(({ hex }) => hex.length === 2 * 216)?.hex ?? '';

const ping = '5669564f7465636832001801 0000b3cd'.replace(' ', '');
const pong = '5669564f7465636832001800 0000fa83'.replace(' ', '');

describe('commands in reports', () => {
  test('of up to 63 bytes are one, with id 01', () => {
    assert.deepEqual(commandsOf(report('01', ping)), [ping]);
    const full = `5669564f7465636832000240002f${'00'.repeat(47 + 2)}`;
    assert.equal(full.length, 2 * 63);
    assert.deepEqual(commandsOf(report('01', full)), [full]);
  });

  test('longer ones are 02, 03, 03, 04, as published', () => {
    assert.equal(terminalData.length, 2 * 216);
    const reports = split(terminalData);
    assert.deepEqual(
      reports.map((each) => each.slice(0, 2)),
      ['02', '03', '03', '04'],
    );
    assert.deepEqual(commandsOf(...reports), [terminalData]);
  });

  test('one that ends with zeros keeps them: its length says where it ends', () => {
    const zeros = command('60-06', '00'.repeat(100)).toLowerCase();
    assert.deepEqual(commandsOf(...split(zeros)), [zeros]);
  });

  const [first = '', middle = '', , last = ''] = split(terminalData);
  const misfits: [name: string, reports: string[], handedOn: string[]][] = [
    ['03 without 02', [middle], [middle]],
    ['04 without 02', [last], [last]],
    ['an id that is none', [report('05', ping)], [report('05', ping)]],
    ['01 before the 04 has come', [first, report('01', ping)], [first.slice(2), ping]],
    ['02 before the 04 has come', [first, ...split(terminalData)], [first.slice(2), terminalData]],
    ['something behind a command', [report('01', `${ping}ff`)], [`${ping}ff${'00'.repeat(46)}`]],
    ['no command at all', [report('01', 'ff')], [`ff${'00'.repeat(62)}`]],
  ];
  for (const [name, reports, handedOn] of misfits) {
    test(`${name}: handed on as it came`, () => {
      assert.deepEqual(commandsOf(...reports), handedOn);
    });
  }

  test('03 for ever does not grow for ever', () => {
    const commands = new HidCommands();
    commands.push(hex(first));
    let given = 0;
    for (let count = 0; count < 1000; count++) given += commands.push(hex(middle)).length;
    assert.ok(given > 0);
  });
});

describe('NEO2 over HID', () => {
  test('answers a ping as published, in a report', (t) => {
    const { pty, reader } = opened(t);
    pty.send(report('01', ping));
    assert.equal(pty.sent(), report('01', pong));
    assert.equal(reader.state().carrier, 'stream');
    assert.deepEqual(reader.unexpected, []);
  });

  test('a card takes several: 02, 03 …, 04', async (t) => {
    const { pty, reader } = opened(t);
    pty.send(report('01', pollOnDemand.replaceAll(' ', '')));
    pty.sent();
    for (const each of split(activation('02'))) pty.send(each);
    assert.equal(reader.armed, true);
    await reader.tap(card('visa'));
    const reports = pty.sent().match(/.{128}/g) ?? [];
    const ids = reports.map((each) => each.slice(0, 2)).join('');
    assert.match(ids, /^02(03)+04$/);
    const bytes = reports.map((each) => each.slice(2)).join('');
    const length = 14 + Number.parseInt(bytes.slice(24, 28), 16) + 2;
    assert.match(bytes.slice(2 * length), /^0*$/);
    assert.equal(reports.length, Math.ceil(length / 63));
    const answer = response(bytes.slice(0, 2 * length));
    assert.equal(answer.status, '23');
    assert.deepEqual(reader.unexpected, []);
  });

  test('answers of every length arrive', (t) => {
    for (let length = 0; length <= 130; length++) {
      const { pty } = opened(t, 'v'.repeat(length));
      pty.send(report('01', '5669564F746563683200 29 00 0000 DEA0'.replaceAll(' ', '')));
      const reports = pty.sent().match(/.{128}/g) ?? [];
      assert.equal(reports.length, Math.ceil((16 + length) / 63), `${length}`);
      const ids = reports.map((each) => each.slice(0, 2)).join('');
      assert.match(ids, reports.length === 1 ? /^01$/ : /^02(03)*04$/, `${length}`);
      const bytes = reports.map((each) => each.slice(2)).join('');
      assert.equal(response(bytes.slice(0, 2 * (16 + length))).data.toString('latin1'), 'v'.repeat(length));
    }
  });

  test('what fits nowhere is unexpected, and the next command is answered', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { pty, reader } = opened(t);
    for (const each of [report('03', 'aa'), report('05', ''), report('01', 'ffff')]) pty.send(each);
    assert.ok(reader.unexpected.length >= 3);
    pty.send(report('01', ping));
    assert.equal(pty.sent(), report('01', pong));
    pty.send('01');
    t.mock.timers.tick(1000);
    assert.equal(whysOf(reader).at(-1), 'bytes that are no frame');
  });

  test('splitBytes: HID tears no report', async (t) => {
    const { pty, reader } = opened(t);
    await reader.fault({ splitBytes: true });
    pty.send(report('01', ping));
    while (pty.writes === 0) await new Promise(setImmediate);
    assert.equal(pty.sent(), report('01', pong));
  });

  test('garbageBefore comes in a report of its own', async (t) => {
    const { pty, reader } = opened(t);
    await reader.fault({ garbageBefore: true });
    pty.send(report('01', ping));
    assert.equal(pty.sent(), report('01', '5669564f7465ff00a5') + report('01', pong));
  });

  test('unplugged: half a command is forgotten', async (t) => {
    const { pty, reader } = opened(t);
    pty.send(split(terminalData)[0] ?? '');
    await reader.fault({ unplug: true });
    assert.equal(reader.state().connected, false);
    await reader.fault({ unplug: false });
    pty.send(report('01', ping));
    assert.equal(pty.sent(), report('01', pong));
    assert.deepEqual(reader.unexpected, []);
  });
});

function opened(t: TestContext, version = 'v'): { pty: MemoryPty; reader: Neo2Reader } {
  const pty = new MemoryPty();
  const port = new StreamReports(pty);
  const reader = new Neo2Reader(hidLine(port), { ...keys, version, now: () => at, carrier: port.carrier });
  t.after(() => reader.close());
  return { pty, reader };
}

function commandsOf(...reports: string[]): string[] {
  const commands = new HidCommands();
  return reports.flatMap((each) => commands.push(hex(each))).map((bytes) => bytes.toString('hex'));
}

function report(id: string, payload: string): string {
  return `${id}${payload}`.padEnd(128, '0').toLowerCase();
}

/** IDG p.41: 63 bytes each, 02 first, 04 last; one alone is 01. */
function split(frame: string): string[] {
  const parts = frame.toLowerCase().match(/.{1,126}/g) ?? [];
  return parts.map((part, at) => {
    if (parts.length === 1) return report('01', part);
    return report(at === 0 ? '02' : at === parts.length - 1 ? '04' : '03', part);
  });
}
