/**
 * What the POS tells of its own about a transaction. It is kept, printed, answered and listed, and decides nothing
 * here.
 */
export interface PosDetails {
  readonly cashierId?: string | undefined;
  readonly shiftId?: string | undefined;
  /** The number of the order, table or invoice at the POS. */
  readonly posReference?: string | undefined;
}

export const posDetailNames = ['cashierId', 'shiftId', 'posReference'] as const satisfies (keyof PosDetails)[];

/** The details of a request, or of its record; those that are absent are left out. */
export function posDetailsOf(from: PosDetails): { readonly [name in keyof PosDetails]: string } {
  return Object.fromEntries(
    posDetailNames.flatMap((name) => {
      const value = from[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
