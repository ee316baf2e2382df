import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { command } from '../support/programs.ts';
import { ServerEvents } from './server-events.ts';
import type { Json, Stage } from './stage.ts';

export const password = '135792';

/** `poid <command>` on the terminal's state directory, with a line of input. */
export async function poid(
  stage: Stage,
  parameters: readonly string[],
  input = '',
): Promise<{ code: number; out: string }> {
  const child = spawn(command, [...parameters, '--state-dir', stage.stateDir], { stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stdin.end(`${input}\n`);
  const [code] = await once(child, 'close');
  return { code, out };
}

/** The operator at the terminal's own screen. */
export class Operator {
  readonly #stage: Stage;
  #session = '';

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async asks(body: Json): Promise<{ status: number; body: Json }> {
    const { screenUrl } = this.#stage;
    const response = await fetch(`${screenUrl}/desk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: screenUrl },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }

  async login(): Promise<void> {
    const { status, body } = await this.asks({ kind: 'login', password });
    assert.equal(status, 200, JSON.stringify(body));
    this.#session = body.session;
  }

  does(body: Json): Promise<{ status: number; body: Json }> {
    return this.asks({ ...body, session: this.#session });
  }

  /** Waits until the idle screen fulfils a condition, and returns it. */
  async sees(wanted: (view: Json) => boolean): Promise<Json> {
    const events = await ServerEvents.open(`${this.#stage.screenUrl}/events`);
    try {
      for (;;) {
        const { event, data } = (await events.next()) ?? assert.fail('the screen went away');
        if (event === 'desk' && wanted(JSON.parse(data))) return JSON.parse(data);
      }
    } finally {
      events.close();
    }
  }
}
