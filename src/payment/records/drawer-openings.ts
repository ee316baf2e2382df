/** The drawer was opened without a sale. `acquirer`, `batch`: which takes the cash of that time. */
export interface DrawerOpening {
  readonly at: string;
  readonly posId: string;
  readonly cashierId?: string | undefined;
  readonly acquirer: string;
  readonly batch: number;
}

/** How often somebody opened it. */
export interface DrawerCount {
  readonly posId: string;
  readonly cashierId?: string;
  readonly count: number;
}

/** By POS and cashier, in the order of their names. */
export function countOpenings(openings: readonly DrawerOpening[]): DrawerCount[] {
  const groups = Map.groupBy(openings, ({ posId, cashierId = '' }) => JSON.stringify([posId, cashierId]));
  return [...groups]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, group]) => {
      const [first] = group;
      if (!first) return [];
      const { posId, cashierId } = first;
      return [{ posId, ...(cashierId === undefined ? {} : { cashierId }), count: group.length }];
    });
}
