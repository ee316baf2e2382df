import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { DgramSocket } from 'node-unix-socket';

/** systemd's end of sd_notify(3): a datagram socket in a directory of its own. */
export class NotifySocket {
  readonly path: string;
  readonly told: string[] = [];
  #onTold: (() => void)[] = [];

  private constructor(socketPath: string, t: TestContext) {
    this.path = socketPath;
    const socket = new DgramSocket();
    socket.on('data', (datagram: Buffer) => {
      this.told.push(datagram.toString());
      for (const heard of this.#onTold.splice(0)) heard();
    });
    socket.bind(socketPath);
    t.after(() => socket.close());
  }

  static async open(t: TestContext): Promise<NotifySocket> {
    const dir = await mkdtemp(path.join(tmpdir(), 'poid-notify-'));
    t.after(() => rm(dir, { recursive: true }));
    return new NotifySocket(path.join(dir, 'notify'), t);
  }

  static abstract(name: string, t: TestContext): NotifySocket {
    return new NotifySocket(`\0${name}`, t);
  }

  /** Resolves once a datagram passes. */
  async until(pass: (datagram: string) => boolean): Promise<void> {
    while (!this.told.some(pass)) await new Promise<void>((resolve) => this.#onTold.push(resolve));
  }

  /** Resolves once `count` datagrams have come. */
  async times(count: number): Promise<readonly string[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => this.#onTold.push(resolve));
    return this.told;
  }
}
