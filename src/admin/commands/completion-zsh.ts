import type { Argument, Command, Completes, Option } from './command.ts';
import { commands, commandsOf, families } from './table.ts';

/** zsh loads it as _poid of a directory in its fpath. */
export function zshCompletion(): string {
  const first = [
    ...families.map(
      (family) =>
        `${family}:${commandsOf(family)
          .map(({ what }) => what)
          .join('; ')}`,
    ),
    ...commands.filter(({ name }) => !name.includes(' ')).map(({ name, what }) => `${name}:${what}`),
  ];
  return `#compdef poid
_poid() {
  local -a offered
  if (( CURRENT == 2 )); then
    offered=(
${first.map((each) => `      ${quoted(each)}`).join('\n')}
    )
    _describe command offered
    return
  fi
  local command=$words[2]
  case $command in
${families.map(familyCase).join('\n')}
  esac
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
_poid "$@"
`;
}

function familyCase(family: string): string {
  const members = commandsOf(family).map(({ name, what }) => quoted(`${name.slice(family.length + 1)}:${what}`));
  return `    (${family})
      if (( CURRENT == 3 )); then
        offered=(${members.join(' ')})
        _describe command offered
        return
      fi
      command="${family} $words[3]"
      shift words
      (( CURRENT-- ))
      ;;`;
}

function commandCase({ name, takes = [], options = [] }: Command): string {
  const specifications = [...options.map(optionOf), '--help[say how it is used]', ...takes.map(argumentOf)];
  return `    (${quoted(name)})
      _arguments ${specifications.map(quoted).join(' \\\n        ')}
      ;;`;
}

function optionOf({ flag, value, mayBeAlone, ...taken }: Option): string {
  const said = `--${flag}[${escaped(taken.what)}]`;
  return value === undefined ? said : `${said}${mayBeAlone ? '::' : ':'}${value}:${actionOf(taken)}`;
}

function argumentOf({ name, optional, many, ...taken }: Argument, at: number): string {
  const place = many ? '*' : `${at + 1}`;
  return `${place}${optional && !many ? '::' : ':'}${name}:${actionOf(taken)}`;
}

function actionOf({ choices, completes }: { readonly choices?: readonly string[]; readonly completes?: Completes }) {
  if (choices) return `(${choices.join(' ')})`;
  return completes === undefined ? '' : { file: '_files', directory: '_files -/' }[completes];
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, String.raw`\$&`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
