import * as z from 'zod';
import type { Random } from '../../base/ports/clock.ts';
import { readJsonRequest } from '../api/json-request.ts';
import { headerOfAnswer, headerOfEvent, isSameHeader, type MessageHeader, messageHeader, nexoText } from './header.ts';
import { digestOf } from './identity.ts';
import { type NexoKey, unseal, sealText, securedBody } from './security-trailer.ts';

/** A message as it came, with the key that it is secured with. */
export interface Envelope {
  readonly header: MessageHeader;
  /** The request of its category, not checked yet. */
  readonly request: unknown;
  readonly key?: NexoKey;
  /** Of its content. */
  readonly digest: string;
}

/** A header that can't be accepted, as far as it can be read. */
export interface Unacceptable {
  readonly unacceptable: string;
  readonly header: Partial<MessageHeader>;
  readonly key?: NexoKey;
}

export interface EnvelopeRules {
  readonly keys: readonly NexoKey[];
  /** Whether messages without a key are accepted. */
  readonly clear: boolean;
}

const outer = z.looseObject({ SaleToPOIRequest: z.looseObject({ MessageHeader: z.unknown() }) });
/** What an answer repeats of a header that can't be accepted. */
const readable = z.looseObject({ SaleID: nexoText(128) });

/** 'untrusted': it is not secured with a key of this terminal, and must be. 'unreadable': it is no message at all. */
export function readEnvelope(
  body: unknown,
  { keys, clear }: EnvelopeRules,
): Envelope | Unacceptable | 'untrusted' | 'unreadable' {
  const message = outer.safeParse(body);
  if (!message.success) return 'unreadable';
  const { SaleToPOIRequest: sent } = message.data;
  if (!('NexoBlob' in sent) && !('SecurityTrailer' in sent)) return clear ? readContent(sent, {}) : 'untrusted';
  const secured = securedBody.safeParse(sent);
  const opened = secured.success ? unseal(secured.data, keys) : undefined;
  if (!opened) return 'untrusted';
  const read = readJsonRequest(opened.text);
  const inner = 'refused' in read ? undefined : outer.safeParse(read.body);
  if (!inner?.success) return 'untrusted';
  const content = readContent(inner.data.SaleToPOIRequest, { key: opened.key });
  const clearHeader = messageHeader.safeParse(sent.MessageHeader);
  if ('unacceptable' in content) return content;
  return clearHeader.success && isSameHeader(clearHeader.data, content.header) ? content : 'untrusted';
}

function readContent(
  { MessageHeader: written, ...content }: z.infer<typeof outer>['SaleToPOIRequest'],
  key: { readonly key?: NexoKey },
): Envelope | Unacceptable {
  const header = messageHeader.safeParse(written);
  if (!header.success) {
    const [issue] = header.error.issues;
    const unacceptable = `MessageHeader.${issue?.path.join('.') ?? ''} is missing or not acceptable`;
    return { unacceptable, header: readable.safeParse(written).data ?? {}, ...key };
  }
  const { MessageCategory: category } = header.data;
  const request = content[`${category}Request`];
  if (request === undefined) {
    return { unacceptable: `${category}Request is missing`, header: header.data, ...key };
  }
  return { header: header.data, request, digest: digestOf({ MessageHeader: written, ...content }), ...key };
}

/** The text of an answer, secured as its message was. */
export function answerText(
  header: MessageHeader,
  response: object,
  { key, random }: { readonly key: NexoKey | undefined; readonly random: Random },
): string {
  const { MessageCategory: category } = header;
  const MessageHeader = headerOfAnswer(header);
  const text = JSON.stringify({ SaleToPOIResponse: { MessageHeader, [`${category}Response`]: response } });
  return key ? sealAnswer(MessageHeader, text, key, random) : text;
}

/** The text of an event that rejects a message. It repeats nothing of it but the SaleID: it may hold a card number. */
export function rejectText(
  asked: Partial<MessageHeader>,
  why: string,
  {
    key,
    random,
    poiId,
    deviceId,
    at,
  }: {
    readonly key: NexoKey | undefined;
    readonly random: Random;
    readonly poiId: string;
    readonly deviceId: string;
    readonly at: Date;
  },
): string {
  const MessageHeader = headerOfEvent(asked, poiId, deviceId);
  const EventNotification = {
    TimeStamp: at.toISOString(),
    EventToNotify: 'Reject',
    EventDetails: `message=${encodeURIComponent(why)}`,
  };
  const text = JSON.stringify({ SaleToPOIRequest: { MessageHeader, EventNotification } });
  return key ? sealAnswer(MessageHeader, text, key, random) : text;
}

function sealAnswer(MessageHeader: object, text: string, key: NexoKey, random: Random): string {
  return JSON.stringify({ SaleToPOIResponse: { MessageHeader, ...sealText(text, key, random) } });
}
