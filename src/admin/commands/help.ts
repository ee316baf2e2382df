import { styleText } from 'node:util';
import { callText, type Command, type ExitCode, groups, optionText } from './command.ts';
import { commands } from './table.ts';

const usageExit: ExitCode = [2, 'wrong usage'];

/** Colour and bold letters are for a terminal, and not where NO_COLOR asks for none. */
const heading = (text: string) => styleText('bold', text, { stream: process.stdout });

/** `poid --help`. */
export function overview(version: string): string {
  const width = Math.max(...commands.map((each) => callText(each).length));
  const sections = Object.entries(groups).map(([group, title]) => {
    const lines = commands
      .filter((each) => each.group === group)
      .map((each) => `  ${callText(each).padEnd(width)}  ${each.what}`);
    return [heading(title), ...lines].join('\n');
  });
  const run = commands.find(({ name }) => name === 'run');
  const flags = [
    `${heading('Flags of run')}, which poid run --help explains`,
    ...wrap((run?.options ?? []).map(optionText), 2),
  ];
  return [
    `poid ${version}, the payment service of a card terminal`,
    ...sections,
    flags.join('\n'),
    'poid COMMAND --help has its flags, examples and exit codes. man poid has all of them.',
  ].join('\n\n');
}

/** `poid COMMAND --help`. */
export function commandHelp(command: Command): string {
  const { what, more = [], takes = [], options = [], examples } = command;
  const table = (rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([left]) => left.length));
    return rows.map(([left, right]) => hang(`  ${left.padEnd(width)}  `, right)).join('\n');
  };
  const known = (each: { readonly what: string; readonly choices?: readonly string[] }) =>
    each.choices ? `${each.what} (${each.choices.join(', ')})` : each.what;
  const flags = options.map((each) => [optionText(each), known(each)] as const);
  return [
    `poid ${callText(command)}${options.length > 0 ? ' [flags]' : ''}`,
    hang('', `${capitalized(what)}.`),
    ...more.map((each) => hang('', each)),
    ...(takes.length === 0 ? [] : [`${heading('Arguments')}\n${table(takes.map((each) => [each.name, known(each)]))}`]),
    ...(flags.length === 0 ? [] : [`${heading('Flags')}\n${table(flags)}`]),
    `${heading('Examples')}\n${examples.map(([line, why]) => `  ${line}\n${hang('      ', why)}`).join('\n')}`,
    `${heading('Exit codes')}\n${table(exitsOf(command).map(([code, meaning]) => [String(code), meaning]))}`,
  ].join('\n\n');
}

/** With the one that every command has, in order. */
export function exitsOf({ exits }: Command): readonly ExitCode[] {
  return [...exits, usageExit].toSorted(([one], [other]) => one - other);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const columns = 100;

/** A text behind a label, its further lines below its first. */
function hang(label: string, text: string): string {
  const indent = ' '.repeat(label.length);
  return wrap(text.split(' '), label.length, ' ').join('\n').replace(indent, label);
}

function wrap(words: readonly string[], indent: number, between = '  '): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + between.length + word.length > columns)
      lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = last + between + word;
  }
  return lines;
}
