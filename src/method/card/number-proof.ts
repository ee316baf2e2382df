/**
 * Whether a number that a host says it has already can be this journal's own. A journal that is new, or an older copy that was put
 * back, gives out numbers that its host has from a life that is forgotten here. Until the host has taken one since the start, "already
 * there" proves nothing, and nothing may be taken back under that number.
 */
export class NumberProof {
  #isProven = false;

  get isLacking(): boolean {
    return !this.#isProven;
  }

  /** The host has posted something that left under a number of this journal. */
  markTaken(): void {
    this.#isProven = true;
  }
}
