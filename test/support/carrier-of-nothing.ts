import { Duplex } from 'node:stream';

/** What carries a TLS connection: it takes every byte and brings none. */
export function carrierOfNothing(): Duplex {
  return new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, taken) => taken(),
    final: (done) => done(),
  });
}
