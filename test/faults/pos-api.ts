import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { Access } from '../../src/api/access.ts';
import { answerRequest } from '../../src/api/answering.ts';
import type { ApiParts } from '../../src/api/call.ts';
import type { Turns } from '../../src/api/turns.ts';

/** What a POS hears. */
export interface Heard {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const access = new Access({ hostnames: [], origins: [], networks: [] });
/** One request after the other, as a terminal that nobody attacks has them. */
const turns = { next: () => Promise.resolve() } as unknown as Turns;

/** A call of the terminal's interface without its wire: a body as text in, an answer out, and all that stands between. */
export async function called(path: string, text: string | undefined, parts: ApiParts): Promise<Heard> {
  const request = Object.assign(Readable.from(text === undefined ? [] : [Buffer.from(text)]), {
    url: `/sp/v1/${path}`,
    method: text === undefined ? 'GET' : 'POST',
    headers: { host: '192.168.1.20:8080', 'content-type': 'application/json' },
    socket: { remoteAddress: '192.168.1.11' },
  });
  const answer = await answerRequest(
    request as unknown as IncomingMessage,
    {} as ServerResponse,
    { bodyBytesMax: 65_536, access, parts },
    { onWhole: () => undefined, onStream: () => undefined, refused: async (refusal) => refusal, turns },
  );
  if (!answer) throw new Error(`${path} is answered by a stream`);
  // As it goes over the wire: nothing of this process is told that JSON has no word for.
  return { status: answer.status, body: JSON.parse(JSON.stringify(answer.body ?? {})) as Heard['body'] };
}
