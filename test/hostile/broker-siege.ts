import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { heard } from '../bench/children.ts';
import type { BrokerReport, Opening } from './broker-attacker.ts';

const name = 'the hostile broker';

/** The hostile broker's process, as the one who times sees it. */
export class BrokerSiege {
  readonly #child: ChildProcess;
  readonly port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async open(opening: Opening): Promise<BrokerSiege> {
    const child = fork(fileURLToPath(new URL('broker-attacker.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const opened = heard<{ port: number }>(child, name);
    child.send(opening);
    return new BrokerSiege(child, (await opened).port);
  }

  /** A terminal is about to start. */
  fresh(): Promise<unknown> {
    return this.#ask('fresh');
  }

  /** Resolves once the terminal has subscribed. */
  connected(): Promise<unknown> {
    return this.#ask('connected');
  }

  /** Resolves once the conduct is under way. */
  begin(what: string): Promise<unknown> {
    return this.#ask(what);
  }

  calm(): Promise<BrokerReport> {
    return this.#ask('calm');
  }

  close(): void {
    this.#child.disconnect();
  }

  #ask<Answer>(order: string): Promise<Answer> {
    const answer = heard<Answer>(this.#child, name);
    this.#child.send(order);
    return answer;
  }
}
