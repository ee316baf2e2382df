import { callTerminal, TillError } from '../till/till.ts';
import { terminalAddress, terminalPower, tillCall } from './bodies.ts';
import { readBody } from './body.ts';
import { HttpError } from './http-error.ts';
import type { BenchParts } from './parts.ts';
import { type Methods, sendJson } from './reply.ts';

const notBeside =
  'this terminal was not started beside the simulator (poid run --sim): cut its power yourself (kill -9), and start it again';

/** The till of the page. Its calls go to the terminal over a line of its own, as those of any till. */
export function tillRoutes({ terminal, power, wires, recorder, events }: BenchParts): [string, Methods][] {
  const openTap = wires.add('till', 'HTTP');
  return [
    [
      '/api/terminal',
      {
        POST: async (request, response) => {
          terminal.set(await readBody(request, terminalAddress));
          sendJson(response, terminal.state());
        },
      },
    ],
    [
      '/api/terminal/power',
      {
        POST: async (request, response) => {
          const wanted = await readBody(request, terminalPower);
          if (power.state().power === undefined) throw new HttpError(409, notBeside);
          if (wanted.power === 'on') {
            power.forget();
            power.restore();
          } else {
            const { at, offMs } = wanted;
            const names = wires.lines.map(({ name }) => name);
            if (at && !names.includes(at.line)) throw new HttpError(404, `no such line; there are ${names.join(', ')}`);
            power.cut(at, offMs);
          }
          sendJson(response, power.state());
        },
      },
    ],
    [
      '/api/till/call',
      {
        POST: async (request, response) => {
          const { api } = terminal.state();
          const call = await readBody(request, tillCall);
          // Before the first call, because the terminal sends its events at once.
          await events.follow(api);
          const noteAnswer = recorder.noteTill(call);
          try {
            const answer = await callTerminal(api, call, openTap);
            noteAnswer(answer);
            sendJson(response, answer);
          } catch (error) {
            if (!(error instanceof TillError)) throw error;
            noteAnswer(undefined);
            throw new HttpError(502, `no terminal answers at ${api} (${error.message})`);
          }
        },
      },
    ],
  ];
}
