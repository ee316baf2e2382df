import { type Interface, createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

export interface Ended {
  readonly code: number;
  /** Standard output and error, as they came. */
  readonly said: string;
}

const script = readFileSync(new URL('agent.pl', import.meta.url), 'utf8');

const unit = `[Unit]
Description=Runs what a test sends
DefaultDependencies=no
After=systemd-remount-fs.service systemd-tmpfiles-setup.service
ConditionPathExists=/dev/ttyS1
[Service]
ExecStart=/usr/local/sbin/test-agent
StandardError=journal+console
Restart=always
KillMode=process
OOMScoreAdjust=-1000
`;

/** The processor is emulated, and other work takes its time: it must not look as if the daemon hung. `npm run test:package` tries the watchdog. */
const patience = `[Service]
WatchdogSec=600
`;

interface AgentFile {
  /** Below the root of the guest. */
  readonly path: string;
  readonly mode: number;
  readonly text: string;
}

/** What a guest must have for an `Agent`, which a link in multi-user.target.wants starts, and for a daemon that is slow. */
export const agentFiles: readonly AgentFile[] = [
  { path: 'usr/local/sbin/test-agent', mode: 0o755, text: script },
  { path: 'etc/systemd/system/test-agent.service', mode: 0o644, text: unit },
  { path: 'etc/systemd/system/poid.service.d/emulated.conf', mode: 0o644, text: patience },
];

/** Runs commands in a guest, by its second serial line. */
export class Agent {
  readonly #socket: Socket;
  readonly #lines: Interface;
  readonly #waiting = new Map<number, { resolve(ended: Ended): void; reject(why: Error): void }>();
  #up = Promise.withResolvers<void>();
  #last = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => this.#forget('the guest has ended'));
    this.#lines = createInterface({ input: socket });
    this.#lines.on('line', (line) => this.#receive(line)).on('error', () => undefined);
  }

  /** Resolves when the guest's end starts the next time. */
  get up(): Promise<void> {
    return this.#up.promise;
  }

  /** Rejects after `ms`, or when the guest ends. */
  run(command: string, ms: number): Promise<Ended> {
    return this.#ask('run', command, ms);
  }

  /** Sends a request to a port of the guest's own. What came back is empty where nobody listens. */
  async request(port: number, request: string, ms: number): Promise<string> {
    const { code, said } = await this.#ask('http', `${port}\n${request}`, ms);
    return code === 0 ? said : '';
  }

  #ask(kind: 'run' | 'http', words: string, ms: number): Promise<Ended> {
    const number = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<Ended>();
    this.#waiting.set(number, { resolve, reject });
    const timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${words}`)), ms);
    // What a restored snapshot has left of a line ends with the first line break.
    this.#socket.write(`\n${number} ${kind} ${Buffer.from(words).toString('hex')}\n`);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(number);
    });
  }

  /** Nobody answers any more what was sent before. */
  #forget(why: string): void {
    for (const each of this.#waiting.values()) each.reject(new Error(why));
    this.#waiting.clear();
  }

  #receive(line: string): void {
    if (line === '#up') {
      this.#up.resolve();
      this.#up = Promise.withResolvers();
      this.#forget('the guest has started anew');
    }
    const [, number, code, said = ''] = /^#(\d+) (\d+) (\S*)$/.exec(line) ?? [];
    if (number === undefined) return;
    const ended = { code: Number(code), said: Buffer.from(said, 'hex').toString() };
    this.#waiting.get(Number(number))?.resolve(ended);
  }
}
