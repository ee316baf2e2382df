import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readText as readAnswer } from '../../pos/client/answer-text.ts';
import { Client, type ClientOptions, type Identity, type TillKey } from '../../pos/client/client.ts';
import { plainJson } from '../../base/domain/plain-text.ts';
import { UsageError } from '../../base/usage-error.ts';
import { terminalFetch, type Trust } from './terminal-fetch.ts';
import { TillError } from './till-error.ts';

/** As the command line gives them: a switch is true. */
export type TillFlags = Readonly<Record<string, string | true | undefined>>;

/** Maximum time in which a silent terminal is asked for an outcome. */
const giveUpSeconds = 120;

const identifierForm = '1 to 64 characters, none of them a control character';

function isIdentifier(text: string): boolean {
  return text.length >= 1 && text.length <= 64 && !/\p{C}/u.test(text);
}

/** A point of sale at the shell, and the terminal that it calls. */
export class Till {
  readonly url: string;
  readonly posId: string;
  readonly fetch: typeof globalThis.fetch;
  readonly #options: ClientOptions;

  /** Throws UsageError, or TillError for a key that can't be read. */
  constructor(flags: TillFlags) {
    this.url = addressOf(textOf(flags, 'terminal') ?? process.env['POID_TERMINAL'] ?? 'http://127.0.0.1:8080');
    this.posId = textOf(flags, 'pos') ?? process.env['POID_POS'] ?? 'SHELL';
    this.fetch = terminalFetch(trustOf(flags));
    const keyFile = textOf(flags, 'key') ?? process.env['POID_KEY'];
    const giveUpMs = 1_000 * wholeSeconds(flags, 'wait', giveUpSeconds);
    this.#options = { url: this.url, giveUpMs, ...(keyFile === undefined ? {} : { key: readKey(keyFile) }) };
  }

  /** `answerText` is the terminal's last answer to this client, unchanged except for control characters. */
  client(): { readonly client: Client; readonly answerText: () => string } {
    let last = '';
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await this.fetch(input, init);
      if (response.headers.get('content-type')?.startsWith('application/json') !== true) return response;
      last = await readAnswer(response);
      return new Response(last, { status: response.status, headers: response.headers });
    };
    return { client: new Client({ ...this.#options, fetch }), answerText: () => plainJson(last) };
  }

  /** `messageId` is a new one if absent. Throws UsageError for one that no terminal accepts. */
  identity(messageId = newMessageId()) {
    if (!isIdentifier(this.posId)) throw new UsageError(`--pos takes ${identifierForm}`);
    if (!isIdentifier(messageId)) throw new UsageError(`a messageId has ${identifierForm}`);
    return { posId: this.posId, messageId } satisfies Identity;
  }

  /** The flags by which another call reaches the same terminal as the same POS. */
  get sameFlags(): string {
    const key = process.argv.includes('--key') ? ' --key FILE' : '';
    const terminal = this.url === 'http://127.0.0.1:8080' ? '' : ` --terminal ${this.url}`;
    return `${terminal}${this.posId === 'SHELL' ? '' : ` --pos ${this.posId}`}${key}`;
  }

  /** Rejects with TillError, of `exitCode`, if no terminal answers: then no request was sent. */
  async reach(exitCode?: number): Promise<void> {
    await this.client()
      .client.call('GET', '/sp/v1/status')
      .catch((error: unknown) => {
        throw new TillError(`no terminal answers at ${this.url}: ${explain(error)}`, exitCode);
      });
  }
}

/** From the time, so that it is unique at this POS. Its letters keep it from being masked as a card number in a log. */
function newMessageId(): string {
  const time = new Date().toISOString().replaceAll(/[-:]/g, '').slice(0, 15);
  return `${time}Z-${randomBytes(3).toString('hex')}`;
}

export function textOf(flags: TillFlags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function wholeSeconds(flags: TillFlags, name: string, usual: number): number {
  const text = textOf(flags, name) ?? String(usual);
  if (!/^\d{1,5}$/.test(text)) throw new UsageError(`--${name} takes whole seconds`);
  return Number(text);
}

/** Why a call has no answer, as text. */
export function explain(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const meanings: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'no terminal listens there',
    ENOTFOUND: 'there is no such name',
    EHOSTUNREACH: 'there is no way to it',
    DEPTH_ZERO_SELF_SIGNED_CERT:
      'its certificate is its own: compare its fingerprint with the terminal’s screen, and give it by --fingerprint',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another address: give its --fingerprint',
    EPROTO: 'it does not speak TLS there',
    ECONNRESET: 'it closed the connection: is it HTTPS?',
  };
  if (code !== undefined && meanings[code] !== undefined) return meanings[code];
  if (error instanceof SyntaxError) return 'what answers is no terminal';
  return error instanceof Error && error.name === 'TimeoutError' ? 'it does not answer' : message;
}

function addressOf(text: string): string {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address && /^https?:$/.test(address.protocol) && address.pathname === '/') return address.origin;
  throw new UsageError(`--terminal takes an address, as https://192.168.1.5:8080: not '${text}'`);
}

function trustOf(flags: TillFlags): Trust {
  const [file, written] = [textOf(flags, 'ca'), textOf(flags, 'fingerprint')];
  if (written === undefined) return file === undefined ? {} : { ca: readText(file) };
  const fingerprint = written.replaceAll(':', '').toUpperCase();
  if (!/^[0-9A-F]{64}$/.test(fingerprint))
    throw new UsageError('--fingerprint takes the SHA-256 of a certificate: 32 bytes, hexadecimal');
  return { fingerprint };
}

/** As pairing stores it: keyId and key on a line (docs/pairing.md). */
function readKey(file: string): TillKey {
  const [, keyId, key] = /^([0-9a-f]{16}) ([0-9a-f]{64})\s*$/.exec(readText(file)) ?? [];
  if (keyId === undefined || key === undefined) throw new TillError(`${file} has no key of a pairing`);
  if ((statSync(file).mode & 0o077) !== 0)
    process.stderr.write(`poid: others can read the key ${file}: chmod 600 it\n`);
  return { keyId, key };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TillError(`${file} can't be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
