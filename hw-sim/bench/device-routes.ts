import type { Card } from '../card/card.ts';
import {
  nothing,
  octopusFault,
  pinPadEntry,
  printerFault,
  readerFault,
  scan,
  scannerFault,
  someFault,
  tap,
} from './bodies.ts';
import { readBody } from './body.ts';
import { HttpError } from './http-error.ts';
import { type BenchParts, stateOf } from './parts.ts';
import { patiently } from './patience.ts';
import { type Handler, type Methods, send, sendJson } from './reply.ts';

/** Reader, PIN pad, scanner, Octopus reader and printer: the customer's actions and the devices' faults. */
export function deviceRoutes(parts: BenchParts): [string, Methods][] {
  return [...readerRoutes(parts), ...scannerRoutes(parts), ...octopusRoutes(parts), ...printerRoutes(parts)];
}

function readerRoutes({ reader, cards, ...rest }: BenchParts): [string, Methods][] {
  const parts = { reader, cards, ...rest };
  /** Presents a card until it is read or taken away. */
  const presented =
    (present: (card: Card, holdMs: number) => Promise<boolean>): Handler =>
    async (request, response) => {
      const { card: name, holdMs } = await readBody(request, tap);
      const card = cards.get(name);
      if (!card) throw new HttpError(400, `card: one of ${[...cards.keys()].join(', ')}`);
      const read = await present(card, holdMs);
      if (!read) throw new HttpError(409, `no armed reader read this card within ${holdMs} ms`);
      sendJson(response, { read });
    };
  const inserted = async (card: Card, holdMs: number): Promise<boolean> => {
    const met = reader.insert(card);
    const read = await within(met, holdMs);
    if (!read) reader.remove();
    return read;
  };
  const remove: Handler = async (request, response) => {
    await readBody(request, nothing);
    reader.remove();
    sendJson(response, {});
  };
  const enter: Handler = async (request, response) => {
    const entry = await readBody(request, pinPadEntry);
    const press = () => ('pin' in entry ? reader.enterPin(entry.pin) : reader.pressKey(entry.key));
    if (!(await patiently(reader, entry.holdMs, press))) {
      throw new HttpError(409, `no PIN was asked for within ${entry.holdMs} ms`);
    }
    sendJson(response, {});
  };
  const fault: Handler = async (request, response) => {
    const { holdMs, ...wanted } = await readBody(request, readerFault);
    someFault(wanted);
    if (holdMs !== undefined && !(await patiently(reader, holdMs, () => reader.armed))) {
      throw new HttpError(409, `no card was awaited within ${holdMs} ms`);
    }
    await reader.fault(wanted);
    sendJson(response, stateOf(parts));
  };
  return [
    ['/api/reader/tap', { POST: presented((card, holdMs) => reader.tap(card, holdMs)) }],
    ['/api/reader/insert', { POST: presented(inserted) }],
    [
      '/api/reader/swipe',
      { POST: presented((card, holdMs) => patiently(reader, holdMs, () => reader.armed && reader.swipe(card))) },
    ],
    ['/api/reader/remove', { POST: remove }],
    ['/api/reader/fault', { POST: fault }],
    ['/api/pin-pad/enter', { POST: enter }],
  ];
}

function scannerRoutes({ scanner, wallets, ...rest }: BenchParts): [string, Methods][] {
  const parts = { scanner, wallets, ...rest };
  const codeOf = (wallet: string) => {
    const [host = unknownWallet(wallet)] = [...wallets.values()].filter((each) =>
      each.state().wallets.some(({ code, showsCode }) => code === wallet && showsCode),
    );
    return host.walletCode(wallet);
  };
  const scanned: Handler = async (request, response) => {
    const { holdMs, ...shown } = await readBody(request, scan);
    const code = 'code' in shown ? shown.code : codeOf(shown.wallet);
    if (!/^[\x20-\x7e]+$/.test(code)) throw new HttpError(400, 'code: printable ASCII');
    const read = await patiently(scanner, holdMs, () => scanner.state().triggered && scanner.scan(code));
    if (!read) throw new HttpError(409, `the terminal did not start the scanner within ${holdMs} ms`);
    sendJson(response, { read });
  };
  const fault: Handler = async (request, response) => {
    await scanner.fault(someFault(await readBody(request, scannerFault)));
    sendJson(response, stateOf(parts));
  };
  return [
    ['/api/scanner/scan', { POST: scanned }],
    ['/api/scanner/fault', { POST: fault }],
  ];
}

function octopusRoutes({ octopus, ...rest }: BenchParts): [string, Methods][] {
  const parts = { octopus, ...rest };
  const tapped: Handler = async (request, response) => {
    const { card, holdMs } = await readBody(request, tap);
    const names = octopus.cards().map(({ name }) => name);
    if (!names.includes(card)) throw new HttpError(400, `card: one of ${names.join(', ')}`);
    const read = await octopus.tap(card, { holdMs });
    if (!read) throw new HttpError(409, `the Octopus reader did not use this card within ${holdMs} ms`);
    sendJson(response, { read });
  };
  const fault: Handler = async (request, response) => {
    await octopus.fault(someFault(await readBody(request, octopusFault)));
    sendJson(response, stateOf(parts));
  };
  return [
    ['/api/octopus/tap', { POST: tapped }],
    ['/api/octopus/fault', { POST: fault }],
    ['/api/octopus/cards', { GET: (_, response) => sendJson(response, octopus.cards()) }],
    ['/api/octopus/ledger', { GET: (_, response) => sendJson(response, octopus.ledger()) }],
  ];
}

function printerRoutes(parts: BenchParts): [string, Methods][] {
  const { printer } = parts;
  const fault: Handler = async (request, response) => {
    await printer.fault(someFault(await readBody(request, printerFault)));
    sendJson(response, stateOf(parts));
  };
  const paper: Methods = {
    GET: (_, response) => send(response, 'text/plain; charset=utf-8', printer.paper.text()),
    DELETE: (_, response) => {
      printer.clearPaper();
      sendJson(response, {});
    },
  };
  return [
    ['/api/printer/fault', { POST: fault }],
    ['/api/printer/paper', paper],
    ['/api/printer/paper.png', { GET: (_, response) => send(response, 'image/png', printer.png()) }],
  ];
}

function unknownWallet(wallet: string): never {
  throw new HttpError(400, `wallet: ${wallet} is none whose phones show codes`);
}

/** False if `ms` pass first. */
async function within(done: Promise<boolean>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  return Promise.race([done, promise]).finally(() => clearTimeout(timer));
}
