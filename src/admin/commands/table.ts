import type { Command } from './command.ts';
import { fleetCommands } from './fleet-commands.ts';
import { paymentCommands } from './payment-commands.ts';
import { setupCommands } from './setup-commands.ts';
import { shellCommands } from './shell-commands.ts';
import { terminalCommands } from './terminal-commands.ts';
import { tillCommands } from './till-commands.ts';
import { watchCommands } from './watch-commands.ts';

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
