/** Faults of the reader's outgoing frames. */
export interface OutletFaults {
  /** Flips one bit of the next frame. */
  readonly garble?: boolean;
  /** The next frame is lost. */
  readonly dropNext?: boolean;
  /** Bytes that are no frame come before the next one. */
  readonly garbageBefore?: boolean;
  /** The faults of one frame strike the n-th from now, instead of the next. */
  readonly atFrame?: number;
  /** Every frame comes byte by byte, until switched off. */
  readonly splitBytes?: boolean;
}

/** How a protocol's frames are damaged, so that the driver can notice it. */
export interface Spoilage {
  /** Bytes that are no frame. */
  readonly garbage: Buffer;
  /** A copy with one bit flipped. */
  readonly garbled: (frame: Buffer) => Buffer;
}

const waitingBytesMax = 64 * 1024;

/** Sends the reader's frames in order, whole or with the requested faults. */
export class Outlet {
  readonly #write: (bytes: Buffer) => void;
  readonly #spoilage: Spoilage;
  #faults: OutletFaults = {};
  #waiting: Buffer = Buffer.alloc(0);
  #next: NodeJS.Immediate | undefined;

  constructor(write: (bytes: Buffer) => void, spoilage: Spoilage) {
    this.#write = write;
    this.#spoilage = spoilage;
  }

  /** Adds faults; `false` cancels one. */
  spoil({ garble, dropNext, garbageBefore, splitBytes, atFrame }: OutletFaults): void {
    this.#faults = {
      ...this.#faults,
      ...(garble !== undefined && { garble }),
      ...(dropNext !== undefined && { dropNext }),
      ...(garbageBefore !== undefined && { garbageBefore }),
      ...(splitBytes !== undefined && { splitBytes }),
      ...(atFrame !== undefined && { atFrame }),
    };
  }

  send(frame: Buffer): void {
    const { splitBytes } = this.#faults;
    const { garble, dropNext, garbageBefore } = this.#struck();
    if (dropNext === true) return;
    const bytes = Buffer.concat([
      garbageBefore === true ? this.#spoilage.garbage : Buffer.alloc(0),
      garble === true ? this.#spoilage.garbled(frame) : frame,
    ]);
    if (splitBytes !== true && this.#waiting.length === 0) this.#write(bytes);
    else this.#queue(bytes);
  }

  /** The faults of this frame; those of one frame are over then, or come a frame nearer. */
  #struck(): OutletFaults {
    const faults = this.#faults;
    const { splitBytes, atFrame = 1 } = faults;
    if (atFrame > 1) {
      this.#faults = { ...faults, atFrame: atFrame - 1 };
      return {};
    }
    this.#faults = splitBytes === true ? { splitBytes } : {};
    return faults;
  }

  /** Drops unsent bytes and all faults. */
  clear(): void {
    if (this.#next !== undefined) clearImmediate(this.#next);
    this.#next = undefined;
    this.#waiting = Buffer.alloc(0);
    this.#faults = {};
  }

  #queue(bytes: Buffer): void {
    if (this.#waiting.length + bytes.length > waitingBytesMax) return;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#next ??= setImmediate(() => {
      this.#writeOne();
    });
  }

  #writeOne(): void {
    this.#next = undefined;
    this.#write(this.#waiting.subarray(0, 1));
    this.#waiting = this.#waiting.subarray(1);
    if (this.#waiting.length > 0) this.#queue(Buffer.alloc(0));
  }
}
