/** The sender: the terminal, or a part of the simulator. */
export type Direction = 'fromTerminal' | 'toTerminal';

/**
 * frame: a whole frame of the protocol. noise: bytes that are not a frame, or an incomplete one. opened, closed: the
 * connection, without bytes.
 */
export type FrameKind = 'frame' | 'noise' | 'opened' | 'closed';

/** One frame as it crossed the line. Nothing of it is decoded yet. */
export interface Frame {
  /** Counts over all lines, in the order in which the frames became whole. */
  readonly id: number;
  /** Milliseconds since 1970, with fractions, of the last byte. */
  readonly atMs: number;
  readonly line: string;
  /** Counts the connections of a line; 1 on a serial line. */
  readonly connection: number;
  readonly direction: Direction;
  readonly kind: FrameKind;
  /** How many bytes it took on the wire. */
  readonly wireBytes: number;
  /** HID reports that carried it; absent elsewhere. */
  readonly reports?: number;
  /** The frame without the HID reports that carried it. */
  readonly payload: Buffer;
  /** Its decoder, if the line has its own format. */
  readonly decode?: Decode;
}

/** A part of a frame that has a name, and where its bytes stand in the payload. */
export interface Field {
  readonly name: string;
  /** As text for people, in the protocol's own notation. */
  readonly value: string;
  /** What the value means. */
  readonly meaning?: string;
  readonly at: number;
  readonly length: number;
  /** Card data or a payment code: neither value nor bytes are shown. */
  readonly secret?: true;
  readonly fields?: readonly Field[];
}

export interface Decoded {
  /** One line for a list of frames. */
  readonly summary: string;
  readonly fields: readonly Field[];
  /** Why the rest could not be read; absent in a frame that is in order. */
  readonly problem?: string;
}

export type Decode = (payload: Buffer, direction: Direction) => Decoded;
