import { codeOfPrinted, OutputError, outliveReaders } from '../../base/standard-output.ts';
import { currentVersion } from '../../observability/version.ts';
import { UsageError } from '../../base/usage-error.ts';
import { type CommandLine, meant, parseCommandLine } from './command-line.ts';
import type { Command } from './command.ts';
import { handlers } from './handlers.ts';
import { commandHelp, overview } from './help.ts';
import { type CommandName, commands, commandsOf, families } from './table.ts';

/** `run` starts the daemon, which only the command line may load. */
type Run = (line: CommandLine) => Promise<number>;

/** Any command by its words. Resolves with its exit code; rejects with UsageError, or with the command's own error. */
export async function runCommand(words: readonly string[], run: Run): Promise<number> {
  const [first, ...rest] = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  if (first === undefined || first === '--help' || first === '-h') return print(overview(currentVersion()));
  if (first === '--version') return print(currentVersion());
  const isFamily = families.includes(first);
  const asksForHelp = isHelp(rest);
  if (isFamily && asksForHelp && isHelp(rest.slice(0, 1)))
    return print(commandsOf(first).map(commandHelp).join('\n\n\n'));
  const command = commands.find(({ name }) => name === (isFamily ? `${first} ${rest[0]}` : first));
  if (!command) throw isFamily ? unknownMember(first, rest[0]) : unknownCommand(words);
  if (asksForHelp) return print(commandHelp(command));
  const line = parseCommandLine(command, isFamily ? rest.slice(1) : rest);
  if (command.name === 'run' || command.name === 'sim') return run(line);
  outliveReaders();
  const code = await handlers[command.name](await withRights(command, line)).catch(asUntaken);
  return command.printsOnly ? codeOfPrinted(code) : code;
}

/** The owner wrote what is in the state directory, so root reads it with that user's rights. */
async function withRights({ rights, locksJournal }: Command, line: CommandLine): Promise<CommandLine> {
  if (rights !== 'owner') return line;
  const { becomeStateOwner } = await import('../owner-rights.ts');
  return { ...line, flags: { ...line.flags, 'state-dir': await becomeStateOwner(line.flags, locksJournal === true) } };
}

/** The reader of the output has gone: `codeOfPrinted` decides whether that is a fault. */
function asUntaken(error: unknown): number {
  if (error instanceof OutputError) return 0;
  throw error;
}

async function print(text: string): Promise<number> {
  outliveReaders();
  console.log(text);
  return codeOfPrinted(0);
}

/** Asked for before '--', behind which every word is an argument. */
function isHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some((each) => each === '--help' || each === '-h');
}

function unknownCommand(words: readonly string[]): UsageError {
  const [first = ''] = words;
  if (first.startsWith('-')) return new UsageError(`the command comes first, then its flags: poid COMMAND ${first}`);
  const known: readonly CommandName[] = commands.map(({ name }) => name);
  return new UsageError(`there is no command '${words.join(' ')}'${meant(first, [...known, ...families])}`);
}

function unknownMember(family: string, written = ''): UsageError {
  const members = commandsOf(family).map(({ name }) => name.slice(family.length + 1));
  return new UsageError(`${family} takes: ${members.join(', ')}${meant(written, members)}`);
}
