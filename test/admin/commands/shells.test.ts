import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { completionFor } from '../../../src/admin/commands/completion.ts';
import { manualPage, simulatorPage } from '../../../src/admin/commands/manual.ts';
import { shells, commands } from '../../../src/admin/commands/table.ts';
import { needs } from '../../support/needs.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'poid-shells-'));
after(() => rmSync(dir, { recursive: true }));

function written(name: string, text: string): string {
  const file = path.join(dir, name);
  writeFileSync(file, text);
  return file;
}

/** What bash offers behind these words; the last one is being written. */
function offered(...words: string[]): string[] {
  const script = `source ${written('poid', completionFor('bash'))}
    COMP_WORDS=("$@"); COMP_CWORD=$((${words.length})); COMP_WORDS=(poid "$@")
    _poid; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

describe('completion', () => {
  test('bash offers commands, members, flags and choices', () => {
    assert.deepEqual(offered('do'), ['doctor']);
    assert.deepEqual(offered('config', 's'), ['schema', 'sample']);
    assert.deepEqual(offered('config', 'sample', 'O'), ['OCTOPUS']);
    assert.deepEqual(offered('run', '--reader', 'neo2-'), ['neo2-hid']);
    assert.deepEqual(offered('doctor', '--j'), ['--json']);
    assert.deepEqual(offered('config', 'check', path.join(dir, 'po')), [path.join(dir, 'poid')]);
    for (const { name, options = [] } of commands) {
      const flags = offered(...name.split(' '), '--');
      for (const { flag } of options) assert.ok(flags.includes(`--${flag}`), `${name} --${flag}`);
    }
  });

  for (const shell of shells) {
    test(`${shell} can read its own`, shell === 'bash' ? {} : needs(shell), () => {
      const file = written(`completion.${shell}`, completionFor(shell));
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  test('fish and zsh are told of every command and flag', () => {
    for (const { name, options = [] } of commands) {
      const word = name.split(' ').at(-1);
      assert.match(completionFor('fish'), new RegExp(` -a ${word} -d '`));
      assert.match(completionFor('zsh'), new RegExp(`'${word}:`));
      for (const { flag } of options) {
        assert.ok(completionFor('fish').includes(` -l ${flag} -d `), flag);
        assert.ok(completionFor('zsh').includes(`'--${flag}[`), flag);
      }
    }
  });
});

describe('man pages', () => {
  for (const [name, page] of [
    ['poid', manualPage('1.2.3~git20261123.g1', '2026-11-23')],
    ['poid-sim', simulatorPage('1.2.3~git20261123.g1', '2026-11-23')],
  ] as const) {
    // As lintian judges it: groff-message.
    test(`${name}(8) has nothing that groff warns of`, needs('groff'), () => {
      const flags = ['-Tutf8', '-Z', '-ww', '-man', '-rLL=117n', '-rLT=117n', '-wmac', written(`${name}.8`, page)];
      const { status, stderr } = spawnSync('groff', flags, {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      });
      assert.deepEqual([status, stderr], [0, '']);
    });
  }

  test('poid(8) shows each command with its flags and exit codes', needs('groff'), () => {
    const text = execFileSync(
      'groff',
      ['-Tascii', '-P-cbou', '-man', '-rLL=3000n', written('shown.8', manualPage('1~git2.local', '2026'))],
      {
        encoding: 'utf8',
      },
    ).replaceAll('\u00ad', '-');
    assert.match(text, /poid 1~git2\.local/);
    for (const { name, options = [], exits } of commands) {
      assert.ok(text.includes(`poid ${name}`), name);
      for (const { flag } of options) assert.ok(text.includes(`--${flag}`), flag);
      for (const [code, meaning] of exits)
        assert.ok(
          text.replaceAll(/\s+/g, ' ').includes(`${code} ${meaning.replaceAll('’', "'")}`),
          `${name} ${code} ${meaning}`,
        );
    }
  });
});
