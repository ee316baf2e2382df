import { parseArgs } from 'node:util';
import { crashed } from './crashes.ts';
import { bundled } from './program.ts';
import { reportText } from './report.ts';

const usage = `node test/crash/main.ts [--kills N] [--seed S]

Sells on the simulator, ends the terminal by SIGKILL at N random moments (300), and compares the books. The seed repeats what is
sold and after what the terminal is killed; the machine's own pace it does not.`;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || !/^[1-9]\d{0,5}$/.test(values.kills) || !/^\d{1,10}$/.test(values.seed)) {
  console.error(usage);
  process.exit(2);
}
const seed = Number(values.seed);
console.log(`${values.kills} kills, seed ${seed}`);
const program = await bundled();
try {
  const started = performance.now();
  const onCut = (cuts: number) => process.stderr.write(`\r${cuts} `);
  const report = await crashed({ cuts: Number(values.kills), seed, program: program.main, onCut });
  console.log(reportText(report, performance.now() - started));
} finally {
  await program.remove();
}
process.exit();
