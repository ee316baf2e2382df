import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Characters of a line that are kept. */
const lineMax = 65_536;

/** Each line of a log, of a long one the first 65,536 characters. */
export async function* readLines(log: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let line = '';
  for await (const chunk of log) {
    const [rest = '', ...others] = decoder.write(chunk as Buffer).split('\n');
    line = (line + rest).slice(0, lineMax);
    for (const next of others) {
      yield line.replace(/\r$/, '');
      line = next.slice(0, lineMax);
    }
  }
  const last = line + decoder.end();
  if (last !== '') yield last;
}
