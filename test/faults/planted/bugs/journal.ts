import type { Bug } from '../bug.ts';

/** Bugs of the state directory: lost, replaced, an older copy put back. */
export const journalBugs: readonly Bug[] = [];
