/**
 * Why the machine's clock can't be relied on. unsynchronised: no time server has set it since the machine was started.
 * beforeBuild: it is before the build of this program.
 */
export const clockDoubts = ['unsynchronised', 'beforeBuild'] as const;
export type ClockDoubt = (typeof clockDoubts)[number];

/** The state of the clock. unknown: no program of this machine reports whether it is synchronised. */
export type ClockState = 'ok' | 'unknown' | ClockDoubt;
