import { performance } from 'node:perf_hooks';
import type { Cut, Cutter } from './cut/cutter.ts';
import type { Decode, Direction, Frame, FrameKind } from './frame.ts';
import { type ProtocolName, protocols } from './protocol.ts';
import { Ring } from './ring.ts';
import type { OpenTap, Tap } from './tap.ts';

/** Limits of each line, so that frequent polling on one line does not push out the frames of another. */
const limits = { entriesMax: 2000, bytesMax: 2 * 1024 * 1024 };

/** An incomplete frame becomes noise after this time. */
const staleMs = 2000;

/** Watchers are notified once for all bytes within this time. */
const gatherMs = 40;

/** Bytes as received or sent, not examined yet. */
interface Chunk {
  readonly order: number;
  readonly atMs: number;
  readonly line: string;
  readonly connection: Connection;
  readonly direction: Direction;
  /** Undefined: the connection was opened or closed. */
  readonly bytes: Buffer | undefined;
}

/** One connection of a line, with a cutter for each direction. */
interface Connection {
  readonly number: number;
  readonly cutters: Readonly<Record<Direction, Cutter>>;
  readonly lastAtMs: Record<Direction, number>;
}

export interface WireLine {
  readonly name: string;
  readonly protocol: ProtocolName;
}

/** How the frames of one line are split and decoded. */
interface LineForm {
  readonly cut: (direction: Direction) => Cutter;
  readonly decode: Decode;
}

interface RecordedLine extends WireLine {
  readonly own: LineForm | undefined;
  readonly chunks: Ring<Chunk>;
  readonly frames: Ring<Frame>;
  /** Connections whose bytes may still be incomplete. */
  readonly connections: Set<Connection>;
  opened: number;
  /** Time of the newest dropped bytes, in milliseconds since 1970; -Infinity if none were dropped. */
  lostAtMs: number;
}

/**
 * Keeps the latest traffic of every line. Bytes are copied when they come, cut into frames when frames are requested,
 * and decoded when a frame is shown.
 */
export class Wires {
  readonly #lines = new Map<string, RecordedLine>();
  readonly #watchers = new Set<() => void>();
  readonly #eachWatchers = new Set<() => void>();
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;
  #chunks = 0;
  #frames = 0;

  /** `now`: milliseconds since 1970, with fractions. */
  constructor(now: () => number = () => performance.timeOrigin + performance.now()) {
    this.#now = now;
  }

  /**
   * Adds a line. The returned function is called for each of its connections. Names are unique. `own`: how its frames
   * are split and decoded, if not as usual for its protocol.
   */
  add(name: string, protocol: ProtocolName, own?: LineForm): OpenTap {
    const line: RecordedLine = {
      name,
      protocol,
      own,
      chunks: new Ring<Chunk>(limits, ({ bytes }) => bytes?.length ?? 0),
      frames: new Ring<Frame>(limits, ({ payload }) => payload.length),
      connections: new Set(),
      opened: 0,
      lostAtMs: -Infinity,
    };
    this.#lines.set(name, line);
    return () => this.#open(line);
  }

