import type { Socket } from 'node:net';
import { bodyBytesMax, type Frame, MalformedFrame } from './frame.ts';
import type { FrameSplitter } from './host-wire.ts';

/** A frame must be whole within this time: OpenWay's T1 for an incomplete frame. */
const frameTimeoutMs = 55_000;

/** Limit of unsent answers: a terminal that reads none is disconnected before they fill the memory. */
const unreadBytesMax = 64 * bodyBytesMax;

export interface LinkEvents {
  onFrame(link: Link, frame: Frame): void;
  /** Bytes that are no frame, or an incomplete one. */
  onMalformed(why: string, bytes: Buffer): void;
  onClose(link: Link): void;
}

/** One terminal's connection: frames in, bytes out, and delayed answers. */
export class Link {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #reader: FrameSplitter;
  readonly #waiting = new Set<NodeJS.Timeout>();
  /** Runs while a frame is incomplete. */
  #frameTimer: NodeJS.Timeout | undefined;

  constructor(socket: Socket, events: LinkEvents, reader: FrameSplitter) {
    this.#socket = socket;
    this.#reader = reader;
    this.#events = events;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('end', () => this.#refuseRest('the connection ended inside a frame'));
    // The error itself is ignored: 'close' follows every error.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.dropWaiting();
      this.#stopFrameTimer();
      events.onClose(this);
    });
  }

  /** Writes a whole frame now or after a delay. Does nothing once the connection is closed. */
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

  /** Drops delayed answers. */
  dropWaiting(): void {
    for (const timer of this.#waiting) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Closes the connection at once; bytes that were not read yet are dropped. */
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
        // Each frame gets the full time: the rest of the bytes belongs to the next one.
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
