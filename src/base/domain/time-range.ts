/** From `since` on, and before `until`; without one of them, without that limit. */
export interface TimeRange {
  readonly since?: Date;
  readonly until?: Date;
}

export function isWithin(at: Date, { since, until }: TimeRange): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}
