/** The account that an EPS customer pays from. */
export const accounts = ['SAVINGS', 'CURRENT'] as const;
export type Account = (typeof accounts)[number];
