import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { MmsReader } from '../../../../hw-sim/reader/mms/reader.ts';
import { hidIdentities } from '../../../../hw-sim/reader/reports/identity.ts';
import { carrierHere, openReports, uhidFaultText } from '../../../../hw-sim/reader/reports/open.ts';
import { type UhidFile, UhidReports } from '../../../../hw-sim/reader/reports/uhid.ts';
import { StartError } from '../../../../hw-sim/start-error.ts';
import { fixture, messagesOf, reportsOf } from '../mms/wire.ts';
import { keys } from '../stage.ts';
import { hex } from '../wire.ts';

const [destroy, stop, output, getReport, create2, input2] = [1, 3, 6, 9, 11, 12] as const;

/** /dev/uhid without a kernel: one device, whose events come when the test says so. */
class MemoryUhid implements UhidFile {
  readonly written: Buffer[] = [];
  closed = false;
  readonly #events: Buffer[] = [];
  #reading: ((event: Buffer) => void) | undefined;

  write(event: Buffer): void {
    assert.equal(this.closed, false);
    this.written.push(event);
    if (event.readUInt32LE() === destroy) setImmediate(() => this.say(eventOf(stop)));
  }

  read(): Promise<Buffer> {
    const next = this.#events.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve) => {
      this.#reading = resolve;
    });
  }

  close(): Promise<void> {
    assert.equal(this.#reading, undefined, 'a read that waits in the kernel would keep the process alive');
    this.closed = true;
    return Promise.resolve();
  }

  /** The kernel says something. */
  say(event: Buffer): void {
    const reading = this.#reading;
    this.#reading = undefined;
    if (reading === undefined) this.#events.push(event);
    else reading(event);
  }

  types(): number[] {
    return this.written.map((event) => event.readUInt32LE());
  }
}

describe('a virtual HID device', () => {
  test('is made, carries reports, and is destroyed', async (t) => {
    const { port, files } = await plugged(t);
    const [file] = files;
    assert.ok(file);
    assert.equal(port.carrier, 'uhid');
    assert.equal(port.link, undefined);
    assert.equal(port.plugged, true);
    const heard: string[] = [];
    port.onReport((report) => heard.push(report.toString('hex')));
    file.say(outputOf(Buffer.alloc(65)));
    file.say(outputOf(Buffer.alloc(64, 9)));
    port.write(Buffer.alloc(128, 5));
    await settled();
    assert.deepEqual(heard, ['00'.repeat(64), '09'.repeat(64)]);
    await port.unplug();
    assert.deepEqual(file.types(), [create2, input2, input2, destroy]);
    assert.equal(file.written[1]?.subarray(6).equals(Buffer.alloc(64, 5)), true);
    assert.equal(file.closed, true);
    assert.equal(port.plugged, false);
    port.write(Buffer.alloc(64));
    assert.equal(file.written.length, 4);
  });

  test('a report in pieces leaves when it is whole', async (t) => {
    const { port, files } = await plugged(t);
    for (let byte = 0; byte < 63; byte++) port.write(Buffer.of(byte));
    assert.deepEqual(files[0]?.types(), [create2]);
    port.write(Buffer.of(63));
    assert.deepEqual(files[0]?.types(), [create2, input2]);
  });

  test('answers what it is asked, and tells what is no report', async (t) => {
    const { port, files } = await plugged(t);
    const unexpected: string[] = [];
    port.onUnexpected((bytes) => unexpected.push(bytes.toString('hex')));
    files[0]?.say(eventOf(getReport));
    files[0]?.say(outputOf(hex('0102')));
    await settled();
    assert.equal(files[0]?.written.at(-1)?.toString('hex'), '0a0000000000000005000000');
    assert.deepEqual(unexpected, ['0102']);
  });

  test('is plugged in again as a new one', async (t) => {
    const { port, files } = await plugged(t);
    await Promise.all([port.unplug(), port.plug(), port.plug()]);
    assert.equal(files.length, 2);
    assert.deepEqual(
      files.map(({ closed }) => closed),
      [true, false],
    );
    assert.deepEqual(files[1]?.types(), [create2]);
  });

  test('closed, it is gone for good', async (t) => {
    const { port, files } = await plugged(t);
    await port.close();
    await port.close();
    assert.equal(files[0]?.closed, true);
    await assert.rejects(port.plug(), /closed/);
  });

  test('that can not be made leaves no file open', async () => {
    const file = new MemoryUhid();
    file.write = () => {
      throw new Error('EINVAL');
    };
    const port = new UhidReports(hidIdentities.mms, () => Promise.resolve(file));
    await assert.rejects(port.plug(), /EINVAL/);
    assert.equal(file.closed, true);
    assert.equal(port.plugged, false);
  });

  test('a reader on it answers, and says what carries its reports', async (t) => {
    const { port, files } = await plugged(t);
    const reader = new MmsReader(port, keys);
    t.after(() => reader.close());
    assert.equal(reader.state().carrier, 'uhid');
    await reader.fault({ splitBytes: true });
    files[0]?.say(outputOf(Buffer.concat([Buffer.of(0), hex(reportsOf(fixture('cancel')))])));
    while ((files[0]?.written.length ?? 0) < 2) await settled();
    const sent = files[0]?.written[1]?.subarray(6).toString('hex') ?? '';
    assert.deepEqual(messagesOf(sent), [
      fixture('cancel answer, no transaction').replace('aa0081048201', 'aa0081048213'),
    ]);
    files[0]?.say(outputOf(hex('0102')));
    await settled();
    assert.deepEqual(
      reader.unexpected.map(({ hex, why }) => `${hex} ${why}`),
      ['0102 bytes that are no report'],
    );
  });
});

