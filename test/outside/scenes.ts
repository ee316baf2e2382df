import assert from 'node:assert/strict';
import type { HttpAnswer, Json, Stage } from '../e2e/stage.ts';

/** One call and its answer, as an example for who builds a till. */
export interface Example {
  /** operationId of the call; `any` for what every call may answer, `none` for what none of the document does. */
  readonly operation: string;
  readonly summary: string;
  readonly request?: Json;
  readonly status: number;
  readonly answer: Json;
}

/** Plays scenes on a terminal, and keeps those that are good examples, by name. */
export class Scenes {
  readonly stage: Stage;
  readonly examples = new Map<string, Example>();

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Keeps a call with its answer, which must be of this kind. Returns the answer. */
  keep(name: string, example: Omit<Example, 'status' | 'answer'>, answer: HttpAnswer, answered: string | number): Json {
    const { status, body } = answer;
    assert.equal(
      typeof answered === 'number' ? status : body.responseResult,
      answered,
      `${name}: ${JSON.stringify(body)}`,
    );
    assert.ok(!this.examples.has(name), name);
    this.examples.set(name, { ...example, status, answer: body });
    return body;
  }

  /** A payment that somebody pays, or that goes by an earlier one. */
  async pay(
    name: string,
    summary: string,
    fields: Json,
    present: (stage: Stage) => Promise<void> = async () => undefined,
    reported: string | number = 'SUCCESS',
  ): Promise<Json> {
    const { request, answer } = this.stage.begun(fields);
    await present(this.stage);
    return this.keep(name, { operation: 'payment', summary, request }, await answer, reported);
  }

  async post(call: string, name: string, summary: string, request: Json, reported: string | number): Promise<Json> {
    const answer = await this.stage.post(call, request);
    return this.keep(name, { operation: operationOf(call), summary, request }, answer, reported);
  }
}

const operations: Readonly<Record<string, string>> = { 'drawer/open': 'openDrawer', 'report/print': 'printReport' };

/** The operationId of a call: `reveal` for pairing/reveal. */
export function operationOf(call: string): string {
  const own = operations[call];
  if (own !== undefined) return own;
  return call.replace(/^.*\//, '');
}
