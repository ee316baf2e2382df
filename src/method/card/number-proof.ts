import type { AcquirerId } from '../../domain/identifiers.ts';

/**
 * Whether a number that a host says it has already can be this journal's own. A journal that is new, or an older copy that was put
 * back, gives out numbers that its host has from a life that is forgotten here. Until the host has taken one since the start, "already
 * there" proves nothing, and nothing may be taken back under that number.
 */
export class NumberProof {
  readonly #proven = new Set<AcquirerId>();

  /** The host has posted something that left under a number of this journal. */
  taken(acquirerId: AcquirerId): void {
    this.#proven.add(acquirerId);
  }

  isLacking(acquirerId: AcquirerId): boolean {
    return !this.#proven.has(acquirerId);
  }
}
