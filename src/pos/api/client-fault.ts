import type { Refusal } from '../../base/domain/reason.ts';
import type { BodyRefusal } from '../../base/http/body.ts';
import { type Answer, errorAnswer, jsonHeaders } from './pos-response.ts';

/**
 * The answer to a request that Node's parser rejected. It has no ServerResponse, so the same envelope is written by
 * hand.
 */
export function clientFaultAnswer(code: string | undefined): string {
  const [status, refusal] = statusOf(code);
  const body = JSON.stringify(errorAnswer(400, 'INVALID_PARAMETER', refusal, { financialImpact: 'NONE' }).body);
  const headers = { ...jsonHeaders, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

/**
 * Status line and message for an error code of Node's HTTP parser (nodejs.org/api/http.html, 'clientError'), or our
 * own.
 */
function statusOf(code: string | undefined): [status: string, refusal: Refusal] {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', { reason: 'requestTimeout', message: 'the request was not complete in time' }];
    case 'HPE_HEADER_OVERFLOW':
      return [
        '431 Request Header Fields Too Large',
        { reason: 'headersTooLarge', message: 'the headers are too large' },
      ];
    case 'HPE_INVALID_EOF_STATE':
      return ['400 Bad Request', bodyIncomplete];
    case 'PLAIN_HTTP':
      return [
        '400 Bad Request',
        { reason: 'httpsRequired', message: 'this terminal accepts https only, the request was not read' },
      ];
    default:
      return ['400 Bad Request', { reason: 'notHttp', message: 'this is not an HTTP request' }];
  }
}

const bodyIncomplete = { reason: 'bodyIncomplete', message: 'the body ended early' } as const;
const notJsonType = { reason: 'notJsonType', message: 'the Content-Type must be application/json' } as const;
const otherCharset = { reason: 'notJsonType', message: 'the charset of the Content-Type must be utf-8' } as const;
const encoded = {
  reason: 'bodyEncoded',
  message: 'the body must have no Content-Encoding: it is not decoded',
} as const;
const transferCoded = { reason: 'bodyEncoded', message: 'the Transfer-Encoding may be chunked only' } as const;

/** The answer to a body that was not read or not accepted. */
export function bodyRefusalAnswer(refused: BodyRefusal): Answer {
  const nothing = { financialImpact: 'NONE' } as const;
  switch (refused) {
    case 'too-large':
      return errorAnswer(
        413,
        'INVALID_PARAMETER',
        { reason: 'bodyTooLarge', message: 'the body is too large' },
        nothing,
      );
    case 'not-json-type':
      return errorAnswer(415, 'INVALID_PARAMETER', notJsonType, nothing);
    case 'not-utf8-type':
      return errorAnswer(415, 'INVALID_PARAMETER', otherCharset, nothing);
    case 'encoded':
      // RFC 9110, 15.5.16: this header shows that the encoding was the cause.
      return { ...errorAnswer(415, 'INVALID_PARAMETER', encoded, nothing), headers: { 'accept-encoding': 'identity' } };
    case 'transfer-coded':
      return errorAnswer(501, 'INVALID_PARAMETER', transferCoded, nothing);
    case 'not-utf8':
      return errorAnswer(400, 'INVALID_PARAMETER', { reason: 'notUtf8', message: 'the body is not UTF-8' }, nothing);
    case 'aborted':
      return errorAnswer(400, 'INVALID_PARAMETER', bodyIncomplete, nothing);
    default:
      return refused satisfies never;
  }
}
