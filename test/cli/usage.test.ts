import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readVersion } from '../../build/version.ts';
import { ownDirectory, poid } from './poid.ts';

describe('poid', { concurrency: 2 }, () => {
  test('--version says the version of the build', async (t) => {
    const said = { code: 0, signal: null, out: `${readVersion().text}\n`, err: '' };
    assert.deepEqual(await poid(t, '--version'), said);
    assert.deepEqual(await poid(t, 'sim', '--version'), said);
  });

  test('sim in a directory that can’t be made says so in a sentence', async (t) => {
    const { code, err } = await poid(t, 'sim', '--sim-dir', '/dev/null/sim', '--sim-port', '0');
    assert.equal(code, 1);
    assert.match(err, /^simulator: ENOTDIR: .*\/dev\/null\/sim'\n$/);
  });

  for (const parameters of [[], ['run', '-h']]) {
    test(`${parameters.join(' ') || 'alone'} says how it is used`, async (t) => {
      const { code, out, err } = await poid(t, ...parameters);
      assert.equal(code, 0);
      assert.equal(err, '');
      for (const flag of [
        '--config',
        '--sim',
        '--port',
        '--screen-port',
        '--state-dir',
        '--sim-port',
        '--sim-dir',
        '--reader',
        '--carrier',
        '--key',
        '--quick-chip',
        '--auto',
      ]) {
        assert.ok(out.includes(flag), flag);
      }
    });
  }

  for (const [parameters, sentence] of [
    [['sing'], /there is no command 'sing'/],
    [['run', '--nope'], /--nope/],
    [['run', '--config'], /--config/],
    [['run', '--port', 'http'], /--port takes a number/],
    [['run', '--screen-port', '-1'], /--screen-port/],
    [['run', '--auto'], /go with --sim/],
    [['run', '--reader', 'mms'], /go with --sim/],
    [['run', '--carrier', 'uhid'], /go with --sim/],
    [['run', '--key', 'aes'], /go with --sim/],
    [['run', '--quick-chip'], /go with --sim/],
    [['sim', '--nope'], /--nope/],
    [['sim', '--sim-port', '0x10'], /--sim-port/],
    [['sim', '--carrier', 'uhid'], /--carrier goes with a HID reader/],
    [['sim', '--reader', 'other'], /--reader is one of neo2, neo2-hid, mms/],
  ] as const) {
    test(`${parameters.join(' ')}: exit code 2 and a sentence`, async (t) => {
      const { code, out, err } = await poid(t, ...parameters);
      assert.equal(code, 2, err);
      assert.equal(out, '');
      assert.match(err, sentence);
      assert.doesNotMatch(err, /\n {4}at |node:internal/);
    });
  }
});

describe('a configuration that can’t be used: exit code 1, and one sentence that does not quote it', {
  concurrency: 2,
}, () => {
  const secret = 'S3CRET';
  for (const [what, text, sentence] of [
    ['not there', undefined, /can't be read \(ENOENT\)/],
    ['no JSON', `{"shop": ${secret}`, /not a JSON object/],
    ['without a shop', '{}', /wrong at shop/],
    ['with a name that nobody knows', `{"shop":{"name":"x","${secret}":1}}`, /wrong at/],
    ['with a port that is none', '{"shop":{"name":"x"},"screen":{"outcomeMs":"5"}}', /wrong at screen\.outcomeMs/],
  ] as const) {
    test(what, async (t) => {
      const file = path.join(await ownDirectory(t), 'poid.json');
      if (text !== undefined) await writeFile(file, text);
      const { code, out, err } = await poid(t, 'run', '--config', file, '--port', '0', '--screen-port', '0');
      assert.equal(code, 1);
      assert.equal(out, '');
      assert.match(err, sentence);
      assert.match(err, /^poid: [^\n]*\n$/);
      assert.ok(err.includes(file));
    });
  }

  test('a directory', async (t) => {
    const dir = await ownDirectory(t);
    await mkdir(path.join(dir, 'poid.json'));
    const { code, err } = await poid(t, 'run', '--config', path.join(dir, 'poid.json'));
    assert.equal(code, 1);
    assert.match(err, /^poid: [^\n]* is not a regular file\n$/);
  });
});
