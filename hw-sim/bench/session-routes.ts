import { hostStory, type Recording, type RecordedStep, statusOf } from '../session/recording.ts';
import type { Recorder } from '../session/recorder.ts';
import { callTerminal, TillError } from '../till/till.ts';
import { openNoTap } from '../wires/tap.ts';
import { shownFrame } from '../wires/shown.ts';
import { nothing } from './bodies.ts';
import { readBody } from './body.ts';
import type { BenchParts } from './parts.ts';
import { type Methods, sendJson } from './reply.ts';

/** A recording of what was done and what came of it, which can be replayed as a test. */
export function sessionRoutes({ recorder, wires, terminal }: BenchParts): [string, Methods][] {
  /** Asks the journal, by a connection that is not among the wires: it is no part of what happened. */
  const finished = async ({ step, identity }: Recorder['noted'][number]): Promise<RecordedStep> => {
    if (!('till' in step) || step.till.path !== 'payment' || identity === undefined || step.endedMs === undefined)
      return step;
    const enquiry = { method: 'POST', path: 'enquiry', body: identity } as const;
    try {
      const { body } = await callTerminal(terminal.state().api, enquiry, openNoTap);
      const journal = statusOf(body);
      return journal === undefined ? step : { ...step, journal };
    } catch (error) {
      // Without its terminal a recording lacks what the journal says.
      if (error instanceof TillError) return step;
      throw error;
    }
  };
  return [
    [
      '/api/session',
      {
        GET: async (_, response) => {
          const protocols = new Map(wires.lines.map(({ name, protocol }) => [name, protocol]));
          const frames = wires
            .frames({ after: recorder.afterFrame })
            .map((frame) => shownFrame(frame, protocols.get(frame.line) ?? 'HTTP'));
          const steps = await Promise.all(recorder.noted.map(finished));
          const recording: Recording = { format: 1, steps, hosts: hostStory(frames) };
          sendJson(response, recording);
        },
        POST: async (request, response) => {
          await readBody(request, nothing);
          const after = wires.frames().at(-1)?.id ?? 0;
          recorder.begin(after);
          sendJson(response, { after });
        },
      },
    ],
  ];
}
