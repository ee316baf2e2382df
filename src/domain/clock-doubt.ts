/**
 * Why the machine's clock can't be relied on. unsynchronised: no time server has set it since the machine was started; beforeBuild: it is
 * earlier than this program was built.
 */
export const clockDoubts = ['unsynchronised', 'beforeBuild'] as const;
export type ClockDoubt = (typeof clockDoubts)[number];

/** What is known of the clock. unknown: the machine has nothing that tells whether it is synchronised. */
export type ClockState = 'ok' | 'unknown' | ClockDoubt;
