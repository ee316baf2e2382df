import type { Card } from '../card/card.ts';
import type { Iso8583Host } from '../host/iso8583/host.ts';
import type { QfpayHost } from '../host/qfpay/host.ts';
import type { OctopusAgent } from '../octopus/agent.ts';
import type { EscPosPrinter } from '../printer/printer.ts';
import type { SimulatedReader } from '../reader/simulated.ts';
import type { LineScanner } from '../scanner/line.ts';
import type { TerminalAddress } from '../till/terminal-address.ts';
import type { TerminalEvents } from '../till/terminal-events.ts';
import type { TerminalPower } from '../till/terminal-power.ts';
import type { Recorder } from '../session/recorder.ts';
import type { Wires } from '../wires/record.ts';

/** The simulated devices and hosts. */
export interface BenchParts {
  readonly reader: SimulatedReader;
  readonly printer: EscPosPrinter;
  readonly scanner: LineScanner;
  readonly octopus: OctopusAgent;
  /** By acquirer: EDC, CUP, EPS. */
  readonly hosts: ReadonlyMap<string, Iso8583Host>;
  /** The wallet hosts by acquirer: QR. */
  readonly wallets: ReadonlyMap<string, QfpayHost>;
  readonly cards: ReadonlyMap<string, Card>;
  /** The traffic of all lines. */
  readonly wires: Wires;
  /** Records the steps taken on the simulator. */
  readonly recorder: Recorder;
  /** The events that the terminal sends to its tills. */
  readonly events: TerminalEvents;
  /** Where the terminal is, for the page. */
  readonly terminal: TerminalAddress;
  /** Whether it has power. */
  readonly power: TerminalPower;
  /** Whether a simulated customer taps by itself. */
  readonly auto: boolean;
}

/** The answer of GET /api/state. */
export function stateOf({ terminal, power, events, auto, ...parts }: BenchParts) {
  const { reader, printer, scanner, octopus, hosts, wallets } = parts;
  return {
    reader: { ...reader.state(), unexpected: reader.unexpected },
    printer: printer.state(),
    scanner: { ...scanner.state(), unexpected: scanner.unexpected },
    octopus: { ...octopus.state(), cards: octopus.cards(), unexpected: octopus.unexpected },
    hosts: Object.fromEntries(
      [...hosts, ...wallets].map(([id, host]) => [id, { ...host.state(), unexpected: host.unexpected }]),
    ),
    terminal: {
      ...terminal.state(),
      ...power.state(),
      ...(events.says !== undefined && { says: events.says }),
    },
    auto,
  };
}
