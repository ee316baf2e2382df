import { readFileSync } from 'node:fs';
import type { BenchStage } from './bench-stage.ts';
import { Caller, sale } from './caller.ts';
import { heard } from './children.ts';
import { NativeReader } from './native-reader.ts';
import type { ShopCounter } from './shop-counter.ts';

interface FloorParts {
  readonly stage: BenchStage;
  readonly counter: ShopCounter;
  /** Bytes of the terminal's answer. */
  readonly answerBytes: number;
}

/** sale-floor.ts in a process of its own, with a reader in C of its own if there is one. */
export class Floor {
  readonly reader: NativeReader | undefined;
  readonly pid: number;
  readonly #url: string;
  readonly #end: () => Promise<void>;
  readonly #till = new Caller();
  #asked = 0;

  private constructor(reader: NativeReader | undefined, pid: number, url: string, end: () => Promise<void>) {
    this.reader = reader;
    this.pid = pid;
    this.#url = url;
    this.#end = end;
  }

  static async open({ stage, counter, answerBytes }: FloorParts): Promise<Floor> {
    const native = await stage.native();
    const reader = typeof native === 'string' ? undefined : await NativeReader.open(native.reader, stage.children);
    const child = stage.children.startNode('test/bench/sale-floor.ts', [
      stage.fresh('floor'),
      String(counter.hostPort),
      counter.request().toString('hex'),
      String(answerBytes),
      ...(reader ? [reader.path, arming()] : []),
    ]);
    const { port } = await heard<{ port: number }>(child, 'the floor');
    const end = () => stage.children.end(child);
    return new Floor(reader, child.pid ?? Number.NaN, `http://127.0.0.1:${port}/`, end);
  }

  /** Resolves to the milliseconds of one exchange. */
  async sell(): Promise<number> {
    const card = this.reader?.cards(1);
    const from = performance.now();
    await this.pay();
    const tookMs = performance.now() - from;
    await card;
    return tookMs;
  }

  /** The exchange alone: its card is held by somebody else. */
  async pay(): Promise<void> {
    await this.#till.does(this.#url, sale(`${++this.#asked}`));
  }

  async close(): Promise<void> {
    this.#till.close();
    await this.#end();
  }
}

/** 02-40 with the amount of the bench, as hex. */
function arming(): string {
  const file = new URL('../../fixtures/frames/neo2.json', import.meta.url);
  const { frames } = JSON.parse(readFileSync(file, 'utf8')) as { frames: { name: string; hex: string }[] };
  const found = frames.find(({ name }) => name === 'activate transaction, contactless, chip and stripe, 30.00 HKD');
  if (!found) throw new Error('the fixture of 02-40 is not there');
  return found.hex;
}
