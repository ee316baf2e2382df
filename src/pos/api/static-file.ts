import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Answer } from './pos-response.ts';

/** A browser may show or run a file of the terminal only as its declared type, and load nothing. */
const guards = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  // Revalidated each time, and answered 304 while unchanged, so that an upgrade takes effect at once.
  'cache-control': 'no-cache',
};

export interface FileRules {
  readonly type: string;
  readonly contentSecurityPolicy: () => Promise<string>;
}

interface Made {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file that the terminal serves. It is made with the first request for it, and kept. */
export class StaticFile {
  readonly #rules: FileRules;
  readonly #make: () => Promise<string>;
  #made: Promise<Made> | undefined;

  constructor(rules: FileRules, make: () => Promise<string>) {
    this.#rules = rules;
    this.#make = make;
  }

  async answer({ headers: asked }: IncomingMessage): Promise<Answer> {
    const { bytes, headers } = await (this.#made ??= this.#read());
    const isKnown = asked['if-none-match'] === headers['etag'];
    return isKnown ? { status: 304, body: undefined, headers } : { status: 200, body: bytes, headers };
  }

  async #read(): Promise<Made> {
    try {
      const bytes = Buffer.from(await this.#make());
      const { type, contentSecurityPolicy } = this.#rules;
      const policy = { 'content-type': type, 'content-security-policy': await contentSecurityPolicy() };
      return { bytes, headers: { ...guards, ...policy, etag: `"${hash('sha256', bytes, 'base64url')}"` } };
    } catch (error) {
      // The next request tries again.
      this.#made = undefined;
      throw error;
    }
  }
}
