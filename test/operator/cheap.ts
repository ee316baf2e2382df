import type { ScryptCost } from '../../src/operator/password.ts';

/** What a try costs is for those who try: a test tries often. */
export const cheap: ScryptCost = { N: 16, r: 1, p: 1, maxmem: 1024 * 1024 };
