import type { Command } from './command.ts';
import { done } from './common.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;

/** About the command itself. */
export const shellCommands = [
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
