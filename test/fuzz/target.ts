import assert from 'node:assert/strict';
import type * as fc from 'fast-check';

/** What is fed with hostile bytes: one reader of a wire, a request or a file. */
export interface Target {
  readonly name: string;
  /** Its share of the inputs, beside those of the others. */
  readonly share: number;
  /** Each input is a connection of its own: they are counted apart, because this machine’s ports come back slowly. */
  readonly connects?: true;
  readonly inputs: fc.Arbitrary<Uint8Array>;
  /** Reads one input, and throws where a promise of what is read is broken. It keeps nothing of it. */
  readonly check: (input: Uint8Array) => void | Promise<void>;
  /** Puts away what it has opened. */
  readonly close?: () => Promise<void>;
}

/** A number that no answer, error or log line may repeat: Visa's acquirer test card 01, of fixtures/cards/visa.json. */
export const canary = '4761739001010119';
export const canaryBytes = Buffer.from(canary, 'hex');

/** `said` is all that an error, an answer or a log line tells. In hexadecimal a packed number reads like the number itself. */
export function assertSilent(said: string): void {
  assert.ok(!said.includes(canary), 'an input value is repeated');
}

/** An error that a reader documents: its class, and the only words that it has. */
export interface Documented {
  readonly type: new (...parameters: never[]) => Error;
  readonly words: RegExp;
}

/** The value that `read` gives; nothing where it threw a documented error. Any other error passes through: it is a finding. */
export function valueOrDocumented<T>({ type, words }: Documented, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof type)) throw error;
    assert.match(error.message, words);
    assertSilent(`${error.message} ${JSON.stringify(error)}`);
    return undefined;
  }
}
