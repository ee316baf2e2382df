import type { IncomingMessage } from 'node:http';
import { hostFault } from '../../base/http/host.ts';

/**
 * Why two readers would understand this request differently; undefined if they don't. A GET's body has no meaning (RFC
 * 9110, 9.3.1): nobody would read it.
 */
export function ambiguity(request: IncomingMessage): string | undefined {
  const misled = hostFault(request);
  if (misled !== undefined) return misled;
  const { method, headers } = request;
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (length !== '0' || encoding !== undefined) ? `a ${method} has no body` : undefined;
}
