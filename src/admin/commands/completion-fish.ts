import type { Command, Completes } from './command.ts';
import { commands, commandsOf, families } from './table.ts';

/** fish loads it as poid.fish of a directory of completions. */
export function fishCompletion(): string {
  const single = commands.filter(({ name }) => !name.includes(' '));
  const lines = [
    'complete -c poid -f',
    'complete -c poid -n __fish_use_subcommand -l version -d version',
    ...families.map((family) => `complete -c poid -n __fish_use_subcommand -a ${family}`),
    ...single.map(({ name, what }) => `complete -c poid -n __fish_use_subcommand -a ${name} -d ${quoted(what)}`),
    ...families.flatMap(membersOf),
    ...commands.flatMap(linesOf),
  ];
  return `# fish completion for poid(8)\n${lines.join('\n')}\n`;
}

function membersOf(family: string): string[] {
  const names = commandsOf(family).map(({ name }) => name.slice(family.length + 1));
  const when = quoted(`__fish_seen_subcommand_from ${family}; and not __fish_seen_subcommand_from ${names.join(' ')}`);
  return commandsOf(family).map(
    ({ name, what }) => `complete -c poid -n ${when} -a ${name.slice(family.length + 1)} -d ${quoted(what)}`,
  );
}

function linesOf({ name, takes = [], options = [] }: Command): string[] {
  const when = quoted(
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and '),
  );
  const start = `complete -c poid -n ${when}`;
  return [
    ...options.map(({ flag, value, mayBeAlone, ...taken }) => {
      const follows = value === undefined || mayBeAlone ? '' : ` ${offer(taken) || '-x'}`;
      return `${start} -l ${flag} -d ${quoted(taken.what)}${follows}`;
    }),
    `${start} -l help -d 'say how it is used'`,
    ...takes.flatMap((each) => (offer(each) === '' ? [] : [`${start} ${offer(each).replace(/^-[xr] /, '')}`])),
  ];
}

function offer({ choices, completes }: { readonly choices?: readonly string[]; readonly completes?: Completes }) {
  if (choices) return `-x -a ${quoted(choices.join(' '))}`;
  if (completes === undefined) return '';
  return completes === 'file' ? '-r -F' : "-x -a '(__fish_complete_directories)'";
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`;
}
