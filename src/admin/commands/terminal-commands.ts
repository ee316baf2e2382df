import type { Command, Option } from './command.ts';
import { config, impossible, json, root, stateDir } from './common.ts';

/** Of the simulator, by itself or with `run --sim`. */
const simulatorOptions = [
  { flag: 'sim-port', value: 'N', what: 'port of the simulator’s page; 8090 if absent, 0 takes any free one' },
  {
    flag: 'sim-dir',
    value: 'DIR',
    what: 'where the simulator writes a configuration; .poid/sim if absent',
    completes: 'directory',
  },
  {
    flag: 'reader',
    value: 'NAME',
    what: 'the simulated card reader: neo2 is on a serial line, the others are HID',
    choices: ['neo2', 'neo2-hid', 'mms'],
  },
  {
    flag: 'carrier',
    value: 'WAY',
    what: 'of a HID reader: a device of the kernel, or a stream; whichever this machine has if absent',
    choices: ['uhid', 'stream'],
  },
  { flag: 'key', value: 'SCHEME', what: 'how the reader encrypts cards and PINs', choices: ['tdes', 'aes'] },
  {
    flag: 'quick-chip',
    what: 'a neo2 completes a chip by itself, and the card may be removed before the host answers',
  },
  { flag: 'plain-hosts', what: 'the simulated hosts of cards speak no TLS, and the terminal is configured so' },
  {
    flag: 'mac',
    value: 'ALGORITHM',
    what: 'the authentication code of messages to the simulated hosts of cards; none if absent',
    choices: ['iso9797-1', 'iso9797-3', 'aesCmac'],
  },
  {
    flag: 'mac-key',
    value: 'SOURCE',
    what: 'with --mac and --dialect: whether the key of BANK is always the same, its host sends it, or each message has its own',
    choices: ['fixed', 'session', 'dukpt'],
  },
  { flag: 'wallets', value: 'FILE', what: 'further wallets of the simulated host', completes: 'file' },
  {
    flag: 'dialect',
    value: 'FILE',
    what: 'a further card host, BANK, with the messages of this file',
    completes: 'file',
  },
  { flag: 'auto', what: 'the simulator plays the customer' },
] as const satisfies readonly Option[];

export const terminalCommands = [
  {
    name: 'run',
    group: 'terminal',
    rights: 'service',
    what: 'run the terminal',
    more: [
      'systemd runs it as poid.service. With --sim it runs with its hardware simulator, and needs no configuration.',
    ],
    options: [
      {
        ...config,
        what: 'the configuration; /etc/poid/poid.json if absent. With --sim it is merged over the simulator’s',
      },
      { flag: 'sim', what: 'with the hardware simulator' },
      { flag: 'port', value: 'N', what: 'port of the terminal’s API; 0 takes any free one' },
      { flag: 'screen-port', value: 'N', what: 'port of the screen on loopback; 0 takes any free one' },
      { ...stateDir, what: 'the state directory; that of the configuration, with --sim .poid/state if absent' },
      ...simulatorOptions.map((each) => ({ ...each, what: `with --sim: ${each.what}` })),
    ],
    examples: [
      ['poid run --config /etc/poid/poid.json', 'The terminal, as the unit starts it.'],
      ['poid run --sim --auto', 'A terminal to try, whose simulated customer taps by itself.'],
    ],
    exits: [
      [0, 'an orderly end'],
      [1, 'it can’t run'],
    ],
  },
  {
    name: 'sim',
    group: 'terminal',
    rights: 'service',
    what: 'run the simulator alone',
    more: ['On an installed terminal it is in the package poid-sim.'],
    options: simulatorOptions,
    examples: [['poid sim --reader mms', 'Writes .poid/sim/poid.json, a configuration for poid run --config.']],
    exits: [
      [0, 'an orderly end'],
      [1, 'it can’t run'],
    ],
  },
  {
    name: 'await-idle',
    group: 'terminal',
    rights: 'caller',
    what: 'wait until no payment and no settlement runs',
    more: ['An upgrade of the package waits so; with --reversals, an update of an image.'],
    options: [
      config,
      { flag: 'wait', value: 'SECONDS', what: 'how long at most; 180 if absent' },
      { flag: 'reversals', what: 'until no reversal waits for its host, too' },
    ],
    examples: [['poid await-idle --wait 60 && systemctl restart poid', 'Restarts the terminal when nobody pays.']],
    exits: [
      [0, 'idle, or the terminal is off'],
      [1, 'it is unknown'],
      [3, 'still busy'],
    ],
  },
  {
    name: 'unsettled',
    printsOnly: true,
    group: 'terminal',
    rights: 'owner',
    locksJournal: true,
    what: 'say what money only this terminal’s journal can bring to its end',
    more: ['What waits for a host or a bank, and what no host has settled. The terminal must be stopped.'],
    options: [config, stateDir, root, json],
    examples: [['poid unsettled --json', 'Before a disk is replaced.']],
    exits: [
      [0, 'nothing'],
      [1, 'it is unknown'],
      [3, 'something, a line for each'],
    ],
  },
  {
    name: 'operator-password',
    group: 'setup',
    rights: 'owner',
    what: 'set the password of the menu on the terminal’s screen',
    more: [
      'Without it the menu is off. It is asked for twice; from a pipe, the first line of standard input is taken.',
    ],
    options: [config, stateDir, root],
    examples: [['poid operator-password', 'Six to 32 digits, which the terminal takes at once.']],
    exits: [[0, 'the password is set'], impossible],
  },
  {
    name: 'pairings',
    printsOnly: true,
    group: 'setup',
    rights: 'owner',
    what: 'list the paired points of sale',
    options: [config, stateDir, root],
    examples: [['poid pairings', 'A line each: posId, key and time.']],
    exits: [[0, 'they are listed'], impossible],
  },
  {
    name: 'unpair',
    group: 'setup',
    rights: 'owner',
    what: 'revoke the key of a point of sale, at once',
    takes: [{ name: 'POSID', what: 'as poid pairings lists it' }],
    options: [config, stateDir, root],
    examples: [['poid unpair POS-1', 'Its next call is refused.']],
    exits: [[0, 'the key is revoked'], impossible],
  },
] as const satisfies readonly Command[];
