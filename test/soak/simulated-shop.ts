import { type Json, Stage } from '../e2e/stage.ts';
import type { Shop } from './shop.ts';

/** The simulator's answer of all that its host has is a text, and no text is longer than half a gigabyte. */
const booksMost = 200_000;

export interface SimulatedShopOptions {
  readonly program: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Merged over the terminal's configuration. */
  readonly configuration: object;
}

/** The simulator plays card, host and printer. */
export async function openSimulatedShop({ program, environment, configuration }: SimulatedShopOptions): Promise<Shop> {
  const stage = await Stage.open({
    flags: ['--auto'],
    program,
    environment,
    // A machine that is busy elsewhere makes a sale late, not another outcome.
    acquirer: { replyTimeoutMs: 15_000 },
    // Its paper moves as fast as its customers come.
    printer: { lineTimeMs: 0 },
    configuration,
  });
  return {
    stateDir: stage.stateDir,
    get pid() {
      return stage.daemonPid;
    },
    get api() {
      return `${stage.apiUrl}/sp/v1`;
    },
    // Its customer comes by itself.
    present: async () => undefined,
    settled: async () => {
      const entries: Json[] = (await stage.sim('GET', '/api/host/EDC/settlements')).body;
      return entries.map(({ result, terminal }) => ({
        sales: terminal.sales.count,
        isBalanced: result === 'BALANCED',
      }));
    },
    posted: async () => {
      const settlements: Json[] = (await stage.sim('GET', '/api/host/EDC/settlements')).body;
      const sales = settlements.reduce((sum, { terminal }) => sum + terminal.sales.count, 0);
      return sales > booksMost ? undefined : (await stage.posted('EDC')).length;
    },
    clockOn: (ms) => stage.sendToDaemon({ clockOnMs: ms }),
    restart: async () => {
      await stage.stopDaemon('SIGTERM');
      const from = performance.now();
      await stage.startDaemon();
      return performance.now() - from;
    },
    close: () => stage.close(),
  };
}
