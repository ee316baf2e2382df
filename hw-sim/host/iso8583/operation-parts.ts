import type { Books } from './books.ts';
import type { Keys } from './presented.ts';
import type { Profile } from './profile.ts';
import type { Stamp } from './verdict.ts';

/** The parts that every operation of the acquirer uses. */
export interface OperationParts {
  readonly books: Books;
  readonly keys: Keys;
  readonly profile: Profile;
  /** The time: ISO 8601, UTC. */
  at(): string;
  /** The time, and a new number 37. */
  stamp(): Stamp;
  approvalCode(): string;
}
