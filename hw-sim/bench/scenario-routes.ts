import { amountEndings } from '../host/iso8583/host.ts';
import { scenarios } from '../scenarios.ts';
import { nothing } from './bodies.ts';
import { readBody } from './body.ts';
import { type BenchParts, stateOf } from './parts.ts';
import { type Methods, sendJson } from './reply.ts';

/** The library of scenarios, and a reset to a simulator without faults, which keeps books and paper. */
export function scenarioRoutes(parts: BenchParts): [string, Methods][] {
  const { reader, printer, scanner, octopus, hosts, wallets, power } = parts;
  const amounts = amountEndings.map(({ cents, what }) => ({ cents, what }));
  return [
    ['/api/scenarios', { GET: (_, response) => sendJson(response, { scenarios, amounts }) }],
    [
      '/api/faults/clear',
      {
        POST: async (request, response) => {
          await readBody(request, nothing);
          power.forget();
          await reader.fault(allOff);
          await printer.fault(printerOff);
          await scanner.fault({ unplug: false, garble: false, splitBytes: false, noise: false, tooLong: false });
          await octopus.fault({
            unplug: false,
            silent: false,
            garble: false,
            disconnectDuringDeduct: false,
            readerAbsent: false,
          });
          for (const host of [...hosts.values(), ...wallets.values()]) await host.setMode({ mode: 'up' });
          sendJson(response, stateOf(parts));
        },
      },
    ],
  ];
}

const allOff = {
  unplug: false,
  garble: false,
  dropNext: false,
  splitBytes: false,
  garbageBefore: false,
  atFrame: 1,
  collision: false,
  unsupported: false,
  overLimit: false,
  cardLost: false,
  chipFails: false,
  cardRefuses: false,
} as const;

const printerOff = {
  unplug: false,
  paperOut: false,
  paperNearEnd: false,
  coverOpen: false,
  cutterError: false,
  silent: false,
} as const;
