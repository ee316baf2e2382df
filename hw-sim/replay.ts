import { readFile } from 'node:fs/promises';
import { replay } from './session/replay.ts';

/** `node hw-sim/replay.ts FILE [SIMULATOR]`: exit code 1 if anything is not as it was recorded. */
const [file, simulator = 'http://127.0.0.1:8090'] = process.argv.slice(2);
if (file === undefined) {
  console.error('node hw-sim/replay.ts FILE [http://127.0.0.1:8090]');
  process.exit(2);
}
const { differences, notCompared } = await replay(JSON.parse(await readFile(file, 'utf8')), simulator);
for (const each of notCompared) console.log(`not compared: ${each}`);
for (const each of differences) console.log(each);
console.log(differences.length === 0 ? 'all as recorded' : `${differences.length} differences`);
process.exitCode = differences.length === 0 ? 0 : 1;