describe('what carries reports', () => {
  test('is uhid where its file can be opened, else a stream', async (t) => {
    const dir = await temporary(t);
    await writeFile(path.join(dir, 'uhid'), '');
    assert.equal(await carrierHere(path.join(dir, 'uhid')), 'uhid');
    assert.equal(await carrierHere(path.join(dir, 'nothing')), 'stream');
  });

  test('is a stream with the reason, or a refusal if uhid was asked for', async (t) => {
    const dir = await temporary(t);
    const options = { identity: hidIdentities.mms, link: path.join(dir, 'reader') };
    for (const [uhid, reason] of [
      [path.join(dir, 'nothing'), /this kernel has no \S+nothing, or its module uhid is not loaded/],
      [dir, /can't be opened \(EISDIR\)/],
    ] as const) {
      const port = await openReports({ ...options, uhid });
      await port.close();
      assert.equal(port.carrier, 'stream');
      assert.match(port.description, reason);
      await assert.rejects(openReports({ ...options, uhid, carrier: 'uhid' }), (error) => {
        assert.ok(error instanceof StartError);
        assert.equal(error.exitCode, 1);
        assert.match(error.message, reason);
        return true;
      });
    }
  });

  test('a file without rights is named as such', () => {
    assert.equal(uhidFaultText('EACCES', '/dev/uhid'), 'this user may not open /dev/uhid');
    assert.equal(uhidFaultText('EPERM', '/dev/uhid'), 'this user may not open /dev/uhid');
    assert.match(uhidFaultText('ENODEV', '/dev/uhid'), /module uhid is not loaded/);
  });

  test('a stream is published where it is asked for', async (t) => {
    const link = path.join(await temporary(t), 'reader');
    const port = await openReports({ identity: hidIdentities.mms, link, carrier: 'stream' });
    t.after(() => port.close());
    assert.equal(port.carrier, 'stream');
    assert.equal(port.link, link);
    assert.equal(port.plugged, true);
  });
});

async function plugged(t: TestContext): Promise<{ port: UhidReports; files: MemoryUhid[] }> {
  const files: MemoryUhid[] = [];
  const port = new UhidReports(hidIdentities.mms, () => {
    const file = new MemoryUhid();
    files.push(file);
    return Promise.resolve(file);
  });
  await port.plug();
  t.after(() => port.close());
  return { port, files };
}

async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'reports-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

function eventOf(type: number): Buffer {
  const event = Buffer.alloc(4380);
  event.writeUInt32LE(type);
  return event;
}

function outputOf(data: Buffer): Buffer {
  const event = eventOf(output);
  data.copy(event, 4);
  event.writeUInt16LE(data.length, 4 + 4096);
  return event;
}

/** The device reads in microtasks. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}
