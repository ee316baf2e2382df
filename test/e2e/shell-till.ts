import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod';
import { command } from '../support/programs.ts';
import type { Json, Stage } from './stage.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A command of a till at the shell, under way. */
export class ShellTill {
  out = '';
  err = '';
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;

  constructor(terminal: string, parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, POID_TERMINAL: terminal, NO_COLOR: '', ...environment };
    this.#child = spawn(command, parameters, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.out += text));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.err += text));
    this.ended = once(this.#child, 'close').then(([code]) => ({ code, out: this.out, err: this.err }));
  }

  /** Waits until it has said this on standard error. */
  async says(what: RegExp): Promise<void> {
    while (!what.test(this.err)) {
      const more = await Promise.race([once(this.#child.stderr!, 'data'), this.ended]);
      if (!Array.isArray(more) && !what.test(this.err)) throw new Error(`it ended: ${this.out}${this.err}`);
    }
  }

  type(line: string): void {
    this.#child.stdin?.end(`${line}\n`);
  }

  interrupt(signal: NodeJS.Signals = 'SIGINT'): void {
    this.#child.kill(signal);
  }

  /** Nobody reads any more what it says. */
  stopReading(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

/** Runs a command of a till against the stage's terminal, to its end. */
export async function atShell(stage: Stage, ...parameters: string[]): Promise<Ended> {
  const till = new ShellTill(stage.apiUrl, parameters);
  till.type('');
  return till.ended;
}

/** What an answer of a call has to be, by the terminal's own OpenAPI document. */
export async function answerSchema(stage: Stage, method: 'get' | 'post', path: string): Promise<z.ZodType> {
  const document: Json = await (await fetch(`${stage.apiUrl}/openapi.json`)).json();
  const local = (part: Json): Json => JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', '#/$defs/'));
  const { schema } = document.paths[path][method].responses['200'].content['application/json'];
  return z.fromJSONSchema({ ...local(schema), $defs: local(document.components.schemas) });
}
