import { readFile } from 'node:fs/promises';
import type { KeyAndCertificate } from '../../src/base/tls/certificate.ts';
import { type BenchStage, configured } from './bench-stage.ts';
import { Caller } from './caller.ts';
import { EchoHost, echoRequest } from './echo-host.ts';
import { NativeReader } from './native-reader.ts';

/** Where a terminal stands: its card and its host. */
export interface ShopCounter {
  readonly name: string;
  readonly configuration: string;
  readonly hostPort: number;
  /** What the floor of a sale asks the host. */
  request(): Buffer;
  /** A card is held there, for the next that asks for one. Resolves once it was read. */
  present(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * A reader in C and a host without books, so that mostly the terminal's own time is measured. `identity`: the host uses
 * TLS, and the terminal pins its certificate.
 */
export async function openBareCounter(stage: BenchStage, program: string, identity?: KeyAndCertificate) {
  const reader = await NativeReader.open(program, stage.children);
  const host = new EchoHost(undefined, identity);
  await host.listen();
  const counter: ShopCounter = {
    name: 'reader in C, host that says yes',
    configuration: await stage.written('poid', configured(reader.path, host.port, { identity })),
    hostPort: host.port,
    request: () => host.lastRequest,
    present: () => reader.cards(1),
    close: () => host.close(),
  };
  return { ...counter, reader };
}

export async function openSimulatedCounter(stage: BenchStage): Promise<ShopCounter> {
  const { url, configuration, hostPort } = await stage.simulator();
  const { printer: _none, ...bare } = JSON.parse(await readFile(configuration, 'utf8')) as { printer: unknown };
  const customer = new Caller();
  return {
    name: 'simulator',
    configuration: await stage.written('poid', bare),
    hostPort,
    request: echoRequest,
    present: () => customer.does(`${url}/reader/tap`, { card: 'visa', holdMs: 10_000 }),
    close: async () => customer.close(),
  };
}
