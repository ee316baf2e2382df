import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request as plainly } from 'node:http';
import { request as securely } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { signedHeaders } from '../pos/pairing/signing.ts';
import { type Front, heardKeyId } from './attack.ts';

// Answers are read as the tests find them: an absent field fails its assertion.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

/** A POS whose every call comes over a new connection, past the same doors as the attackers'. */
export class Pos {
  readonly posId = 'POS-1';
  readonly #front: Front;
  readonly #port: number;
  readonly #key = randomBytes(32);
  #messages = 0;

  constructor(front: Front, port: number) {
    this.#front = front;
    this.#port = port;
  }

  /** The same POS, after the terminal has started again: its messages go on. */
  at(port: number): Pos {
    const pos = new Pos(this.#front, port);
    pos.#messages = this.#messages;
    return pos;
  }

  /** As if it had been paired (docs/pairing.md). A running daemon lets in whom it finds there. */
  async pairAt(stateDir: string): Promise<void> {
    const paired = {
      posId: this.posId,
      keyId: heardKeyId,
      key: this.#key.toString('hex'),
      pairedAt: new Date().toISOString(),
    };
    await writeFile(path.join(stateDir, 'pairings.json'), JSON.stringify([paired]), { mode: 0o600 });
  }

  /** A new SALE of 30 HKD by card. */
  sale(): Json {
    const { posId } = this;
    const amount = { requestAmount: 30, currency: 'HKD' };
    return {
      posId,
      messageId: `S-${++this.#messages}`,
      transactionType: 'SALE',
      ...amount,
      preferredEntryMode: 'CARD',
    };
  }

  async call(call: string, body: Json): Promise<{ status: number; body: Json }> {
    const target = `/sp/v1/${call}`;
    const sent = JSON.stringify(body);
    const signature = this.#front === 'paired' ? this.#signature(target, sent) : {};
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent), ...signature };
    const options = {
      host: '127.0.0.1',
      port: this.#port,
      method: 'POST',
      path: target,
      agent: false,
      headers,
    } as const;
    // Which certificate it is, api/tls.test.ts asks.
    const outgoing = this.#front === 'tls' ? securely({ ...options, rejectUnauthorized: false }) : plainly(options);
    const responded = once(outgoing, 'response');
    outgoing.end(sent);
    const [incoming] = (await responded) as [IncomingMessage];
    return { status: incoming.statusCode ?? 0, body: JSON.parse(await text(incoming)) };
  }

  #signature(target: string, body: string): Record<string, string> {
    const [authority, createdS] = [`127.0.0.1:${this.#port}`, Math.floor(Date.now() / 1_000)];
    return signedHeaders({ key: this.#key, keyId: heardKeyId, method: 'POST', target, authority, body, createdS });
  }
}
