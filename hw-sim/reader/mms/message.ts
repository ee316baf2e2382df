import { decodeObjects, encodeObject } from '../../card/tlv.ts';
import { messageType } from './codes.ts';

/** A request of the host. */
export interface Request {
  /** Counts the host's requests; the response repeats it. */
  readonly reference: number;
  readonly id: number;
  /** Value of 84 after the two bytes that repeat the id. */
  readonly payload: Buffer;
  /** The whole message, as it came. */
  readonly bytes: Buffer;
}

const start = Buffer.from('AA00', 'hex');

/** Parses a message of the host. Otherwise a sentence that says what is wrong. */
export function parseRequest(bytes: Buffer): Request | string {
  if (!bytes.subarray(0, start.length).equals(start)) return 'a message that does not begin with AA 00';
  const objects = decodeObjects(bytes.subarray(start.length));
  if (objects === undefined) return 'a message that is no list of data objects';
  const [information, body, ...others] = objects;
  if (information?.tag !== '81' || information.value.length !== 4) return 'a message without 81 of four bytes';
  if (information.value[0] !== messageType.request) return 'a message that is no request';
  if (body?.tag !== '84' || others.length > 0) return 'a request without 84 alone behind 81';
  const id = information.value.readUInt16BE(2);
  if (body.value.length < 2 || body.value.readUInt16BE(0) !== id) return 'a request whose 84 does not repeat its id';
  return { reference: information.value.readUInt8(1), id, payload: body.value.subarray(2), bytes };
}

/** `detail` is the three bytes after the summary in 82. Published: 84 repeats the id. */
export function responseMessage({ reference, id }: Request, summary: number, detail: number): Buffer {
  return message(messageType.response, reference, id, summary, detail, Buffer.of(id >> 8, id & 0xff));
}

/** A notification. Published: its reference is 00. */
export function notificationMessage(id: number, what: number, detail: number, payload?: Buffer): Buffer {
  return message(messageType.notification, 0, id, what, detail, payload);
}

function message(type: number, reference: number, id: number, first: number, detail: number, payload?: Buffer): Buffer {
  return Buffer.concat([
    start,
    encodeObject('81', Buffer.of(type, reference, id >> 8, id & 0xff)),
    encodeObject('82', Buffer.of(first, detail >> 16, (detail >> 8) & 0xff, detail & 0xff)),
    ...(payload ? [encodeObject('84', payload)] : []),
  ]);
}
