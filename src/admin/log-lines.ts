import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** The terminal writes none that is longer. */
const lineMax = 65_536;

/** Each line of a log as text. The rest of one that is too long is left out. */
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
