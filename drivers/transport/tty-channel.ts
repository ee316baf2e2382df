import fs from 'node:fs';
import tty from 'node:tty';
import type { Channel, ChannelEnds } from './line.ts';

/** A line discipline holds no more than this (N_TTY_BUF_SIZE). */
const chunkBytes = 4096;

/**
 * Reads and writes a line on a thread of its own, where the binding's poller never fires: it watches the main thread's
 * loop. `port` is the descriptor of the opened and configured line. Its opener keeps it, and with it the lock: libuv
 * opens a terminal anew, so this is another open file of the same device. `release` runs once that one is closed.
 */
export function openTtyChannel(port: number, ends: ChannelEnds, release: (stuck: boolean) => Promise<void>): Channel {
  const { O_RDWR, O_NOCTTY, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(`/proc/self/fd/${port}`, O_RDWR | O_NOCTTY | O_NONBLOCK);
  try {
    return new TtyChannel(fd, ends, release);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
}

class TtyChannel implements Channel {
  readonly oneWay = false;
  readonly #fd: number;
  readonly #stream: tty.ReadStream;
  readonly #release: (stuck: boolean) => Promise<void>;
  readonly #closed: Promise<void>;
  /** Writes that libuv finishes: the operating system did not take them at once. */
  #waiting = 0;
  #ended = false;

  constructor(fd: number, { onData, onEnd }: ChannelEnds, release: (stuck: boolean) => Promise<void>) {
    this.#fd = fd;
    this.#release = release;
    const buffer = new Uint8Array(chunkBytes);
    // The stream reads into this one buffer: card data is in no other buffer, and is overwritten at once.
    const onread = {
      buffer,
      callback: (count: number) => {
        const chunk = buffer.slice(0, count);
        buffer.fill(0, 0, count);
        if (!this.#ended) onData(chunk);
        return true;
      },
    };
    // `tty.ReadStream` accepts the options of any socket, which @types/node omits.
    const options: object = { onread };
    this.#stream = new tty.ReadStream(fd, options);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#closed = promise;
    const end = () => {
      if (this.#ended) return;
      this.#ended = true;
      onEnd('the device vanished');
    };
    this.#stream.on('end', end);
    this.#stream.on('error', end);
    this.#stream.on('close', () => {
      end();
      resolve();
    });
    this.#stream.resume();
  }

  write(bytes: Uint8Array, taken: () => void): boolean {
    if (this.#ended) return false;
    const written = this.#waiting === 0 ? this.#writeNow(bytes) : 0;
    if (written === bytes.length) return true;
    this.#waiting++;
    this.#stream.write(Uint8Array.from(bytes.subarray(written)), (error) => {
      this.#waiting--;
      if (!error) taken();
    });
    return false;
  }

  async close(stuck: boolean): Promise<void> {
    this.#ended = true;
    this.#stream.destroy();
    await this.#closed;
    fs.closeSync(this.#fd);
    await this.#release(stuck);
  }

  /** An error is not reported here: the stream reports the same error. */
  #writeNow(bytes: Uint8Array): number {
    try {
      return fs.writeSync(this.#fd, bytes);
    } catch {
      return 0;
    }
  }
}
