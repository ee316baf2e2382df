import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { heard } from '../bench/children.ts';
import type { Attack, Front } from './attack.ts';
import type { Order, Report } from './attacker.ts';

/** Where a terminal listens. */
export interface Ports {
  readonly apiPort: number;
  readonly screenPort: number;
}

const name = 'the attacker';

/** The attacker's process, as the one who times sees it. */
export class Siege {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('attacker.ts', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** Resolves once the attack is under way. */
  async begin(front: Front, { what }: Attack, { apiPort, screenPort }: Ports): Promise<void> {
    const underWay = heard(this.#child, name);
    this.#child.send({ front, what, apiPort, screenPort } satisfies Order);
    await underWay;
  }

  /** `drain`: the terminal ends it, by its own time-outs. */
  async end(how: 'stop' | 'drain'): Promise<Report> {
    const reported = heard<Report>(this.#child, name);
    this.#child.send(how);
    return reported;
  }

  close(): void {
    this.#child.disconnect();
  }
}
