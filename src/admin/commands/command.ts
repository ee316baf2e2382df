/** The kind of a value, for a shell's completion. */
export type Completes = 'file' | 'directory';

interface Taken {
  readonly what: string;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

/** A word that the command takes by its place. */
export interface Argument extends Taken {
  readonly name: string;
  readonly optional?: boolean;
  /** As many as are given. */
  readonly many?: boolean;
}

export interface Option extends Taken {
  readonly flag: string;
  /** The flag's value; a switch has none. */
  readonly value?: string;
  /** The value may be left out. */
  readonly mayBeAlone?: boolean;
}

/** A command line, and what it does. */
export type Example = readonly [line: string, what: string];
export type ExitCode = readonly [code: number, meaning: string];

export const groups = {
  terminal: 'The terminal',
  till: 'A point of sale, played against any terminal',
  setup: 'Setting up',
  watch: 'Looking after it',
} as const;

/**
 * The rights that a command uses when root runs it. caller: it uses nothing in the state directory. owner: it switches
 * to the rights of the directory's owner before it begins. both: it also reads or changes root's files, and uses the
 * owner's rights only for the directory. service: it refuses to run as root if the directory belongs to another user.
 */
export type Rights = 'caller' | 'owner' | 'both' | 'service';

/** One command: help, completion and the man page are made of it, and its words are parsed by it. */
export interface Command {
  /** As it is called, without `poid`: 'config check'. */
  readonly name: string;
  readonly group: keyof typeof groups;
  readonly rights: Rights;
  /** It locks the journal's directory: for root that is done before it takes on the owner's rights. */
  readonly locksJournal?: true;
  /** One line, in the imperative. */
  readonly what: string;
  /** Further paragraphs. */
  readonly more?: readonly string[];
  readonly takes?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples: readonly Example[];
  /** It only prints, so it has failed if its output can't be written. */
  readonly printsOnly?: true;
  /** Besides 2, wrong usage, which every command has. */
  readonly exits: readonly ExitCode[];
}

/** 'FILE', '[NAME...]'. */
export function argumentText({ name, optional, many }: Argument): string {
  const text = `${name}${many ? '...' : ''}`;
  return optional ? `[${text}]` : text;
}

/** '--config FILE', '--sim [URL]', '--json'. */
export function optionText({ flag, value, mayBeAlone }: Option): string {
  if (value === undefined) return `--${flag}`;
  return `--${flag} ${mayBeAlone ? `[${value}]` : value}`;
}

/** 'pay AMOUNT', without its options. */
export function callText({ name, takes = [] }: Command): string {
  return [name, ...takes.map(argumentText)].join(' ');
}
