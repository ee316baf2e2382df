import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { visaData } from '../drivers/card-reader/neo2/card-answer.ts';
import type { Children } from './children.ts';

/** Microseconds. */
export interface Turns {
  readonly turns: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /** How long a 02-40 takes on a line of 115200 baud, and how many turns took longer. */
  readonly wire: number;
  readonly overWire: number;
  readonly tookMs: number;
}

interface TurnsWanted {
  readonly warmup: number;
  readonly turns: number;
  readonly mostMs: number;
}

/** c/reader.c, a reader that measures. Its card is a Visa test card with 30.00 HKD. */
export class NativeReader {
  /** Where the terminal opens it. */
  readonly path: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>, path: string) {
    this.#child = child;
    this.#lines = lines;
    this.path = path;
  }

  static async open(program: string, children: Children): Promise<NativeReader> {
    const card = Buffer.from(visaData()).toString('hex');
    const child = children.start(program, [card], { talks: 'by pipes' });
    if (!child.stdout) throw new Error('the reader has no output');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { path } = await said<{ path: string }>(lines);
    return new NativeReader(child, lines, path);
  }

  turns({ warmup, turns, mostMs }: TurnsWanted): Promise<Turns> {
    return this.#answer(`turns ${warmup} ${turns} ${mostMs}`);
  }

  /** Gives its card to the next `count` that ask for one. */
  async cards(count: number): Promise<void> {
    await this.#answer(`cards ${count}`);
  }

  /**
   * Gives its card to the next that asks for one, `ms` later. Resolves to the time at which it began to, in nanoseconds
   * of process.hrtime.bigint().
   */
  async hold(ms: number): Promise<bigint> {
    const { tapNs } = await this.#answer<{ tapNs: number }>(`held ${ms}`);
    return BigInt(tapNs);
  }

  #answer<Answer>(line: string): Promise<Answer> {
    this.#child.stdin?.write(`${line}\n`);
    return said<Answer>(this.#lines);
  }
}

async function said<Answer>(lines: AsyncIterator<string>): Promise<Answer> {
  const { value, done } = await lines.next();
  if (done === true) throw new Error('the reader has ended');
  const answer = JSON.parse(value) as Answer & { error?: string };
  if (answer.error !== undefined) throw new Error(`the reader says: ${answer.error}`);
  return answer;
}
