import { keptFrames } from '../session/kept-frames.ts';
import { type Recording, type RecordedStep, statusOf } from '../session/recording.ts';
import type { Recorder } from '../session/recorder.ts';
import { hostStory } from '../session/story.ts';
import { callTerminal, TillError } from '../till/till.ts';
import { openNoTap } from '../wires/tap.ts';
import { nothing } from './bodies.ts';
import { readBody } from './body.ts';
import type { BenchParts } from './parts.ts';
import { type Methods, sendJson } from './reply.ts';

/** A recording of the steps and their results, which can be replayed as a test. */
export function sessionRoutes({ recorder, wires, terminal, events }: BenchParts): [string, Methods][] {
  /** Asks the journal on a connection that is not recorded, because it is not part of the session. */
  const finished = async ({ step, identity }: Recorder['noted'][number]): Promise<RecordedStep> => {
    if (!('till' in step) || step.till.path !== 'payment' || identity === undefined || step.endedMs === undefined)
      return step;
    const enquiry = { method: 'POST', path: 'enquiry', body: identity } as const;
    try {
      const { body } = await callTerminal(terminal.state().api, enquiry, openNoTap);
      const journal = statusOf(body);
      return journal === undefined ? step : { ...step, journal };
    } catch (error) {
      // Without its terminal a recording lacks the journal's status.
      if (error instanceof TillError) return step;
      throw error;
    }
  };
  return [
    [
      '/api/session',
      {
        GET: async (_, response) => {
          const steps = await Promise.all(recorder.noted.map(finished));
          const { lines, frames, leftOff } = keptFrames(wires, recorder);
          const recording: Recording = {
            format: 2,
            leftOff: [...leftOffOf(recorder, events.fault), ...leftOff],
            steps,
            hosts: hostStory({ lines, frames }),
            events: [...recorder.events],
            lines,
            frames,
          };
          sendJson(response, recording);
        },
        POST: async (request, response) => {
          await readBody(request, nothing);
          const { api, isReported } = terminal.state();
          if (isReported) await events.follow(api);
          const after = wires.frames().at(-1)?.id ?? 0;
          recorder.begin(after);
          sendJson(response, { after });
        },
      },
    ],
    [
      '/api/session/events',
      { GET: (_, response) => sendJson(response, { events: recorder.events, fault: events.fault }) },
    ],
  ];
}

/** `deaf`: why the terminal's events are not received now. */
function leftOffOf({ leftOff: { steps, events } }: Recorder, unheard: string | undefined): Recording['leftOff'] {
  return [
    ...(steps > 0 ? [{ what: 'steps', why: `${steps} steps after the first ones: it has no more of them` }] : []),
    ...(events > 0 ? [{ what: 'events', why: `${events} events after the first ones: it has no more of them` }] : []),
    ...(unheard === undefined ? [] : [{ what: 'events', why: `the terminal’s events are not heard now: ${unheard}` }]),
  ];
}
