import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { documentOf, measureLoad } from '../bench/document.ts';
import { reportText } from '../bench/report.ts';
import { bundled } from '../crash/program.ts';
import { soakReport } from './report.ts';
import { soaked } from './soak.ts';

const usage = `node test/soak/main.ts [--sales N] [--day M] [--virtual] [--bare] [--json]

N sales (100000) with the simulator's own customer. After every M of them (250) comes a night, which a fast clock makes short: the
terminal settles by itself and archives what is older than its retention (180 days). Does memory rise, do sales become slower, how do
journal and archive grow. --virtual: the POS prints, so no paper moves. --json: a verdict for each goal, as npm run bench -- --schema
tells. --bare: a reader in C and a host that keeps sums take the simulator's place, and the POS prints; for a million sales, which take
an hour or two. TMPDIR=/dev/shm: on a disk in memory. Figures of a machine that does something else meanwhile mean nothing.`;

const { values } = parseArgs({
  options: {
    sales: { type: 'string', default: '100000' },
    day: { type: 'string', default: '250' },
    virtual: { type: 'boolean', default: false },
    bare: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const { sales, day, virtual: isVirtual, bare: isBare, json, help } = values;
if (help || ![sales, day].every((text) => /^[1-9]\d{0,6}$/.test(text))) {
  console.error(usage);
  process.exit(2);
}
const loadBefore = measureLoad();
// At the first signal it ends with the day, and reports what was sold until then.
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
const program = await bundled();
try {
  // With the snapshot that the package's installation makes.
  await promisify(execFile)(program.main, ['snapshot']);
  const onDay = (sold: number) => process.stderr.write(`\r${sold} `);
  const report = soakReport(
    await soaked({
      sales: Number(sales),
      daySales: Number(day),
      program: program.main,
      isVirtual,
      isBare,
      onDay,
      stop: stop.signal,
    }),
  );
  console.log(json ? JSON.stringify(documentOf([report], loadBefore), null, 2) : `\n${reportText(report)}`);
} finally {
  await program.remove();
}
process.exit();
