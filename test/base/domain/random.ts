/** Seeded, so that a failing run can be repeated: POID_SEED=<the seed that it printed>. */
export const seed = Number(process.env['POID_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Whole numbers from 0 to below `limit`: a multiplicative congruential generator modulo 2^31 - 1 (Park and Miller, 1988). */
export function whole(state: number): (limit: number) => number {
  let current = (state % 2_147_483_646) + 1;
  return (limit) => {
    current = (current * 48_271) % 2_147_483_647;
    return Math.floor((current / 2_147_483_647) * limit);
  };
}
