import type { ServerResponse } from 'node:http';
import type { Wires } from '../wires/record.ts';
import { type ShownFrame, shownFrame } from '../wires/shown.ts';
import { HttpError } from './http-error.ts';

const clientsMax = 16;

interface Client {
  readonly response: ServerResponse;
  readonly line: string | undefined;
  /** The last frame that it was sent. */
  sent: number;
}

/**
 * Server-sent events: the traffic of the lines, a list of frames at a time, first those that are kept. A client that
 * reads slowly is sent the rest later. Without clients no bytes are cut into frames.
 */
export class FrameStream {
  readonly #wires: Wires;
  readonly #clients = new Set<Client>();
  #stop: (() => void) | undefined;

  constructor(wires: Wires) {
    this.#wires = wires;
  }

  add(response: ServerResponse, { line, after }: { readonly line: string | undefined; readonly after: number }): void {
    if (this.#clients.size >= clientsMax) throw new HttpError(503, `at most ${clientsMax} may listen to the wires`);
    const client: Client = { response, line, sent: after };
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.on('close', () => {
      this.#clients.delete(client);
      if (this.#clients.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    });
    response.on('drain', () => this.#send(client));
    this.#clients.add(client);
    this.#stop ??= this.#wires.watch(() => {
      for (const each of this.#clients) this.#send(each);
    });
    this.#send(client, true);
  }

  #send(client: Client, first = false): void {
    const { response, line, sent } = client;
    if (response.writableNeedDrain) return;
    const protocols = new Map(this.#wires.lines.map(({ name, protocol }) => [name, protocol]));
    const frames: ShownFrame[] = [];
    for (const frame of this.#wires.frames({ line, after: sent })) {
      const protocol = protocols.get(frame.line);
      if (protocol !== undefined) frames.push(shownFrame(frame, protocol));
      client.sent = frame.id;
    }
    if (frames.length > 0 || first) response.write(`data: ${JSON.stringify(frames)}\n\n`);
  }
}
