import type { Command } from './command.ts';
import { config, done, impossible, json, root, stateDir } from './common.ts';

const unsettled = [3, 'there is unsettled money, and nothing was changed'] as const;

export const setupCommands = [
  {
    name: 'provision',
    group: 'setup',
    rights: 'both',
    what: 'make this machine a shop’s terminal',
    more: [
      'The file is one JSON object: the configuration with its keys in clear text, and serialNumber. All its faults are reported at once. The configuration is written without the keys; these go where systemd finds them, encrypted for this machine where that is possible.',
    ],
    takes: [{ name: 'FILE', what: 'the file, or - for standard input', completes: 'file' }],
    options: [
      { flag: 'dry-run', what: 'show what would be written' },
      {
        flag: 'plain-hosts',
        what: 'set "security": "none" where an acquirer of cards does not say how its line is protected',
      },
      { flag: 'force', what: 'replace a configuration that is there; a copy with the date stays' },
      config,
      root,
    ],
    examples: [
      ['poid provision --dry-run shop.json', 'Shows what it would do.'],
      ['ssh line cat 1042.json | poid provision -', 'The keys come on no disk in between.'],
    ],
    exits: [[0, 'the terminal is provisioned'], impossible, unsettled],
  },
  {
    name: 'acquirer moved',
    group: 'setup',
    rights: 'both',
    what: 'confirm that an acquirer’s host has moved, with the same books',
    more: [
      'For an address that has changed while payments were queued or unsettled, after the bank has confirmed that the new address is the same host with the same books. The terminal must be stopped, and the configuration must have the new address. Queue and batch are then completed there. Terminal id, merchant id and currencies must be as before. It is recorded who confirmed it.',
    ],
    takes: [{ name: 'ID', what: 'the id of the acquirer: EDC' }],
    options: [config, stateDir, root],
    examples: [['poid acquirer moved EDC', 'As root, while the terminal is stopped.']],
    exits: [done, impossible],
  },
  {
    name: 'announce',
    group: 'setup',
    rights: 'caller',
    what: 'tell Avahi where tills find this terminal; poid-announce.service calls it at each start',
    more: [
      'Writes /etc/avahi/services/poid.service with port, version and the certificate’s fingerprint, or removes it where no till could call. It asks the running terminal for its certificate.',
    ],
    options: [config, stateDir, root],
    examples: [['poid announce', 'As root.']],
    exits: [done, impossible],
  },
  {
    name: 'snapshot',
    group: 'setup',
    rights: 'caller',
    what: 'keep the start-up of this bundle for this runtime, so that the terminal starts sooner',
    more: [
      'The package does it when it is installed. Without a snapshot, or with one of another bundle or runtime, the terminal starts from its bundle.',
    ],
    examples: [['poid snapshot', 'As root.']],
    exits: [done, impossible],
  },
  {
    name: 'factory-reset',
    group: 'setup',
    rights: 'both',
    what: 'remove the shop from the terminal; its serial number and the record of what was done stay',
    more: [
      'Removes all of the shop’s data: journal and records, pairings, password, configuration with the files that it names, keys and tokens, updates, and the log of the machine. In a directory that is not the package’s own, it names the files that stay. It asks for the serial number.',
    ],
    options: [
      { flag: 'yes', value: 'SERIALNUMBER', what: 'the serial number, in place of the question' },
      config,
      stateDir,
      root,
    ],
    examples: [['poid factory-reset', 'The terminal must be stopped, and its batches settled.']],
    exits: [[0, 'the shop is removed'], impossible, unsettled],
  },
  {
    name: 'config check',
    group: 'setup',
    rights: 'caller',
    what: 'tell all that is wrong with a configuration, with line and column',
    takes: [{ name: 'FILE', what: 'the configuration; its keys are not needed', completes: 'file' }],
    options: [json],
    examples: [['poid config check /etc/poid/poid.json', 'A line for each fault, and what was probably meant.']],
    exits: [
      [0, 'it can be used'],
      [1, 'it can’t, or can’t be read'],
    ],
  },
  {
    name: 'config dialect',
    printsOnly: true,
    group: 'setup',
    rights: 'caller',
    what: 'tell all that is wrong with a dialect file of a card host, or print a message of it',
    more: [
      'Each message is built once with invented values. EDC, CUP and EPS are the built-in dialects: without --sample they are printed, to begin a file with.',
    ],
    takes: [{ name: 'FILE', what: 'the dialect file; or EDC, CUP, EPS', completes: 'file' }],
    options: [
      { flag: 'sample', value: 'KIND', what: 'print a message of this kind, field by field: sale, void, settlement' },
      json,
    ],
    examples: [
      ['poid config dialect bank.json', 'A line for each fault, and what was probably meant.'],
      ['poid config dialect EDC --sample sale', 'A sale, field by field.'],
    ],
    exits: [
      [0, 'it can be used'],
      [1, 'it can’t, or can’t be read'],
    ],
  },
  {
    name: 'config schema',
    printsOnly: true,
    group: 'setup',
    rights: 'caller',
    what: 'print the JSON Schema of a configuration',
    examples: [['poid config schema > poid.schema.json', 'For an editor that checks while you write.']],
    exits: [done],
  },
  {
    name: 'config sample',
    printsOnly: true,
    group: 'setup',
    rights: 'caller',
    what: 'print a small configuration that can be used',
    takes: [
      {
        name: 'NAME',
        optional: true,
        many: true,
        what: 'what the terminal is to have; all if none is named',
        choices: ['EDC', 'CUP', 'EPS', 'QR', 'OCTOPUS', 'CASH'],
      },
    ],
    examples: [['poid config sample EDC CASH > poid.json', 'Standard error names the settings that are examples.']],
    exits: [done],
  },
  {
    name: 'selftest',
    group: 'watch',
    rights: 'both',
    what: 'test each part of the terminal',
    more: [
      'Display, touch, printer page, drawer, reader and tap, scanner, PIN pad, network, the acquirers’ hosts, clock, storage wear and watchdog: PASS, FAIL with what to do, or SKIPPED with the reason. No payment is made. The terminal must be stopped: a device has one user at a time.',
    ],
    options: [{ flag: 'unattended', what: 'skip what needs a person at the terminal' }, json, config, stateDir, root],
    examples: [['systemctl stop poid && poid selftest', 'It asks the person at the terminal.']],
    exits: [
      [0, 'no part fails'],
      [1, 'one does, or it can’t be tested'],
    ],
  },
  {
    name: 'doctor',
    group: 'watch',
    rights: 'both',
    what: 'look at all that a payment needs, and say what to do',
    more: [
      'Configuration, keys, unit, priority of the reader’s thread, slot, clock, network, disk, journal, devices and their rights, hosts, certificate and pairing. It changes nothing, and the terminal may run.',
    ],
    options: [json, config, stateDir, root],
    examples: [['poid doctor', 'PASS, WARN, FAIL or SKIPPED, and the command that mends it.']],
    exits: [
      [0, 'nothing fails'],
      [1, 'something does'],
    ],
  },
] as const satisfies readonly Command[];
