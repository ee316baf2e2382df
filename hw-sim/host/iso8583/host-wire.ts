import { emptyFrame, type Frame, FrameReader, framed } from './frame.ts';
import { withExtraFields } from './extra-fields.ts';
import type { MessageForm } from './last-field.ts';
import { decodeMessage, encodeMessage, type Message } from './message.ts';
import type { AnswerMode } from './mode.ts';
import type { NetworkRequest } from './network-request.ts';

/** Cuts a byte stream into frames. */
export interface FrameSplitter {
  /** Bytes of a frame that is not whole yet. */
  readonly held: Buffer;
  /** Takes the next bytes and yields each frame that they complete, in order. Throws MalformedFrame. */
  push(chunk: Buffer): Generator<Frame>;
}

/**
 * How the messages of a host stand on its line. The host itself knows one form of them, that of EDC (fixtures/README.md):
 * another dialect is translated from and to it.
 */
export interface HostWire {
  splitter(): FrameSplitter;
  frame(tpdu: Buffer, message: Buffer): Buffer;
  readonly emptyFrame: Buffer;
  readonly form: MessageForm;
  /** Whether nothing is taken from a connection before its sign-on. */
  readonly needsSignOn?: boolean;
  /** A message about the connection; undefined if it is another one. Throws MalformedMessage. */
  network?(bytes: Buffer): NetworkRequest | undefined;
  /** The code that says that a message is under another working key than the host's. */
  readonly outOfStepCode?: string | undefined;
  /** The answer with it; undefined to a message that is under the right key. Throws MalformedMessage. */
  refusal?(bytes: Buffer, mode: AnswerMode): Buffer | undefined;
  /** A request of the terminal. Throws MalformedMessage. */
  read(bytes: Buffer): Message;
  /** The answer to the request that these bytes were. `mode`: what the terminal dialect may have in addition. */
  write(answer: Message, request: Buffer, mode: AnswerMode): Buffer;
}

/** The terminal dialect, as the host knows it. */
export const terminalWire: HostWire = {
  splitter: () => new FrameReader(),
  frame: framed,
  emptyFrame,
  form: { mti: 'bcd', bitmap: 'binary', bytes: 'binary' },
  read: decodeMessage,
  write: (answer, _request, mode) => {
    const bytes = encodeMessage(answer, mode);
    return mode.extraFields === undefined ? bytes : withExtraFields(bytes, mode.extraFields);
  },
};
