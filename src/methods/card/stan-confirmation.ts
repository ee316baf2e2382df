/**
 * Whether a number that a host calls a duplicate can be this journal's own. A new journal, or a restored older copy,
 * assigns numbers that the host may know from before. Until the host has accepted one number since the start,
 * "duplicate" proves nothing, and nothing may be reversed under that number (I12).
 */
export class StanConfirmation {
  #isProven = false;

  get isLacking(): boolean {
    return !this.#isProven;
  }

  /** Called when the host has posted a message with a number of this journal. */
  markTaken(): void {
    this.#isProven = true;
  }
}
