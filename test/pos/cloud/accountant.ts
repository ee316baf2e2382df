import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostName, Json, Stage } from '../../e2e/stage.ts';
import { command } from '../../support/programs.ts';
import type { Chain } from './chain.ts';

const reconciling = fileURLToPath(new URL('../../../docs/examples/sink/reconcile.mjs', import.meta.url));

/** What stands in a host's books: cents, below zero for a refund. */
export interface Line {
  readonly terminal: string;
  readonly acquirer: HostName;
  readonly tid: string;
  readonly reference: string;
  readonly cents: number;
  readonly settled: boolean;
  readonly at: Date;
}

export async function linesOf(terminal: string, stage: Stage, hosts: readonly HostName[]): Promise<Line[]> {
  const lines = await Promise.all(
    hosts.map(async (acquirer) =>
      (await stage.ledger(acquirer))
        .filter(({ status }) => status === 'POSTED')
        .map(
          (entry: Json): Line => ({
            terminal,
            acquirer,
            tid: entry.tid ?? entry.udid,
            reference: entry.rrn ?? entry.syssn,
            cents: Number(entry.amountMinor) * (entry.kind === 'REFUND' ? -1 : 1),
            settled: entry.settled === true,
            at: new Date(entry.at),
          }),
        ),
    ),
  );
  return lines.flat();
}

export function sumOf(lines: readonly Line[]): number {
  return lines.reduce((total, { cents }) => total + cents, 0);
}

const exported = [
  ['--journal', 'export'],
  ['--settlements', 'settlements'],
] as const;

/** reconcile.mjs as its first lines say: with what each terminal's journal exports, and these lines as statements. */
export async function reconcile(
  chain: Chain,
  stages: ReadonlyMap<string, Stage>,
  statements: Readonly<Record<string, readonly Line[]>>,
  given: readonly (typeof exported)[number][1][] = ['export', 'settlements'],
): Promise<{ code: number; out: string }> {
  const file = (name: string) => path.join(chain.broker.dir, name);
  const flags: string[] = [];
  for (const [name, { stateDir }] of stages) {
    for (const [flag, exports] of exported.filter(([, name]) => given.includes(name))) {
      const { out } = await run(command, ['journal', exports, '--json', '--state-dir', stateDir]);
      await writeFile(file(`${name}.${exports}`), out);
      flags.push(flag, `${name}=${file(`${name}.${exports}`)}`);
    }
  }
  for (const [acquirer, lines] of Object.entries(statements)) {
    // With a column of the acquirer's own, in which a comma parts nothing.
    const rows = lines.map(({ tid, reference, cents }) =>
      [`"${tid}"`, '"Tea House, ""Harbour"""', reference, 'HKD', (cents / 100).toFixed(2)].join(','),
    );
    await writeFile(file(`${acquirer}.csv`), ['tid,shop,reference,currency,amount', ...rows, ''].join('\r\n'));
    flags.push('--statement', `${acquirer}=${file(`${acquirer}.csv`)}`);
  }
  const { host, user, database } = chain.postgres.connection;
  return run(process.execPath, [reconciling, ...flags], { PGHOST: host, PGUSER: user, PGDATABASE: database });
}

/** Exit codes 0 and 3 are answers. */
function run(program: string, parameters: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return new Promise<{ code: number; out: string }>((resolve, reject) => {
    execFile(program, parameters, { env: { ...process.env, ...env } }, (error, out, err) => {
      if (error && error.code !== 3) reject(new Error(`${program}: ${err}`, { cause: error }));
      else resolve({ code: error ? 3 : 0, out });
    });
  });
}
