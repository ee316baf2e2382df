import type { ExitCode, Option } from './command.ts';

/** Options that several commands have. */
export const config = {
  flag: 'config',
  value: 'FILE',
  what: 'the configuration; /etc/poid/poid.json if absent',
  completes: 'file',
} as const satisfies Option;

export const stateDir = {
  flag: 'state-dir',
  value: 'DIR',
  what: 'the state directory; that of the configuration if absent',
  completes: 'directory',
} as const satisfies Option;

export const root = {
  flag: 'root',
  value: 'DIR',
  what: 'another file system, as an image that is being made: every path is below it',
  completes: 'directory',
} as const satisfies Option;

export const json = { flag: 'json', what: 'print one JSON document, and nothing else' } as const satisfies Option;

export const done = [0, 'done'] as const satisfies ExitCode;
export const impossible = [1, 'it can’t be done; standard error says why'] as const satisfies ExitCode;
