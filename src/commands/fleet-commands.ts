import type { Command } from './command.ts';
import { config, done, impossible, root, stateDir } from './common.ts';

/** One terminal among many: updates, signed documents, and who is silent. */
export const fleetCommands = [
  {
    name: 'fleet update-agent',
    group: 'watch',
    what: 'ask hawkBit for updates and install them by RAUC; poid-update.service of an image calls it',
    more: [
      'Runs until it is ended. It installs in the maintenance window, while nobody pays and no reversal waits for its host, and tells hawkBit each step. Without updates in the configuration it ends at once.',
    ],
    options: [config, stateDir, root],
    examples: [['poid fleet update-agent', 'As root; the unit does it.']],
    exits: [done, impossible],
  },
] as const satisfies readonly Command[];
