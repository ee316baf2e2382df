import type { Card } from '../card/card.ts';
import type { Iso8583Host } from '../host/iso8583/host.ts';
import type { EscPosPrinter } from '../printer/printer.ts';
import type { Neo2Reader } from '../reader/neo2/reader.ts';

/** What stands on the bench. */
export interface BenchParts {
  readonly reader: Neo2Reader;
  readonly printer: EscPosPrinter;
  /** By acquirer: EDC, CUP. */
  readonly hosts: ReadonlyMap<string, Iso8583Host>;
  readonly cards: ReadonlyMap<string, Card>;
  /** Whether a simulated customer taps by itself. */
  readonly auto: boolean;
}

/** The answer of GET /api/state. */
export function stateOf({ reader, printer, hosts, auto }: BenchParts): object {
  return {
    reader: { ...reader.state(), unexpected: reader.unexpected },
    printer: printer.state(),
    hosts: Object.fromEntries(
      Array.from(hosts, ([id, host]) => [id, { ...host.state(), unexpected: host.unexpected }]),
    ),
    auto,
  };
}
