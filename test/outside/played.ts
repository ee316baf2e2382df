import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { http, type Json, Stage, type StageOptions } from '../e2e/stage.ts';
import { playCalls, playRefusals } from './calls.ts';
import { playCounter } from './counter.ts';
import { playClosed } from './closed.ts';
import { playFailures, playKinds, playMethods } from './kinds.ts';
import { type Example, Scenes } from './scenes.ts';

/** An answer as the terminal sent it. `method` and `path` are empty where the request could not be read. */
export interface RecordedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

export interface Played {
  readonly document: Json;
  readonly examples: ReadonlyMap<string, Example>;
  readonly answers: readonly RecordedAnswer[];
}

export async function readAnswers(file: string): Promise<RecordedAnswer[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as RecordedAnswer);
}

/** Plays every kind, way to pay and refusal on terminals of its own, with each answer written down. */
export async function play(): Promise<Played> {
  const dir = await mkdtemp(path.join(tmpdir(), 'poid-answers-'));
  const file = path.join(dir, 'answers');
  try {
    const environment = recorder(file);
    const receipt = { printedByPosId: { 'POS-B': 'pos' } };
    const open: StageOptions = {
      environment,
      configuration: { receipt, timeouts: { octopusIncompleteMs: 300, reversalWaitMs: 300 } },
    };
    const closed: StageOptions = {
      environment,
      configuration: { pairing: { required: true }, http: { headersMs: 300, requestMs: 400 } },
    };
    const [first, second] = await Promise.all([
      onStage(open, async (scenes) => {
        for (const act of [playMethods, playKinds, playCalls, playCounter, playRefusals, playFailures])
          await act(scenes);
      }),
      onStage(closed, (scenes) => playClosed(scenes, () => readAnswers(file))),
    ]);
    const examples = new Map([...first.examples, ...second.examples]);
    return { document: first.document, examples, answers: await readAnswers(file) };
  } finally {
    await rm(dir, { recursive: true });
  }
}

function recorder(file: string): Readonly<Record<string, string>> {
  const module = new URL('../support/record-answers.ts', import.meta.url).href;
  return { POID_REPORTED_ANSWERS: file, NODE_OPTIONS: `--import=${module}` };
}

async function onStage(
  options: StageOptions,
  act: (scenes: Scenes) => Promise<void>,
): Promise<Pick<Played, 'document' | 'examples'>> {
  const stage = await Stage.open(options);
  try {
    const scenes = new Scenes(stage);
    const { body: document } = await http('GET', `${stage.apiUrl}/openapi.json`);
    await act(scenes);
    return { document, examples: scenes.examples };
  } finally {
    await stage.close();
  }
}
