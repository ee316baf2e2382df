import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Access } from '../../src/pos/api/access.ts';
import { answerRequest } from '../../src/pos/api/answering.ts';
import { openPosCalls } from '../../src/pos/api/open-pos-calls.ts';
import type { ApiParts } from '../../src/pos/api/call.ts';
import type { Turns } from '../../src/base/http/turns.ts';

/** An answer to a POS. */
export interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const access = new Access({ hostnames: [], origins: [], networks: [] });
/** Requests get their turn at once: nothing attacks this terminal. */
const turns = { next: () => Promise.resolve() } as unknown as Turns;

const events = {
  serve: () => {
    throw new Error('no till of this simulation listens to events');
  },
};

/** A call of the terminal's API without the network: body text in, answer out, through all real layers in between. */
export async function called(path: string, text: string | undefined, parts: ApiParts): Promise<Heard> {
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  const calls = openPosCalls({ parts, isPairingRequired: false, onFailure });
  const request = Object.assign(Readable.from(text === undefined ? [] : [Buffer.from(text)]), {
    url: `/sp/v1/${path}`,
    method: text === undefined ? 'GET' : 'POST',
    headers: { host: '192.168.1.20:8080', 'content-type': 'application/json' },
    rawHeaders: ['Host', '192.168.1.20:8080', 'Content-Type', 'application/json'],
    socket: { remoteAddress: '192.168.1.11' },
  });
  const answer = await answerRequest(
    request as unknown as IncomingMessage,
    // Nobody hangs up.
    { once: () => undefined } as unknown as ServerResponse,
    { bodyBytesMax: 65_536, access, calls, events },
    { onWhole: () => undefined, onStream: () => undefined, refused: async (refusal) => refusal, turns },
  );
  if (failures.length > 0) throw failures[0];
  if (!answer) throw new Error(`${path} is answered by a stream`);
  // Through JSON, as over the wire: no value may pass that JSON can't express.
  return { status: answer.status, body: JSON.parse(JSON.stringify(answer.body ?? {})) as Heard['body'] };
}
