import { builtInDialects } from '../../src/hosts/iso8583/dialect.ts';
import type { DialectFile } from '../../src/hosts/iso8583/dialects/dialect-schema.ts';
import type { CardAcquirerName } from './card-acquirers.ts';
import type { Dice } from './dice.ts';

/** Field 3 of network management messages. */
export const networkCodes = { signOn: '910000', keyExchange: '930000', echo: '990000', signOff: '950000' } as const;
/** The field of an answer that has the working key and its check value, in hexadecimal. */
export const keyField = 61;
/** Field 39 of the answer if the host has another key. */
export const outOfStep = '88';

const wrappedCharacters = 32;

/** The terms for working keys between a bank and its terminals. */
export interface KeyTerms {
  readonly signsOn: boolean;
  readonly echoes: boolean;
  readonly signsOff: boolean;
  readonly afterSignOn: boolean;
  readonly everyH: number | undefined;
}

export function drawnKeyTerms(dice: Dice): KeyTerms {
  return {
    signsOn: dice.odds(60),
    echoes: dice.odds(40),
    signsOff: dice.odds(40),
    afterSignOn: dice.odds(30),
    everyH: dice.one<number | undefined>([
      [1, undefined],
      [1, 1],
      [1, 24],
    ]),
  };
}

/** A built-in dialect with key exchange, and with the network management messages of the bank. */
export function keyedDialect(id: CardAcquirerName, { signsOn, echoes, signsOff }: KeyTerms): DialectFile {
  const dialect = builtInDialects[id];
  const row = (processingCode: string) => ({
    type: '0800',
    answer: '0810',
    processingCode,
    fields: [3, 11, 24, 41],
    content: {},
  });
  const checkValue = { field: keyField, at: wrappedCharacters, bytes: 3 };
  return {
    ...dialect,
    fields: { ...dialect.fields, [keyField]: { set: 'ans', counts: 'units', required: false, secret: true } },
    messages: {
      ...dialect.messages,
      keyExchange: {
        ...row(networkCodes.keyExchange),
        key: { field: keyField, at: 0, bytes: 16, mode: 'ecb', checkValue },
      },
      ...(signsOn ? { signOn: row(networkCodes.signOn) } : {}),
      ...(echoes ? { echo: row(networkCodes.echo) } : {}),
      ...(signsOff ? { signOff: row(networkCodes.signOff) } : {}),
    },
    codes: { ...dialect.codes, keysOutOfStep: [outOfStep] },
  };
}
