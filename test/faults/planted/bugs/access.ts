import type { Bug } from '../bug.ts';

/** Bugs of who may ask for what. */
export const accessBugs: readonly Bug[] = [];
