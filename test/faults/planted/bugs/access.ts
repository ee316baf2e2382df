import type { Bug } from '../bug.ts';

/** Bugs of who may ask for what. */
export const accessBugs: readonly Bug[] = [
  {
    name: 'a till that calls itself poid ends the day’s settlement before it began',
    file: 'src/api/answering.ts',
    from: `if (namesTerminal(body)) {`,
    to: `if (namesTerminal(body) && body === undefined) {`,
  },
];
