/** The operator's codes that this library returns, as in public integrations: fixtures/README.md, "Octopus". */
export const codes = {
  done: 0,
  notConnected: 100_001,
  readError: 100_016,
  noCard: 100_020,
  refused: 100_021,
  incomplete: 100_022,
  stillIncomplete: 100_025,
  insufficient: 100_048,
  otherCard: 101_005,
} as const;
