import { emptyFrame, type Frame, FrameReader, framed } from './frame.ts';
import { withExtraFields } from './extra-fields.ts';
import type { MessageForm } from './last-field.ts';
import { decodeMessage, encodeMessage, type Message } from './message.ts';
import type { AnswerMode } from './mode.ts';
import type { NetworkRequest } from './network-request.ts';

/** Splits a byte stream into frames. */
export interface FrameSplitter {
  /** Bytes of an incomplete frame. */
  readonly held: Buffer;
  /** Takes the next bytes and yields each frame that they complete, in order. Throws MalformedFrame. */
  push(chunk: Buffer): Generator<Frame>;
}

/**
 * The encoding of a host's messages on its line. The host itself uses the dialect of EDC (fixtures/README.md). Other
 * dialects are translated from and to it.
 */
export interface HostWire {
  splitter(): FrameSplitter;
  frame(tpdu: Buffer, message: Buffer): Buffer;
  readonly emptyFrame: Buffer;
  readonly form: MessageForm;
  /** Whether the host accepts no other message on a connection before a sign-on. */
  readonly needsSignOn?: boolean;
  /** Reads a network management message; undefined for other messages. Throws MalformedMessage. */
  network?(bytes: Buffer): NetworkRequest | undefined;
  /** The response code for a message under another working key than the host's. */
  readonly outOfStepCode?: string | undefined;
  /** The answer with `outOfStepCode`; undefined if the message is under the right key. Throws MalformedMessage. */
  refusal?(bytes: Buffer, mode: AnswerMode): Buffer | undefined;
  /** Reads a request of the terminal. Throws MalformedMessage. */
  read(bytes: Buffer): Message;
  /** Encodes the answer to `request`. `mode`: additions to answers in the host's own dialect. */
  write(answer: Message, request: Buffer, mode: AnswerMode): Buffer;
}

/** The host's own dialect. */
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
