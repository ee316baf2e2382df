import type { IncomingMessage } from 'node:http';
import { shownFrame, shownWhole } from '../wires/shown.ts';
import type { Wires } from '../wires/record.ts';
import { FrameStream } from './frame-stream.ts';
import { HttpError } from './http-error.ts';
import { type Methods, send, sendJson } from './reply.ts';

/** The traffic of the lines: a list, one frame field by field, a stream of new frames, and a download of all. */
export function wireRoutes(wires: Wires): [string, Methods][] {
  const protocolOf = (name: string) => {
    const line = wires.lines.find((each) => each.name === name);
    if (!line) throw new HttpError(404, `no such line; there are ${wires.lines.map((each) => each.name).join(', ')}`);
    return line.protocol;
  };
  const wanted = (request: IncomingMessage) => {
    const query = queryOf(request, ['line', 'after']);
    const [line, after = '0'] = [query.get('line'), query.get('after')];
    if (line !== undefined) protocolOf(line);
    if (!/^\d{1,15}$/.test(after)) throw new HttpError(400, 'after: the number of a frame');
    return { line, after: Number(after) };
  };
  const stream = new FrameStream(wires);
  return [
    [
      '/api/wires',
      {
        GET: (request, response) => {
          const frames = wires.frames(wanted(request)).map((frame) => shownFrame(frame, protocolOf(frame.line)));
          sendJson(response, { lines: wires.lines, frames });
        },
        DELETE: (_, response) => {
          wires.clear();
          sendJson(response, {});
        },
      },
    ],
    [
      '/api/wires/*',
      {
        GET: (_, response, id) => {
          const frame = wires.frame(Number(id));
          if (!frame) throw new HttpError(404, 'no such frame: only the latest of each line are kept');
          sendJson(response, shownWhole(frame, protocolOf(frame.line)));
        },
      },
    ],
    ['/api/wires/events', { GET: (request, response) => stream.add(response, wanted(request)) }],
    [
      '/api/wires.jsonl',
      {
        GET: (request, response) => {
          const frames = wires.frames(wanted(request)).map((frame) => shownWhole(frame, protocolOf(frame.line)));
          send(response, 'application/jsonl', frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
        },
      },
    ],
  ];
}

/**
 * The parameters behind the path, each once. Throws HttpError for an unknown one: if a filter were ignored, too much
 * would be shown.
 */
function queryOf(request: IncomingMessage, names: readonly string[]): ReadonlyMap<string, string> {
  const [, text = ''] = (request.url ?? '').split('?');
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (!names.includes(name) || query.has(name)) throw new HttpError(400, `${names.join(' and ')}, each once`);
    query.set(name, value);
  }
  return query;
}
