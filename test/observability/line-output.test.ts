import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, test, type TestContext } from 'node:test';
import { drain, pipe } from '../support/pipe.ts';

const log = new URL('../../src/observability/log.ts', import.meta.url);

/** More than pipe, socket and LineOutput hold. */
const written = 12_000;

/** Writes its lines at once, says so by IPC, and the last line when it is told to. */
const script = `
  import { openLog } from ${JSON.stringify(log.href)};
  const log = openLog('info');
  const from = performance.now();
  for (let each = 0; each < ${written}; each++) log.info('line', { attempt: each, reason: 'x'.repeat(60) });
  process.send({ ms: performance.now() - from, lost: log.lostLines });
  process.on('message', (word) => {
    log.info(word);
    process.send({ lost: log.lostLines });
    if (word === 'end') process.disconnect();
  });`;

/** A program that logs to this descriptor. */
function logging(t: TestContext, descriptor: number | Socket): ChildProcess {
  const stdio = ['ignore', 'ignore', descriptor, 'ipc'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: [...stdio] });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function heard(child: ChildProcess): Promise<{ ms: number; lost: number }> {
  const [message] = (await once(child, 'message')) as [{ ms: number; lost: number }];
  return message;
}

/** Reads a pipe on and on. */
function readOn(t: TestContext, reader: number) {
  let text = '';
  const timer = setInterval(() => (text += drain(reader)), 10);
  t.after(() => clearInterval(timer));
  return {
    async until(word: string): Promise<void> {
      for (const until = performance.now() + 20_000; !text.includes(word); ) {
        assert.ok(performance.now() < until, `nobody said ${word}`);
        await pause(10);
      }
    },
    rest(): string {
      clearInterval(timer);
      text += drain(reader);
      closeSync(reader);
      return text;
    },
  };
}

interface Line {
  readonly msg: string;
  readonly attempt?: number;
  readonly reason?: string;
  readonly level: number;
}

/** Every line is whole, none is told twice, and the log itself says how many are lost. */
function assertCounted(text: string): void {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const attempts = lines.flatMap(({ attempt }) => (attempt === undefined ? [] : [attempt]));
  assert.deepEqual(
    attempts,
    attempts.toSorted((one, other) => one - other),
  );
  assert.equal(new Set(attempts).size, attempts.length);
  const said = lines.filter(({ msg }) => msg === 'log');
  const lost = said.reduce(
    (sum, { reason = '' }) => sum + Number(/^(\d+) lines could not be written$/.exec(reason)?.[1]),
    0,
  );
  assert.ok(said.every(({ level }) => level === 40));
  assert.ok(lost > 0);
  assert.equal(attempts.length + lost, written);
  assert.equal(lines.at(-1)?.msg, 'end');
}

describe('a log that nobody reads', () => {
  test('in a pipe: loses lines, counts them, and nobody waits; a reader that goes on learns how many', async (t) => {
    const { reader, writer } = pipe(t);
    const child = logging(t, writer);
    closeSync(writer);
    const { ms, lost } = await heard(child);
    assert.ok(ms < 20_000 && lost > 0, `${ms} ms, ${lost} lost`);
    const read = readOn(t, reader);
    await read.until('could not be written');
    child.send('end');
    await once(child, 'exit');
    assertCounted(read.rest());
  });

  test('in a socket, as journald’s: the same', async (t) => {
    const server = createServer({ pauseOnConnect: true });
    const dir = mkdtempSync(path.join(tmpdir(), 'poid-socket-'));
    t.after(() => rmSync(dir, { recursive: true }));
    server.listen(path.join(dir, 'journal'));
    await once(server, 'listening');
    t.after(() => server.close());
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const own = connect(path.join(dir, 'journal'));
    const [unread] = await accepted;
    await once(own, 'connect');
    const child = logging(t, own);
    own.destroy();
    const { lost } = await heard(child);
    assert.ok(lost > 0);
    let text = '';
    const said = new Promise<void>((resolve) => {
      unread.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        if (text.includes('could not be written')) resolve();
      });
    });
    unread.resume();
    await said;
    const closed = once(unread, 'end');
    child.send('end');
    await once(child, 'exit');
    await closed;
    assertCounted(text);
  });

  test('whose reader has gone: every line is lost, and the program goes on', async (t) => {
    const { reader, writer } = pipe(t);
    const child = logging(t, writer);
    closeSync(writer);
    closeSync(reader);
    assert.equal((await heard(child)).lost, written);
    child.send('end');
    assert.equal((await heard(child)).lost, written + 1);
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });

  test('ends with its program, which does not wait for the reader for longer than a moment', async (t) => {
    const { reader, writer } = pipe(t);
    t.after(() => closeSync(reader));
    const child = logging(t, writer);
    closeSync(writer);
    await heard(child);
    const from = performance.now();
    child.send('end');
    assert.deepEqual(await once(child, 'exit'), [0, null]);
    assert.ok(performance.now() - from < 10_000);
  });
});
