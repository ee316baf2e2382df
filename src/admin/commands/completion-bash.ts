import type { Command, Completes } from './command.ts';
import { commands, commandsOf, families } from './table.ts';

/** bash-completion loads it as /usr/share/bash-completion/completions/poid. */
export function bashCompletion(): string {
  return `# bash completion for poid(8)
_poid() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  if ((COMP_CWORD == 1)); then
    _poid_words '${firstWords().join(' ')} --help --version'
    return
  fi
  case $command in
${families.map(familyCase).join('\n')}
  esac
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
_poid_words() {
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}
_poid_file() {
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_poid_directory() {
  mapfile -t COMPREPLY < <(compgen -d -- "$current")
}
complete -F _poid poid
`;
}

function firstWords(): string[] {
  return [...new Set(commands.map(({ name }) => name.replace(/ .*/, '')))];
}

function familyCase(family: string): string {
  const members = commandsOf(family).map(({ name }) => name.slice(family.length + 1));
  return `    ${family})
      if ((COMP_CWORD == 2)); then
        _poid_words '${members.join(' ')} --help'
        return
      fi
      command="${family} \${COMP_WORDS[2]}"
      ;;`;
}

function commandCase({ name, takes = [], options = [] }: Command): string {
  const ofFlags = options.flatMap((each) =>
    each.value === undefined || each.mayBeAlone ? [] : [`        --${each.flag}) ${wordsOf(each) ?? ':'} ;;`],
  );
  const flags = `_poid_words '${[...options.map(({ flag }) => `--${flag}`), '--help'].join(' ')}'`;
  const ofArguments = takes.map(wordsOf).find((each) => each !== undefined);
  const rest = ofArguments === undefined ? flags : `if [[ $current == -* ]]; then ${flags}; else ${ofArguments}; fi`;
  return `    '${name}')
      case $previous in
${ofFlags.map((each) => `${each}\n`).join('')}        *) ${rest} ;;
      esac
      ;;`;
}

/** Undefined if there is nothing to complete. */
function wordsOf(taken: { readonly choices?: readonly string[]; readonly completes?: Completes }): string | undefined {
  if (taken.choices) return `_poid_words '${taken.choices.join(' ')}'`;
  return taken.completes && `_poid_${taken.completes}`;
}
