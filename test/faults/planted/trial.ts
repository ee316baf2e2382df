import { played } from '../schedule.ts';

/** Plays seeds until one is caught at something: how many it took, and what was found, as a line of JSON. */
const [seeds = 0, first = 1] = process.argv.slice(2).map(Number);
for (let seed = first; seed < first + seeds; seed++) {
  const { faults } = await played(seed);
  if (faults.length === 0) continue;
  console.log(JSON.stringify({ seeds: seed - first + 1, fault: faults[0] }));
  break;
}
