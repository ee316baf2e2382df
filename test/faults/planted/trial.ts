import { played } from '../schedule.ts';
import { isSecured } from '../secured.ts';

/** Plays seeds until one is caught at something: how many it took, and what was found, as a line of JSON. */
const [seeds = 0, first = 1] = process.argv.slice(2, 4).map(Number);
const onlySecured = process.argv[4] === 'secured';
let took = 0;
for (let seed = first; took < seeds; seed++) {
  if (onlySecured && !isSecured(seed)) continue;
  took += 1;
  const { faults } = await played(seed);
  if (faults.length === 0) continue;
  console.log(JSON.stringify({ seeds: took, fault: faults[0] }));
  break;
}
