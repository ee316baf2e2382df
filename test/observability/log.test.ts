import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test, type TestContext } from 'node:test';

const log = new URL('../../src/observability/log.ts', import.meta.url);

// A line is read as the tests find it: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Line = any;

/** Runs `script` with `log` open in a process of its own; what it wrote on standard output and standard error. */
async function logged(t: TestContext, script: string, level = 'info') {
  const source = `import { openLog } from ${JSON.stringify(log.href)};\nconst log = openLog('${level}');\n${script}`;
  const parameters = ['--input-type=module', '--eval', source];
  const child = spawn(process.execPath, parameters, { cwd: fileURLToPath(new URL('../..', import.meta.url)) });
  t.after(() => child.kill('SIGKILL'));
  const [out, err] = [child.stdout, child.stderr].map(async (stream) => (await stream.toArray()).join(''));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  const text = (await err) ?? '';
  const lines = text.split('\n').slice(0, -1);
  return { code, signal, out: await out, text, lines: lines.map((line): Line => JSON.parse(line)) };
}

describe('the log', () => {
  test('is JSON lines on standard error, with the level, the time and the event', async (t) => {
    const { out, lines } = await logged(
      t,
      `log.info('card reader', { device: 'neo2', state: 'ready' }); log.warn('late answer', { acquirerId: 'EDC' }); log.info('bare');`,
    );
    assert.equal(out, '');
    const [first, second, third] = lines;
    assert.partialDeepStrictEqual(first, { level: 30, msg: 'card reader', device: 'neo2', state: 'ready' });
    assert.partialDeepStrictEqual(second, { level: 40, msg: 'late answer', acquirerId: 'EDC' });
    assert.equal(third.msg, 'bare');
    assert.ok(Math.abs(Date.now() - first.time) < 60_000);
  });

  test('leaves out what is below its level', async (t) => {
    const { lines } = await logged(t, `log.info('no'); log.warn('yes'); log.failure('too', new Error('x'));`, 'warn');
    assert.deepEqual(
      lines.map(({ msg }: Line) => msg),
      ['yes', 'too'],
    );
  });

  test('has its last line on standard error when the process is killed', async (t) => {
    const { signal, lines } = await logged(
      t,
      // So many fit in the buffer of a pipe whose reader has not begun to read.
      `for (let line = 0; line < 100; line++) log.info('line ' + line); process.kill(process.pid, 'SIGKILL');`,
    );
    assert.equal(signal, 'SIGKILL');
    assert.equal(lines.length, 100);
    assert.equal(lines.at(-1).msg, 'line 99');
  });
});

describe('card data', () => {
  test('has no field: what the list does not name is not written', async (t) => {
    const { text, lines } = await logged(
      t,
      `log.info('card', { pan: '4761739001010119', card: { track2: '4761739001010119=2512' }, emv: new Map([['5A', '4761739001010119']]), state: 'x' });
       log.warn('card', { pan: '4761739001010119', cause: new Error('4761739001010119') });`,
    );
    assert.ok(!text.includes('4761739001010119'), text);
    assert.deepEqual(Object.keys(lines[0]), ['level', 'time', 'state', 'msg']);
    assert.deepEqual(Object.keys(lines[1]), ['level', 'time', 'msg']);
  });

  for (const written of [
    '4761739001010119',
    '4761 7390 0101 0119',
    '4761-7390-0101-0119',
    ';4761739001010119=25122010000000000000?',
  ]) {
    test(`in a message or a field is scrubbed: ${written}`, async (t) => {
      const { text, lines } = await logged(
        t,
        `const written = ${JSON.stringify(written)};
         log.failure('reader', new Error('unexpected ' + written + ' here'));
         log.info('event ' + written, { reason: written });
         log.warn('event ' + written, { code: written, port: Number(written.replace(/\\D/g, '').slice(0, 16)) });`,
      );
      assert.equal(lines.length, 3);
      assert.doesNotMatch(text.replace(/[ -]/g, ''), /476173900101/);
      assert.match(lines[0].reason, /0119/);
    });
  }

  test('of an error only name, code and scrubbed message are kept: no stack, no cause, no fields', async (t) => {
    const { text, lines } = await logged(
      t,
      `const cause = new Error('inner 4761739001010119');
       const error = Object.assign(new RangeError('outer', { cause }), { code: 'EIO', frame: '4761739001010119' });
       error.stack = 'at collect(4761739001010119)';
       log.failure('reader', error);
       log.failure('reader', '4761739001010119');
       log.failure('reader', { pan: '4761739001010119' });
       log.failure('reader', undefined);`,
    );
    assert.ok(!text.includes('47617390'), text);
    assert.partialDeepStrictEqual(lines[0], {
      level: 50,
      msg: 'reader',
      error: 'RangeError',
      code: 'EIO',
      reason: 'outer',
    });
    assert.deepEqual(Object.keys(lines[0]), ['level', 'time', 'error', 'code', 'reason', 'msg']);
    assert.deepEqual(
      lines.slice(1).map(({ error }: Line) => error),
      ['string', 'object', 'undefined'],
    );
  });
});

describe('in the journal of systemd', () => {
  /** What a program of these lines, or poid with these parameters, wrote to the stream that JOURNAL_STREAM names, or to another. */
  async function written(t: TestContext, parameters: readonly string[], named: 'this' | 'another'): Promise<string[]> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-log-'));
    t.after(() => rm(dir, { recursive: true }));
    const file = await open(path.join(dir, 'stream'), 'w+');
    t.after(() => file.close());
    const { dev, ino } = await file.stat({ bigint: true });
    const stream = `${dev}:${named === 'this' ? ino : ino + 1n}`;
    const child = spawn(process.execPath, parameters, {
      stdio: ['ignore', 'ignore', file.fd],
      env: { ...process.env, JOURNAL_STREAM: stream },
    });
    await once(child, 'exit');
    return (await readFile(path.join(dir, 'stream'), 'utf8')).split('\n').slice(0, -1);
  }
  const script = [
    `import { openLog } from ${JSON.stringify(log.href)};`,
    `const log = openLog('debug');`,
    `log.info('a'); log.warn('b'); log.failure('c', new Error('x')); log.info('d');`,
  ].join('\n');
  const logging = ['--input-type=module', '--eval', script];

  test('every line has its priority', async (t) => {
    const lines = await written(t, logging, 'this');
    assert.deepEqual(
      lines.map((line) => [line.slice(0, 3), JSON.parse(line.slice(3)).msg]),
      [
        ['<6>', 'a'],
        ['<4>', 'b'],
        ['<3>', 'c'],
        ['<6>', 'd'],
      ],
    );
  });

  test('what ends the program has one too', async (t) => {
    const cli = fileURLToPath(new URL('../../src/main/cli.ts', import.meta.url));
    const lines = await written(t, [cli, 'run', '--config', '/nonexistent/poid.json'], 'this');
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /^<3>poid: /);
  });

  test('a stream that is not its own gets none', async (t) => {
    for (const line of await written(t, logging, 'another')) assert.match(line, /^\{/);
  });
});

test('on a disk that is full its lines are lost, and the program goes on', async (t) => {
  const full = await open('/dev/full', 'w');
  t.after(() => full.close());
  const source = `import { openLog } from ${JSON.stringify(log.href)};
    const log = openLog('info'); for (let each = 0; each < 3; each++) log.info('a line'); console.log('went on');`;
  const stdio = ['ignore', 'pipe', full.fd] as const;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: [...stdio] });
  t.after(() => child.kill('SIGKILL'));
  const said = child.stdout?.toArray();
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.deepEqual([code, String(await said)], [0, 'went on\n']);
});
