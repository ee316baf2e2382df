import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { eventually, type Json, Stage } from '../e2e/stage.ts';
import { few, type Front } from './attack.ts';
import { Pos } from './pos.ts';
import type { Ports } from './siege.ts';

/** Quicker than a shop's, so that an attack is over within seconds. */
export const hasty = { headersMs: 1_000, requestMs: 1_500, idleMs: 1_000, unreadMs: 2_000 };

/** The terminal's settings for this front. */
export function settingsOf(front: Front): Json {
  const http = { ...hasty, tls: front === 'tls', ...(front === 'few' ? few : {}) };
  return { http, pairing: { required: front === 'paired' } };
}

/** The whole product behind one front, with a POS. */
export class Counter {
  readonly stage: Stage;
  pos: Pos;

  private constructor(stage: Stage, pos: Pos) {
    this.stage = stage;
    this.pos = pos;
  }

  /** `more`: further settings of the terminal. */
  static async open(front: Front, more: Json = {}): Promise<Counter> {
    const stage = await Stage.open({ configuration: { ...settingsOf(front), ...more } });
    const counter = new Counter(stage, new Pos(front, Number(new URL(stage.apiUrl).port)));
    if (front === 'paired') await counter.pos.pairAt(stage.stateDir);
    return counter;
  }

  get ports(): Ports {
    const { apiUrl, screenUrl } = this.stage;
    return { apiPort: Number(new URL(apiUrl).port), screenPort: Number(new URL(screenUrl).port) };
  }

  /** A payment by card: milliseconds from the card's being held there to the answer. */
  async pay(): Promise<number> {
    const answer = this.pos.call('payment', this.pos.sale());
    answer.catch(() => undefined);
    await Promise.race([
      answer,
      eventually(
        () => this.stage.bench(),
        ({ reader }) => reader.armed,
      ),
    ]);
    const from = performance.now();
    const tapped = this.stage.tap('visa');
    const { body } = await answer;
    const tookMs = performance.now() - from;
    await tapped;
    assert.equal(body.responseResult, 'SUCCESS', JSON.stringify(body));
    return tookMs;
  }

  /** Starts the terminal again, behind a plain front. */
  async start(): Promise<void> {
    await this.stage.startDaemon();
    this.pos = this.pos.at(Number(new URL(this.stage.apiUrl).port));
  }

  /** Resolves once a line of the log, after its first `from` characters, fits. */
  async awaitLog(from: number, fits: RegExp): Promise<void> {
    await eventually(
      async () => this.stage.log.slice(from),
      (log) => log.split('\n').some((line) => line.includes('"state":"disconnected"') && fits.test(line)),
    );
  }

  residentBytes(): number {
    return Number(readFileSync(`/proc/${this.stage.daemonPid}/statm`, 'latin1').split(' ')[1]) * 4096;
  }
}
