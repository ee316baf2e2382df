import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** When the next bytes may be read. */
export interface Pace {
  /** Resolves when so many bytes may be read, never at once; false if the connection must end. */
  next(bytes: number): Promise<boolean>;
  /** Called when they are passed on. Resolves once the next may be asked for. */
  spend(): Promise<void>;
}

/** One piece in each round of the event loop. */
export const eachRound: Pace = {
  next: () => new Promise((resolve) => setImmediate(resolve, true)),
  spend: () => Promise.resolve(),
};

/** Why a connection was reset. */
export class MeterFault extends Error {}

export interface MeterOptions {
  readonly pace: Pace;
  /** The TLS layer gets at most this much in one turn. A KeyUpdate has 27 bytes. */
  readonly pieceBytes: number;
  /** Bytes of whole records, after the handshake, that may carry no data beside `overheadPerByte`. */
  readonly overheadBytesMax: number;
  /** Called before the connection is reset. */
  readonly onFault?: (fault: MeterFault) => void;
}

/** A handshake, with its certificates. */
const handshakeBytesMax = 65_536;
/** A record of one byte has up to 29 more: header, nonce and tag (RFC 5246, 6.2.3.3; RFC 8446, 5.2). */
const overheadPerByte = 32;

/** Bytes of a record's header: type, version, length (RFC 8446, 5.1; RFC 5246, 6.2.1). */
const headerBytes = 5;

/** Counts the bytes of the TLS records that have come whole. */
export class RecordCount {
  #wholeBytes = 0;
  /** Of the present record: bytes of its header so far, its length, and bytes that are still to come. */
  #header = 0;
  #length = 0;
  #left = 0;

  get wholeBytes(): number {
    return this.#wholeBytes;
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#header < headerBytes) {
        const byte = bytes[at++] ?? 0;
        this.#header += 1;
        if (this.#header > 3) this.#length = this.#length * 256 + byte;
        if (this.#header < headerBytes) continue;
        this.#left = this.#length;
      } else {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
      }
      if (this.#left === 0) this.#end();
    }
  }

  #end(): void {
    this.#wholeBytes += headerBytes + this.#length;
    this.#header = 0;
    this.#length = 0;
  }
}

/**
 * A connection below TLS, whose bytes reach the TLS layer in small pieces. That layer reads what carries no data, such
 * as KeyUpdates of 27 bytes (RFC 8446, 4.6.3), as fast as it is sent and in any number, and reports none of it; each
 * costs a derivation of keys. A connection with far more such bytes than data is reset.
 */
export class MeteredSocket extends Duplex {
  readonly raw: Socket;
  readonly #options: MeterOptions;
  readonly #records = new RecordCount();
  #fedBytes = 0;
  /** Bytes of data that came out of the TLS layer; undefined during the handshake. */
  #dataBytes: (() => number) | undefined;
  #handshakeBytes = 0;
  #wanted: (() => void) | undefined;
  #isFeeding = false;
  #hasEnded = false;

  /** Takes over `raw`, which must not be used elsewhere any more. Its errors are those of its owner. */
  constructor(raw: Socket, options: MeterOptions) {
    super({ allowHalfOpen: raw.allowHalfOpen, readableHighWaterMark: options.pieceBytes });
    this.raw = raw;
    this.#options = options;
    raw.on('data', (chunk: Buffer) => {
      raw.pause();
      this.#isFeeding = true;
      void this.#feed(chunk);
    });
    raw.on('end', () => {
      this.#hasEnded = true;
      if (!this.#isFeeding) this.push(null);
    });
    raw.on('close', () => this.destroy());
  }

  /** To be called with the TLS connection above when its handshake is over. */
  watch(secured: Pick<Socket, 'bytesRead'>): void {
    this.#handshakeBytes = this.#records.wholeBytes;
    this.#dataBytes = () => secured.bytesRead;
  }

  override _read(): void {
    this.#wanted?.();
    this.#wanted = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, taken: (error?: Error | null) => void): void {
    this.raw.write(chunk, taken);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], taken: (error?: Error | null) => void): void {
    this.raw.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), taken);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.raw.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted?.();
    if (this.raw.closed) return done(error);
    this.raw.once('close', () => done(error));
    this.raw.destroy();
  }

  async #feed(chunk: Buffer): Promise<void> {
    const { pace, pieceBytes } = this.#options;
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      const piece = chunk.subarray(at, at + pieceBytes);
      if (!(await pace.next(piece.length))) return this.#reset('the other side sends more than the terminal reads');
      if (this.destroyed) return;
      const wanted = new Promise<void>((resolve) => (this.#wanted = resolve));
      this.#fedBytes += piece.length;
      this.#records.add(piece);
      const spent = pace.spend();
      const isWanted = this.push(piece);
      if (this.#isIdle()) return this.#reset('the other side sends TLS records without data');
      await spent;
      if (!isWanted) await wanted;
    }
    this.#isFeeding = false;
    if (this.#hasEnded) this.push(null);
    else this.raw.resume();
  }

  /** Whether far more came than data. What the TLS layer has not taken yet is judged later. */
  #isIdle(): boolean {
    if (this.#dataBytes === undefined) return this.#fedBytes > handshakeBytesMax;
    if (this.readableLength > 0) return false;
    const { overheadBytesMax } = this.#options;
    const bytes = this.#dataBytes();
    return this.#records.wholeBytes - this.#handshakeBytes > overheadBytesMax + bytes * (1 + overheadPerByte);
  }

  #reset(reason: string): void {
    if (this.destroyed) return;
    this.#options.onFault?.(new MeterFault(reason));
    this.raw.resetAndDestroy();
  }
}
