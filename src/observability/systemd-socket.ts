import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';

/** sd-notify.c. Returns 0 or an errno; never blocks. */
interface Addon {
  send(address: string, text: string): number;
}

/** EAGAIN (errno(3)): the receiver's queue is full. */
const queueFull = 11;
const retryMs = 100;
/** More than a service sends while systemd reads nothing for a minute. */
const heldLinesMax = 100;

/** Beside the bundle. Sources that run directly have none (build/addons.ts). */
export const installedAddon = new URL('sd-notify.node', import.meta.url);

/** The sending end of systemd's socket. Lines arrive in order, and sending never blocks. */
export class SystemdSocket {
  readonly #addon: Addon;
  readonly #address: string;
  readonly #onFailure: (error: Error) => void;
  /** Lines for which systemd's queue had no room yet. */
  readonly #held: string[] = [];
  #retry: NodeJS.Timeout | undefined;

  /** Throws if the addon is missing, or built for another machine. */
  constructor(address: string, onFailure: (error: Error) => void, addon: URL = installedAddon) {
    this.#addon = createRequire(import.meta.url)(fileURLToPath(addon)) as Addon;
    this.#address = address;
    this.#onFailure = onFailure;
  }

  notify(line: string): void {
    if (this.#held.length >= heldLinesMax) return this.#onFailure(new Error('systemd takes no more datagrams'));
    this.#held.push(line);
    this.#sendHeld();
  }

  close(): void {
    clearTimeout(this.#retry);
  }

  #sendHeld(): void {
    for (let line = this.#held[0]; line !== undefined; line = this.#held[0]) {
      const errno = this.#addon.send(this.#address, line);
      if (errno === queueFull) {
        this.#retry ??= setTimeout(() => this.#sendAgain(), retryMs).unref();
        return;
      }
      this.#held.shift();
      if (errno !== 0) this.#onFailure(new Error(`systemd can't be notified (${getSystemErrorName(-errno)})`));
    }
  }

  #sendAgain(): void {
    this.#retry = undefined;
    this.#sendHeld();
  }
}
