import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import type { Pty } from '../../../hw-sim/pty.ts';
import { LineScanner, type ScannerFault } from '../../../hw-sim/scanner/line.ts';

/** A wire that the test holds: what the scanner sends is kept, write by write. */
class Wire implements Pty {
  readonly link = '/nowhere/scanner';
  plugged = true;
  readonly writes: Buffer[] = [];
  #listener: ((chunk: Buffer) => void) | undefined;

  write(bytes: Uint8Array): void {
    if (this.plugged) this.writes.push(Buffer.from(bytes));
  }

  onData(listener: (chunk: Buffer) => void): void {
    this.#listener = listener;
  }

  send(...hex: string[]): void {
    for (const chunk of hex) this.#listener?.(Buffer.from(chunk.replaceAll(' ', ''), 'hex'));
  }

  /** Everything since the last call. */
  received(): Buffer {
    return Buffer.concat(this.writes.splice(0));
  }

  unplug(): Promise<void> {
    this.plugged = false;
    return Promise.resolve();
  }

  plug(): Promise<void> {
    this.plugged = true;
    return Promise.resolve();
  }

  close(): Promise<void> {
    return this.unplug();
  }
}

function started(t: TestContext): { wire: Wire; scanner: LineScanner } {
  const wire = new Wire();
  const scanner = new LineScanner(wire, { now: () => new Date('2026-08-25T02:15:30.000Z') });
  t.after(() => scanner.close());
  return { wire, scanner };
}

interface Frames {
  readonly trigger: readonly { readonly name: string; readonly hex: string }[];
  readonly lines: readonly { readonly name: string; readonly hex: string; readonly code?: string }[];
}

const frames = JSON.parse(
  readFileSync(new URL('../../../fixtures/frames/scanner.json', import.meta.url), 'utf8'),
) as Frames;

const on = '16540D';
const off = '16550D';
const code = '289431869362714645';
const deadline = { timeout: 10_000 };

describe('a code', deadline, () => {
  it('is one line, ended by CR LF', (t) => {
    const { wire, scanner } = started(t);
    assert.equal(scanner.scan(code), true);
    assert.equal(wire.received().toString('latin1'), `${code}\r\n`);
    assert.deepEqual(scanner.state(), { connected: true, triggered: false, scans: 1 });
  });

  const published = frames.lines.filter(({ hex, code: text }) => text !== undefined && hex.endsWith('0d0a'));
  for (const { name, hex, code: text = '' } of published) {
    it(`${name}: is the line of the fixture`, (t) => {
      const { wire, scanner } = started(t);
      scanner.scan(text);
      assert.equal(wire.received().toString('hex'), hex);
    });
  }

  it('has 1 to 512 printable characters', (t) => {
    const { wire, scanner } = started(t);
    assert.equal(scanner.scan('~'.repeat(512)), true);
    assert.equal(wire.received().length, 514);
    for (const bad of ['', 'A'.repeat(513), 'tab\there', 'line\r\n', '總計']) {
      assert.throws(() => scanner.scan(bad), RangeError);
    }
    assert.equal(wire.writes.length, 0);
    assert.equal(scanner.state().scans, 1);
  });

  it('is not read by a scanner that is unplugged', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ unplug: true });
    assert.equal(scanner.scan(code), false);
    assert.deepEqual(scanner.state(), { connected: false, triggered: false, scans: 0 });
    await scanner.fault({ unplug: false });
    assert.equal(scanner.scan(code), true);
    assert.equal(wire.received().toString('latin1'), `${code}\r\n`);
  });
});

describe('faults', deadline, () => {
  it('garble: the next line holds one byte that is no text, the one after is sound', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ garble: true });
    scanner.scan(code);
    const line = wire.received();
    assert.equal(line.length, code.length + 2);
    assert.equal(line.filter((byte) => byte > 0x7e).length, 1);
    assert.equal(line.toString('latin1', code.length), '\r\n');
    scanner.scan(code);
    assert.equal(wire.received().toString('latin1'), `${code}\r\n`);
  });

  it('noise: bytes before the next code, no line end among them', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ noise: true });
    scanner.scan(code);
    const line = wire.received();
    const text = `${code}\r\n`;
    const before = line.subarray(0, -text.length);
    assert.equal(line.toString('latin1', before.length), text);
    assert.ok(before.length > 0 && before.every((byte) => (byte < 0x20 || byte > 0x7e) && byte !== 10 && byte !== 13));
  });

  it('tooLong: the next line is longer than any code', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ tooLong: true });
    scanner.scan('7');
    assert.equal(wire.received().toString('latin1'), `${'7'.repeat(2048)}\r\n`);
    scanner.scan('7');
    assert.equal(wire.received().toString('latin1'), '7\r\n');
  });

  it('splitBytes: byte by byte and in order, until it is switched off', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ splitBytes: true });
    scanner.scan('123');
    scanner.scan('456');
    assert.equal(wire.writes.length, 0);
    while (wire.writes.length < 10) await new Promise(setImmediate);
    assert.ok(wire.writes.every((bytes) => bytes.length === 1));
    assert.equal(wire.received().toString('latin1'), '123\r\n456\r\n');
    await scanner.fault({ splitBytes: false });
    scanner.scan('789');
    assert.equal(wire.writes.length, 1);
  });

  it('splitBytes: switched off in the middle of a code, the next one waits for its end', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ splitBytes: true });
    scanner.scan('123');
    await scanner.fault({ splitBytes: false });
    scanner.scan('456');
    while (wire.writes.length < 10) await new Promise(setImmediate);
    assert.equal(wire.received().toString('latin1'), '123\r\n456\r\n');
  });

  it('unplug: what had not left is lost', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ splitBytes: true });
    scanner.scan('123');
    await scanner.fault({ unplug: true });
    await scanner.fault({ unplug: false, splitBytes: false });
    scanner.scan('456');
    assert.equal(wire.received().toString('latin1'), '456\r\n');
  });

  for (const fault of [{ garble: true }, { noise: true }, { tooLong: true }] satisfies ScannerFault[]) {
    it(`${Object.keys(fault).join()}: is over after a reset, and when it is taken back`, async (t) => {
      const { wire, scanner } = started(t);
      await scanner.fault(fault);
      await scanner.reset();
      scanner.scan(code);
      await scanner.fault(fault);
      await scanner.fault(Object.fromEntries(Object.keys(fault).map((name) => [name, false])));
      scanner.scan(code);
      assert.equal(wire.received().toString('latin1'), `${code}\r\n`.repeat(2));
    });
  }
});