  get lines(): readonly WireLine[] {
    return Array.from(this.#lines.values(), ({ name, protocol }) => ({ name, protocol }));
  }

  /** Frames after `after` in the order in which they became whole; of one line if it is named. */
  frames({ line, after = 0 }: { readonly line?: string | undefined; readonly after?: number } = {}): Frame[] {
    this.#cutAll();
    const chosen = line === undefined ? [...this.#lines.values()] : [this.#lines.get(line)];
    return chosen
      .flatMap((each) => each?.frames.list() ?? [])
      .filter(({ id }) => id > after)
      .toSorted((a, b) => a.id - b.id);
  }

  /** Undefined if it was dropped or never existed. */
  frame(id: number): Frame | undefined {
    return this.frames().find((each) => each.id === id);
  }

  clear(): void {
    for (const line of this.#lines.values()) {
      for (const { atMs } of [...line.chunks.take(), ...line.frames.take()]) lose(line, atMs);
    }
  }

  /** Names of the lines that have dropped bytes of this time or later. */
  linesWithLossSince(sinceMs: number): string[] {
    return [...this.#lines.values()].filter(({ lostAtMs }) => lostAtMs >= sinceMs).map(({ name }) => name);
  }

  /** Calls back soon after bytes crossed a line. Returns a function that stops it. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => {
      this.#watchers.delete(listener);
      if (this.#watchers.size === 0) this.close();
    };
  }

  /** Calls back before a device or host reads received bytes, and before sent bytes leave. */
  watchEach(listener: () => void): () => void {
    this.#eachWatchers.add(listener);
    return () => this.#eachWatchers.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #open(line: RecordedLine): Tap {
    const { cut } = line.own ?? protocols[line.protocol];
    const connection: Connection = {
      number: ++line.opened,
      cutters: { fromTerminal: cut('fromTerminal'), toTerminal: cut('toTerminal') },
      lastAtMs: { fromTerminal: 0, toTerminal: 0 },
    };
    const isSocket = protocols[line.protocol].socket;
    if (isSocket) this.#keep(line, connection, 'fromTerminal', undefined);
    return {
      came: (bytes) => this.#keep(line, connection, 'fromTerminal', Buffer.from(bytes)),
      left: (bytes) => this.#keep(line, connection, 'toTerminal', Buffer.from(bytes)),
      closed: () => isSocket && this.#keep(line, connection, 'toTerminal', undefined),
    };
  }

  /** Does only the minimum, because a device or host is at work. */
  #keep(line: RecordedLine, connection: Connection, direction: Direction, bytes: Buffer | undefined): void {
    const chunk = { order: ++this.#chunks, atMs: this.#now(), line: line.name, connection, direction, bytes };
    for (const { atMs } of line.chunks.push(chunk)) lose(line, atMs);
    for (const listener of this.#eachWatchers) listener();
    if (this.#watchers.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const listener of this.#watchers) listener();
    }, gatherMs);
  }

  #cutAll(): void {
    const fresh = [...this.#lines.values()].flatMap((line) => line.chunks.take().map((chunk) => ({ line, chunk })));
    for (const { line, chunk } of fresh.toSorted((a, b) => a.chunk.order - b.chunk.order)) this.#cut(line, chunk);
    for (const line of this.#lines.values()) for (const each of line.connections) this.#dropStale(line, each);
  }

  #cut(line: RecordedLine, { connection, direction, atMs, bytes }: Chunk): void {
    line.connections.add(connection);
    if (bytes === undefined) {
      const kind = direction === 'fromTerminal' ? 'opened' : 'closed';
      if (kind === 'closed') {
        for (const side of sides) this.#abandon(line, connection, side);
        line.connections.delete(connection);
      }
      this.#add(line, connection, direction, atMs, kind, undefined);
      return;
    }
    if (atMs - connection.lastAtMs[direction] > staleMs) this.#abandon(line, connection, direction);
    connection.lastAtMs[direction] = atMs;
    for (const cut of connection.cutters[direction].push(bytes)) {
      this.#add(line, connection, direction, atMs, cut.kind, cut);
    }
  }

  #dropStale(line: RecordedLine, connection: Connection): void {
    for (const side of sides) {
      if (this.#now() - connection.lastAtMs[side] > staleMs) this.#abandon(line, connection, side);
    }
  }

  #abandon(line: RecordedLine, connection: Connection, direction: Direction): void {
    const atMs = connection.lastAtMs[direction];
    for (const cut of connection.cutters[direction].abandon()) {
      this.#add(line, connection, direction, atMs, cut.kind, cut);
    }
  }

  #add(
    line: RecordedLine,
    { number: connection }: Connection,
    direction: Direction,
    atMs: number,
    kind: FrameKind,
    cut: Cut | undefined,
  ): void {
    const { bytes = Buffer.alloc(0), payload = bytes, reports } = cut ?? {};
    const dropped = line.frames.push({
      id: ++this.#frames,
      atMs,
      line: line.name,
      connection,
      direction,
      kind,
      wireBytes: bytes.length,
      ...(reports !== undefined && { reports }),
      payload,
      ...(line.own && { decode: line.own.decode }),
    });
    for (const { atMs: lostAtMs } of dropped) lose(line, lostAtMs);
  }
}

function lose(line: RecordedLine, atMs: number): void {
  line.lostAtMs = Math.max(line.lostAtMs, atMs);
}

const sides = ['fromTerminal', 'toTerminal'] as const satisfies readonly Direction[];
