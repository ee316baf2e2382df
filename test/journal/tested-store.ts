import { oldestUsable, schemaVersion } from '../../src/journal/schema.ts';
import { JournalStore as Store, type OpeningOptions } from '../../src/journal/store.ts';
import type { Random } from '../../src/base/ports/clock.ts';

/** on-trial.test.ts runs these tests again with it. */
const isOnTrial = process.env['POID_TEST_ON_TRIAL'] === '1';

/** The schema of the journals that these tests make. */
export const testedSchema = isOnTrial ? oldestUsable : schemaVersion;

/** The store that a test opens: of the current schema, or as a version on trial opens it. */
export class JournalStore extends Store {
  constructor(file: string, now?: () => Date, random?: Random, options: OpeningOptions = {}) {
    super(file, now, random, { isOnTrial, ...options });
  }
}
