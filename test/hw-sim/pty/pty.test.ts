import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import tty from 'node:tty';
import { openPty, type Pty } from '../../../hw-sim/pty.ts';

/** Bytes that a line discipline would swallow, change or answer: line ends, control characters, flow control, zero. */
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));

describe('a pty', () => {
  test('carries every byte as it is, both ways', async (t) => {
    const { pty } = await opened(t);
    const atDevice = collect(pty, allBytes.length);
    const client = openClient(t, pty.link);
    client.write(allBytes);
    assert.deepEqual(await atDevice, allBytes);
    const atClient = client.read(allBytes.length);
    pty.write(allBytes);
    assert.deepEqual(await atClient, allBytes);
  });

  test('does not hear itself, though nobody listens', async (t) => {
    const { pty } = await opened(t);
    const heard: Buffer[] = [];
    pty.onData((chunk) => heard.push(chunk));
    pty.write(allBytes);
    // What a client sends now comes behind any echo: the wire keeps the order.
    const client = openClient(t, pty.link);
    const marker = Buffer.from('marker');
    const atDevice = collect(pty, marker.length);
    client.write(marker);
    await atDevice;
    assert.deepEqual(Buffer.concat(heard), marker);
  });

  test('never blocks when nobody reads, and still works afterwards', async (t) => {
    const { pty } = await opened(t);
    for (let i = 0; i < 64; i++) pty.write(Buffer.alloc(64 * 1024, 0x55));
    const client = openClient(t, pty.link);
    const atDevice = collect(pty, 4);
    client.write(Buffer.from('ping'));
    assert.equal((await atDevice).toString(), 'ping');
  });

  test('outlives a client, and serves the next', async (t) => {
    const { pty } = await opened(t);
    for (const name of ['one', 'two', 'ten']) {
      const atDevice = collect(pty, 3);
      const client = openClient(t, pty.link);
      client.write(Buffer.from(name));
      assert.equal((await atDevice).toString(), name);
      await client.close();
    }
  });

  test('unplugged: the client sees a hangup, and the link is gone', async (t) => {
    const { pty } = await opened(t);
    const client = openClient(t, pty.link);
    await pty.unplug();
    await client.gone;
    assert.equal(pty.plugged, false);
    assert.equal(fs.existsSync(pty.link), false);
    pty.write(Buffer.from('into the void'));
    await pty.unplug();
  });

  test('plugged in again: the same link leads to a wire that works', async (t) => {
    const { pty } = await opened(t);
    await pty.unplug();
    await pty.plug();
    await pty.plug();
    assert.equal(pty.plugged, true);
    const client = openClient(t, pty.link);
    const atDevice = collect(pty, 5);
    client.write(Buffer.from('again'));
    assert.equal((await atDevice).toString(), 'again');
  });

  test('calls that overlap happen in their order', async (t) => {
    const { pty } = await opened(t);
    await Promise.all([pty.unplug(), pty.plug(), pty.unplug(), pty.plug()]);
    assert.equal(pty.plugged, true);
    assert.match(fs.readlinkSync(pty.link), /^\/dev\/pts\/\d+$/);
    await Promise.all([pty.plug(), pty.unplug()]);
    assert.equal(pty.plugged, false);
    assert.equal(fs.lstatSync(pty.link, { throwIfNoEntry: false }), undefined);
  });

  test('closed: no link, and not to be plugged in', async (t) => {
    const { pty, dir } = await opened(t);
    await pty.close();
    assert.deepEqual(fs.readdirSync(dir), []);
    await assert.rejects(pty.plug(), /is closed/);
    await pty.close();
  });

  test('leaves no file open', async (t) => {
    const before = openFiles();
    const { pty } = await opened(t);
    await pty.unplug();
    await pty.plug();
    await pty.close();
    assert.deepEqual(openFiles(), before);
  });
});

describe('the link', () => {
  test('of a killed simulator is replaced', async (t) => {
    const dir = await temporary(t);
    const link = path.join(dir, 'reader');
    await symlink('/dev/pts/4711', link);
    const pty = await openPty(link);
    t.after(() => pty.close());
    assert.notEqual(fs.readlinkSync(link), '/dev/pts/4711');
    openClient(t, link);
  });

  test('is no file of somebody else', async (t) => {
    const dir = await temporary(t);
    const link = path.join(dir, 'reader');
    await writeFile(link, 'precious');
    const before = openFiles();
    await assert.rejects(openPty(link), /in the way/);
    assert.equal(fs.readFileSync(link, 'utf8'), 'precious');
    assert.deepEqual(openFiles(), before);
  });

  test('that another simulator has taken stays', async (t) => {
    const { pty, dir } = await opened(t);
    const other = await openPty(pty.link);
    t.after(() => other.close());
    const target = fs.readlinkSync(pty.link);
    await pty.close();
    assert.equal(fs.readlinkSync(path.join(dir, 'reader')), target);
  });

  test('lies in a directory that need not be there yet', async (t) => {
    const dir = await temporary(t);
    const pty = await openPty(path.join(dir, 'deep', 'down', 'reader'));
    t.after(() => pty.close());
    assert.ok(fs.existsSync(pty.link));
  });
});

async function temporary(t: TestContext): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'pty-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function opened(t: TestContext): Promise<{ pty: Pty; dir: string }> {
  const dir = await temporary(t);
  const pty = await openPty(path.join(dir, 'reader'));
  t.after(() => pty.close());
  return { pty, dir };
}

function collect(pty: Pty, length: number): Promise<Buffer> {
  return new Promise((resolve) => {
    let seen = Buffer.alloc(0);
    pty.onData((chunk) => {
      seen = Buffer.concat([seen, chunk]);
      if (seen.length >= length) resolve(seen);
    });
  });
}

interface Client {
  readonly gone: Promise<unknown>;
  write(bytes: Buffer): void;
  read(length: number): Promise<Buffer>;
  close(): Promise<void>;
}

function openClient(t: TestContext, link: string): Client {
  const { O_RDWR, O_NOCTTY } = fs.constants;
  const input = new tty.ReadStream(fs.openSync(link, O_RDWR | O_NOCTTY));
  const output = fs.openSync(link, O_RDWR | O_NOCTTY);
  const gone = once(input, 'close');
  input.on('error', () => undefined);
  input.resume();
  let open = true;
  async function close(): Promise<void> {
    if (!open) return;
    open = false;
    fs.closeSync(output);
    input.destroy();
    await gone;
  }
  t.after(close);
  return {
    gone,
    close,
    write: (bytes) => {
      let written = 0;
      while (written < bytes.length) written += fs.writeSync(output, bytes, written);
    },
    read: (length) =>
      new Promise((resolve) => {
        let seen = Buffer.alloc(0);
        input.on('data', (chunk: Buffer) => {
          seen = Buffer.concat([seen, chunk]);
          if (seen.length >= length) resolve(seen);
        });
      }),
  };
}

/** What this process has open of pseudo-terminals. */
function openFiles(): string[] {
  const targets = fs.readdirSync('/proc/self/fd').map((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('/dev/pt')).sort();
}
