import type { Command } from './command.ts';
import { fleetCommands } from './fleet-commands.ts';
import { paymentCommands } from './payment-commands.ts';
import { setupCommands } from './setup-commands.ts';
import { terminalCommands } from './terminal-commands.ts';
import { tillCommands } from './till-commands.ts';
import { watchCommands } from './watch-commands.ts';
import { done } from './common.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** About the command itself. */
const shellCommands = [
  {
    name: 'completion',
    printsOnly: true,
    group: 'watch',
    rights: 'caller',
    what: 'print what a shell needs to complete commands and flags',
    more: ['The Debian package installs it for all three shells.'],
    takes: [{ name: 'SHELL', what: 'the shell', choices: shells }],
    examples: [
      ['eval "$(poid completion bash)"', 'For this shell, from a checkout.'],
      ['poid completion fish > ~/.config/fish/completions/poid.fish', 'For good.'],
    ],
    exits: [done],
  },
] as const satisfies readonly Command[];

const declared = [
  ...terminalCommands,
  ...paymentCommands,
  ...tillCommands,
  ...setupCommands,
  ...watchCommands,
  ...fleetCommands,
  ...shellCommands,
] as const;

export type CommandName = (typeof declared)[number]['name'];

/** Every command. To add one: its entry in a file beside this one, and its handler in handlers.ts. */
export const commands: readonly (Command & { readonly name: CommandName })[] = declared;

/** The first word of those whose name has two: config. */
export const families: readonly string[] = [
  ...new Set(commands.flatMap(({ name }) => (name.includes(' ') ? [name.replace(/ .*/, '')] : []))),
];

/** The commands of a family, or the one of this name. */
export function commandsOf(word: string): readonly Command[] {
  return commands.filter(({ name }) => name === word || name.startsWith(`${word} `));
}
