import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from './http-error.ts';

/**
 * Listening on the loopback does not keep web pages out: a browser on this machine sends their requests too, under
 * their own Origin, or under a foreign Host whose name was made to resolve to 127.0.0.1 (DNS rebinding).
 */
export function refuseForeign(headers: IncomingHttpHeaders, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(headers.host ?? '')) throw new HttpError(403, 'this Host is not the simulator');
  const { origin } = headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    throw new HttpError(403, "another site's page may not drive the simulator");
  }
}
