import type { Command } from './command.ts';
import { config, done, impossible, json, root, stateDir } from './common.ts';

/** Commands for a fleet: updates, signed documents, and the states of terminals. */
export const fleetCommands = [
  {
    name: 'fleet status',
    printsOnly: true,
    group: 'watch',
    rights: 'caller',
    what: 'tell of each terminal at the broker: who is silent, its version, what is unsettled, its configuration',
    more: ['It reads what the broker has retained, and asks no terminal.'],
    options: [
      { flag: 'url', value: 'URL', what: 'the broker: mqtts://broker.example:8883' },
      { flag: 'ca', value: 'FILE', what: 'PEM: the authority of the broker’s certificate', completes: 'file' },
      { flag: 'certificate', value: 'FILE', what: 'PEM: the certificate of who asks', completes: 'file' },
      { flag: 'key', value: 'FILE', what: 'PEM: its private key', completes: 'file' },
      { flag: 'prefix', value: 'TOPIC', what: 'what all topics begin with; poid/v1 if absent' },
      { flag: 'silent', value: 'MINUTES', what: 'who has said nothing for so long is silent; 10 if absent' },
      json,
    ],
    examples: [
      [
        'poid fleet status --url mqtts://broker.example:8883 --ca ca.pem --certificate desk.pem --key desk.key',
        'A table, a line for each terminal.',
      ],
    ],
    exits: [
      [0, 'all are online, with a journal that is ok, and none has refused its configuration'],
      impossible,
      [3, 'not all'],
    ],
  },
  {
    name: 'fleet sign',
    printsOnly: true,
    group: 'setup',
    rights: 'caller',
    what: 'print the signature of a document for terminals: a configuration, or a request for an extract',
    more: [
      'The file is published as it is, byte for byte, with the signature as user property. A document that every terminal would refuse is not signed.',
    ],
    takes: [{ name: 'FILE', what: 'the document', completes: 'file' }],
    options: [
      { flag: 'key', value: 'FILE', what: 'PEM: the fleet’s private key, Ed25519', completes: 'file' },
      { flag: 'json', what: 'print signature, public key and kind as one JSON document' },
    ],
    examples: [['poid fleet sign configuration-7.json --key fleet.key', 'Prints base64.']],
    exits: [[0, 'it is signed'], impossible],
  },
  {
    name: 'fleet update-agent',
    group: 'watch',
    rights: 'caller',
    what: 'ask hawkBit for updates and install them by RAUC; poid-update.service of an image calls it',
    more: [
      'Runs until it is ended. It installs in the maintenance window, while nobody pays and no reversal waits for its host, and tells hawkBit each step. Without updates in the configuration it ends at once.',
    ],
    options: [config, stateDir, root],
    examples: [['poid fleet update-agent', 'As root; the unit does it.']],
    exits: [done, impossible],
  },
] as const satisfies readonly Command[];
