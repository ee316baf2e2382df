import {
  Argument as CommanderArgument,
  Command as Commander,
  CommanderError,
  Option as CommanderOption,
} from 'commander';
import { nearestWord } from '../../base/domain/nearest-word.ts';
import { UsageError } from '../../base/usage-error.ts';
import { argumentText, callText, type Command, type Option, optionText } from './command.ts';

/** A switch is true; a flag whose value may be left out is its value, or true. */
export type Flags = Readonly<Record<string, string | true | undefined>>;

export interface CommandLine {
  readonly flags: Flags;
  readonly parameters: readonly string[];
}

/** The words behind a command's name, by its entry in the table. Throws UsageError. */
export function parseCommandLine(command: Command, words: readonly string[]): CommandLine {
  const { takes = [], options = [] } = command;
  const parser = new Commander(command.name).helpOption(false).allowExcessArguments(false).exitOverride();
  parser.configureOutput({ writeErr: () => undefined });
  for (const each of takes) {
    const name = `${each.name}${each.many ? '...' : ''}`;
    parser.addArgument(new CommanderArgument(each.optional ? `[${name}]` : `<${name}>`));
  }
  for (const each of options) parser.addOption(new CommanderOption(commanderFlags(each)));
  try {
    parser.parse(words, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? explain(error, command) : error;
  }
  const values: Record<string, unknown> = parser.opts();
  const flags = parser.options.map((option) => [option.name(), values[option.attributeName()]] as const);
  const parameters = parser.args.map((word, at) => chosen(takes[Math.min(at, takes.length - 1)], word, command.name));
  return { flags: Object.fromEntries(flags.map((each) => checked(each, options))), parameters };
}

function commanderFlags({ flag, value, mayBeAlone }: Option): string {
  if (value === undefined) return `--${flag}`;
  return `--${flag} ${mayBeAlone ? `[${value}]` : `<${value}>`}`;
}

function checked(
  [flag, value]: readonly [string, unknown],
  options: readonly Option[],
): [string, string | true | undefined] {
  const option = options.find((each) => each.flag === flag);
  if (value === undefined || value === false) return [flag, undefined];
  if (typeof value !== 'string') return [flag, true];
  return [flag, chosen(option, value, `--${flag}`)];
}

/** One of the words that are allowed, whatever its capitals. */
function chosen(taken: { readonly choices?: readonly string[] } | undefined, word: string, name: string): string {
  const { choices } = taken ?? {};
  if (!choices) return word;
  const found = choices.find((each) => each.toLowerCase() === word.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`${name} takes ${choices.join(', ')}${meant(word, choices)}`);
}

/** '; did you mean pay?', or nothing. */
export function meant(written: string, words: readonly string[]): string {
  const nearest = nearestWord(written, words);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function explain({ code, message }: CommanderError, command: Command): UsageError {
  const { name, takes = [], options = [] } = command;
  if (code === 'commander.excessArguments' && takes.length === 0) return new UsageError(`${name} takes no arguments`);
  if (code === 'commander.excessArguments' || code === 'commander.missingArgument')
    return new UsageError(`${name} takes ${takes.map(argumentText).join(' ')}: poid ${callText(command)}`);
  const [, flag = ''] = /'(--?[^'= ]*)/.exec(message) ?? [];
  if (code === 'commander.unknownOption') {
    const names = options.map((each) => `--${each.flag}`);
    return new UsageError(`${name} has no flag ${flag}${meant(flag, names)}`);
  }
  const option = options.find((each) => `--${each.flag}` === flag);
  if (code === 'commander.optionMissingArgument' && option)
    return new UsageError(`${optionText(option)}: its value is missing`);
  return new UsageError(message.replace(/^error: /, ''));
}
