import type { Socket } from 'node:net';
import { bodyBytesMax, type Frame, FrameReader, MalformedFrame } from './frame.ts';

/** A frame must be whole within this time: OpenWay's T1 for an incomplete frame. */
const frameTimeoutMs = 55_000;

/** A terminal that reads no answers is cut off, before its answers fill the memory. */
const unreadBytesMax = 64 * bodyBytesMax;

export interface LinkEvents {
  onFrame(link: Link, frame: Frame): void;
  /** Bytes that are no frame, or not the whole of one. */
  onMalformed(why: string, bytes: Buffer): void;
  onClose(link: Link): void;
}

/** One terminal's connection: frames in, bytes out, and the answers that still wait for their time. */
export class Link {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #reader = new FrameReader();
  readonly #waiting = new Set<NodeJS.Timeout>();
  /** Runs while a frame is not whole. */
  #frameTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, events: LinkEvents) {
    this.#socket = socket;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('end', () => this.#refuseRest('the connection ended inside a frame'));
    // What went wrong does not matter: 'close' follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.dropWaiting();
      this.#stopFrameTimer();
      events.onClose(this);
    });
  }

  /** Writes a whole frame, now or after a while; nothing once the connection is closed. */
  send(bytes: Buffer, delayMs = 0): void {
    if (delayMs === 0) {
      this.#write(bytes);
      return;
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.#write(bytes);
    }, delayMs);
    this.#waiting.add(timer);
  }

  /** Forgets the answers that wait for their time. */
  dropWaiting(): void {
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Closes the connection at once; what came in and was not looked at yet is gone. */
  close(): void {
    this.dropWaiting();
    this.#socket.destroy();
  }

  #write(bytes: Buffer): void {
    if (!this.#socket.writable) return;
    this.#socket.write(bytes);
    if (this.#socket.writableLength > unreadBytesMax) this.close();
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) {
        // Each frame has the whole time: what is held from now on belongs to the next one.
        this.#stopFrameTimer();
        this.#events.onFrame(this, frame);
        if (this.#socket.destroyed) return;
      }
    } catch (error) {
      if (!(error instanceof MalformedFrame)) throw error;
      this.#events.onMalformed(error.message, this.#reader.held);
      this.close();
      return;
    }
    if (this.#reader.held.length === 0) return;
    this.#frameTimer ??= setTimeout(() => this.#refuseRest('a frame that was not completed in time'), frameTimeoutMs);
  }

  #stopFrameTimer(): void {
    clearTimeout(this.#frameTimer);
    this.#frameTimer = undefined;
  }

  #refuseRest(why: string): void {
    if (this.#reader.held.length === 0) return;
    this.#events.onMalformed(why, this.#reader.held);
    this.close();
  }
}
