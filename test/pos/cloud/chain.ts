import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, type Json, Stage, type StageOptions } from '../../e2e/stage.ts';
import { Broker } from '../../support/broker.ts';
import { Postgres, type Row } from '../../support/postgres.ts';

const example = fileURLToPath(new URL('../../../docs/examples/sink', import.meta.url));

/** As docs/cloud.md and docs/books.md give the rights at the broker. */
const acl = `
pattern readwrite poid/v1/%u/#
user till
topic write poid/v1/+/call
topic read poid/v1/+/answer/#
topic read poid/v1/+/status
topic read poid/v1/+/events
user sink
topic read poid/v1/+/books
topic write poid/v1/+/books/ack
user desk
topic read poid/v1/+/status
topic read poid/v1/+/configuration/state
`;

/** A transaction as the list of a terminal tells it, and as the books have it. */
export type Reported = Json;

/**
 * A chain of shops: a broker with TLS and client certificates, the example's sink as its first lines say to start it,
 * PostgreSQL, and whole terminals, each with a simulator and hosts of its own.
 */
export class Chain {
  readonly broker: Broker;
  readonly postgres: Postgres;
  readonly #begun = new AsyncDisposableStack();
  #sink: ChildProcess | undefined;

  private constructor(broker: Broker, postgres: Postgres) {
    this.broker = broker;
    this.postgres = postgres;
  }

  static async open(): Promise<Chain> {
    await using begun = new AsyncDisposableStack();
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-chain-'));
    begun.defer(() => rm(dir, { recursive: true }));
    const broker = await Broker.start(dir, { tls: true, acl });
    begun.defer(() => broker.stop());
    const postgres = await Postgres.start();
    begun.defer(() => postgres.stop());
    await postgres.query(await readFile(path.join(example, 'schema.sql'), 'utf8'));
    const chain = new Chain(broker, postgres);
    begun.defer(() => chain.killSink());
    await chain.startSink();
    chain.#begun.use(begun.move());
    return chain;
  }

  async close(): Promise<void> {
    await this.#begun.disposeAsync();
  }

  /** A terminal with this name at the broker. */
  async terminal(name: string, options: StageOptions = {}): Promise<Stage> {
    const cloud = { url: this.broker.url, terminal: name, ...(await this.broker.credentials(name)) };
    const configuration = { printer: undefined, cloud, ...options.configuration };
    const stage = await Stage.open({ ...options, configuration });
    this.#begun.defer(() => stage.close());
    return stage;
  }

  /** Resolves once the broker sends it the books. */
  async startSink(): Promise<void> {
    const { ca, certificate, key } = await this.broker.credentials('sink');
    const { host, user, database } = this.postgres.connection;
    const places = { BROKER: this.broker.url, CA: ca, CERTIFICATE: certificate, KEY: key };
    const from = this.broker.log.length;
    this.#sink = spawn(process.execPath, [path.join(example, 'sink.mjs')], {
      env: { ...process.env, ...places, PGHOST: host, PGUSER: user, PGDATABASE: database },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await eventually(
      async () => this.broker.log.slice(from),
      (lines) => lines.some((line) => line.includes('Sending SUBACK to books')),
    );
  }

  async killSink(): Promise<void> {
    const sink = this.#sink;
    if (!sink || sink.exitCode !== null || sink.signalCode !== null) return;
    const exited = once(sink, 'exit');
    sink.kill('SIGKILL');
    await exited;
  }

  query(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.postgres.query(sql, values);
  }

  /** What the books have of a terminal's transactions, by terminalTransactionId. */
  async entries(terminal: string): Promise<ReadonlyMap<string, Reported>> {
    const sql = `SELECT id, record FROM books.entry WHERE terminal = $1 AND kind = 'transaction'`;
    return new Map((await this.query(sql, [terminal])).map(({ id, record }) => [String(id), record as Reported]));
  }
}

/** Everything that a terminal's journal has, oldest first, as its list tells it. */
export async function journalOf(stage: Stage): Promise<Reported[]> {
  const all: Reported[] = [];
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? '' : `&cursor=${cursor}`;
    const page: Json = await (await fetch(`${stage.apiUrl}/sp/v1/transactions?order=oldest&limit=100${from}`)).json();
    if (page.transactions.length === 0) return all;
    all.push(...page.transactions);
    cursor = page.nextCursor;
  }
}