describe('the trigger', deadline, () => {
  it('is known by the published commands', (t) => {
    const { wire, scanner } = started(t);
    const states = frames.trigger.map(({ name, hex }) => {
      wire.send(hex);
      return `${name}: ${scanner.state().triggered}`;
    });
    assert.deepEqual(states, ['start, Honeywell: true', 'stop, Honeywell: false']);
    assert.deepEqual(scanner.unexpected, []);
  });

  it('goes on and off by command, in any pieces, and off with a code', (t) => {
    const { wire, scanner } = started(t);
    wire.send(on);
    assert.equal(scanner.state().triggered, true);
    wire.send(off);
    assert.equal(scanner.state().triggered, false);
    wire.send('16', '54', '0D');
    assert.equal(scanner.state().triggered, true);
    scanner.scan(code);
    assert.equal(scanner.state().triggered, false);
    wire.send(on + off + on);
    assert.equal(scanner.state().triggered, true);
    assert.deepEqual(scanner.unexpected, []);
  });

  it('is off after the power was', async (t) => {
    const { wire, scanner } = started(t);
    wire.send(on);
    await scanner.fault({ unplug: true });
    await scanner.fault({ unplug: false });
    assert.equal(scanner.state().triggered, false);
    wire.send('1654');
    await scanner.fault({ unplug: true });
    await scanner.fault({ unplug: false });
    wire.send('0D', off);
    assert.deepEqual(
      scanner.unexpected.map(({ hex }) => hex),
      ['0D'],
    );
  });

  it('anything else is recorded, and the command behind it obeyed', (t) => {
    const { wire, scanner } = started(t);
    wire.send(`414243${on}16`, '16540A', off, '1616', '540D');
    assert.equal(scanner.state().triggered, true);
    assert.deepEqual(
      scanner.unexpected.map(({ hex }) => hex),
      ['414243', '1616540A', '16'],
    );
    assert.deepEqual(scanner.unexpected[0], {
      at: '2026-08-25T02:15:30.000Z',
      hex: '414243',
      why: 'bytes that neither start nor stop the scanner',
    });
  });

  it('half a command that does not go on is recorded after a second', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { wire, scanner } = started(t);
    wire.send('1654');
    t.mock.timers.tick(999);
    assert.equal(scanner.unexpected.length, 0);
    t.mock.timers.tick(1);
    assert.equal(scanner.unexpected[0]?.hex, '1654');
    wire.send('0D');
    assert.equal(scanner.state().triggered, false);
  });

  it('findings have a limit', (t) => {
    const { wire, scanner } = started(t);
    for (let count = 0; count < 300; count++) wire.send('41'.repeat(100));
    assert.equal(scanner.unexpected.length, 200);
    assert.equal(scanner.unexpected[0]?.hex.length, 128);
  });
});

describe('a scanner', deadline, () => {
  it('tells when something changes, until nobody wants to know', async (t) => {
    const { wire, scanner } = started(t);
    const seen: string[] = [];
    const stop = scanner.onChange(() => {
      const { connected, triggered, scans } = scanner.state();
      seen.push(`${connected} ${triggered} ${scans} ${scanner.unexpected.length}`);
    });
    wire.send(on, '41');
    scanner.scan(code);
    await scanner.fault({ unplug: true });
    await scanner.reset();
    assert.deepEqual(seen, ['true true 0 0', 'true true 0 1', 'true false 1 1', 'false false 1 1', 'true false 0 0']);
    stop();
    wire.send(on);
    assert.equal(seen.length, 5);
  });

  it('that is closed sends nothing, and looks at nothing', async (t) => {
    const { wire, scanner } = started(t);
    await scanner.fault({ splitBytes: true });
    scanner.scan(code);
    await scanner.close();
    assert.equal(scanner.scan(code), false);
    wire.send('41');
    await new Promise(setImmediate);
    assert.deepEqual([wire.writes.length, scanner.unexpected.length], [0, 0]);
  });
});
