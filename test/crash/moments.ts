/** Moments before a cut. 'asked': a POS posts; 'hostAsked': a host has a request; 'armed': a device waits. */
export const momentNames = ['asked', 'armed', 'presented', 'hostAsked', 'answered', 'cancelled'] as const;
export type Moment = (typeof momentNames)[number];

/** Announces moments to the code that waits for them. */
export class Moments {
  readonly #waiting = new Map<Moment, (() => void)[]>();

  is(moment: Moment): void {
    const waiting = this.#waiting.get(moment) ?? [];
    this.#waiting.delete(moment);
    for (const resolve of waiting) resolve();
  }

  next(moment: Moment): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(moment, [...(this.#waiting.get(moment) ?? []), resolve]));
  }
}
