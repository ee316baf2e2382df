import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseCommandLine } from '../../../src/admin/commands/command-line.ts';
import { callText, type Command, optionText } from '../../../src/admin/commands/command.ts';
import { handlers } from '../../../src/admin/commands/handlers.ts';
import { commandHelp, overview } from '../../../src/admin/commands/help.ts';
import { commands, commandsOf } from '../../../src/admin/commands/table.ts';
import { parseRunFlags } from '../../../src/main/run-flags.ts';
import { UsageError } from '../../../src/base/usage-error.ts';

/** The words of a command in a line of a shell. */
function wordsOf(line: string): string[] {
  const [, call = assert.fail(line)] = /(?:^|[(|;&] ?)poid ([^|<>&;)]*)/.exec(line) ?? [];
  return [...call.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
}

function named(name: string): Command {
  return commands.find((each) => each.name === name) ?? assert.fail(name);
}

describe('the table of commands', () => {
  test('each example is a call of its own command, and can be parsed', () => {
    for (const command of commands) {
      const { name, examples } = command;
      assert.ok(examples.length > 0, name);
      for (const [line] of examples) {
        const words = wordsOf(line);
        const own = name.split(' ');
        assert.deepEqual(words.slice(0, own.length), own, line);
        assert.doesNotThrow(() => parseCommandLine(command, words.slice(own.length)), line);
      }
    }
  });

  test('each command has a handler, an end that is success, and a sentence without a full stop', () => {
    const others = commands.filter(({ name }) => name !== 'run' && name !== 'sim').map(({ name }) => name as string);
    assert.deepEqual(Object.keys(handlers).toSorted(), others.toSorted());
    for (const { name, exits, what } of commands) {
      assert.equal(exits[0]?.[0], 0, name);
      assert.match(what, /^[a-z].*[^.]$/, name);
    }
  });

  test('`run` takes the same flags on its way past the table', () => {
    for (const option of named('run').options ?? []) {
      const words = [`--${option.flag}`, ...(option.value === undefined ? [] : [option.choices?.[0] ?? '1'])];
      const parsed = parseRunFlags(words) as Record<string, unknown> | undefined;
      assert.deepEqual(parsed && { ...parsed }, { [option.flag]: option.value === undefined ? true : words[1] });
    }
    for (const words of [['--help'], ['--nope'], ['--port'], ['more']]) assert.equal(parseRunFlags(words), undefined);
  });

  test('the flags of a command that a program reads are all in its help', () => {
    for (const command of commands) {
      const help = commandHelp(command);
      for (const option of command.options ?? [])
        assert.ok(help.includes(`  ${optionText(option)} `), optionText(option));
      for (const [code, meaning] of command.exits)
        assert.ok(help.replaceAll(/\s+/g, ' ').includes(` ${code} ${meaning}`), `${command.name} ${code}`);
      assert.ok(overview('1').includes(`  ${callText(command)} `), command.name);
    }
    assert.equal(commandsOf('config').length, 4);
  });

  for (const [name, words, sentence] of [
    ['doctor', ['--jsn'], 'doctor has no flag --jsn; did you mean --json?'],
    ['doctor', ['--jsn=1'], 'doctor has no flag --jsn; did you mean --json?'],
    ['doctor', ['me'], 'doctor takes no arguments'],
    ['unpair', [], 'unpair takes POSID: poid unpair POSID'],
    ['unpair', ['A', 'B'], 'unpair takes POSID: poid unpair POSID'],
    ['config check', [], 'config check takes FILE: poid config check FILE'],
    ['await-idle', ['--wait'], '--wait SECONDS: its value is missing'],
    ['completion', ['bsh'], 'completion takes bash, zsh, fish; did you mean bash?'],
    ['config sample', ['EDC', 'CUPP'], 'config sample takes EDC, CUP, EPS, QR, OCTOPUS, CASH; did you mean CUP?'],
  ] as const) {
    test(`${name} ${words.join(' ')}: ${sentence}`, () => {
      assert.throws(() => parseCommandLine(named(name), words), new UsageError(sentence));
    });
  }

  test('a choice may be written in small letters, and words behind -- are arguments', () => {
    assert.deepEqual(parseCommandLine(named('config sample'), ['edc', 'Cash']).parameters, ['EDC', 'CASH']);
    const { flags, parameters } = parseCommandLine(named('unpair'), ['--state-dir', '/x', '--', '--config']);
    assert.deepEqual([flags['state-dir'], flags['config'], parameters], ['/x', undefined, ['--config']]);
  });

  test('the daemon’s start loads neither the table nor its parser', () => {
    const text = readFileSync(new URL('../../../src/main/cli.ts', import.meta.url), 'utf8');
    assert.doesNotMatch(text, /^import .*\/commands\/|^import .*commander/m);
    assert.match(text, /await import\('\.\.\/admin\/commands\/run-command\.ts'\)/);
  });
});
