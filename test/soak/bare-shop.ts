import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BenchStage, configured } from '../bench/bench-stage.ts';
import { Children } from '../bench/children.ts';
import { NativeReader } from '../bench/native-reader.ts';
import { SettlingHost } from './settling-host.ts';
import type { Shop } from './shop.ts';

export interface BareShopOptions {
  /** bin/poid of the installed tree. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Merged over the terminal's configuration. */
  readonly configuration: object;
}

/** A reader in C and a host that keeps sums: a million sales take an hour or two, and nearly all of it is the terminal's own time. */
export async function openBareShop({ program, environment, configuration }: BareShopOptions): Promise<Shop> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-soak-'));
  const children = new Children();
  const stage = new BenchStage(dir, children, Promise.resolve(path.dirname(path.dirname(program))));
  const native = await stage.native();
  if (typeof native === 'string') throw new Error(native);
  const reader = await NativeReader.open(native.reader, children);
  const host = new SettlingHost();
  await host.listen();
  const stateDir = stage.fresh('state');
  const file = await stage.written('poid', { ...configured(reader.path, host.port), ...configuration });
  // As installed: it is tried once whether the snapshot of the start-up fits.
  const env = { ...environment, CACHE_DIRECTORY: stage.fresh('compiled') };
  const start = () => stage.daemon({ configuration: file, stateDir, env });
  const close = async () => {
    await children.endAll();
    await host.close();
    await rm(dir, { recursive: true, force: true });
  };
  let daemon = await start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    stateDir,
    get pid() {
      return daemon.pid;
    },
    get api() {
      return daemon.api;
    },
    present: () => reader.cards(1),
    settled: async () => host.settled,
    posted: async () => undefined,
    clockOn: (ms) => daemon.send({ clockOnMs: ms }),
    restart: async () => {
      await daemon.stop();
      const from = performance.now();
      daemon = await start();
      return performance.now() - from;
    },
    close,
  };
}
