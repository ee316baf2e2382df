import type { Limits } from '../../base/domain/limits.ts';

/** Field 4: n12. Field 49 can express every currency. */
export const iso8583Limits: Limits = { mostMinor: 999_999_999_999n };
