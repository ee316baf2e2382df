import { ownNames } from '../../base/own-addresses.ts';
import type { Configuration } from '../../config/configuration.ts';
import { settings } from '../../config/settings.ts';
import { Access } from '../../pos/api/access.ts';
import type { EventStream } from '../../pos/api/event-stream.ts';
import { clientTimeouts, serveApi } from '../../pos/api/server.ts';
import type { PosProtocol } from '../../pos/contracts/pos-protocol.ts';
import { describedLogos } from '../../payment/method/descriptions.ts';
import { type ScreenServer, serveScreen } from '../../screen/server.ts';
import type { Log } from '../../observability/log.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import { type Picture, readLogos, readPicture, screenLogoBounds } from '../../screen/picture-file.ts';
import { StartError } from './start-error.ts';

/** The payment app's page, on loopback. `framedBy`: origins of pages that may frame it. Rejects with StartError. */
export async function openScreen(
  configuration: Configuration,
  log: Log,
  framedBy: readonly string[],
  boundary: PartBoundary,
): Promise<ScreenServer> {
  const { port, outcomeMs: _time, currency: _currency, logo: path, ...style } = configuration.screen;
  const logo = await readShopLogo(path, log);
  const logos = await readLogos(describedLogos(), (error) => log.failure('screen', error));
  return boundary
    .within('screen', () => serveScreen(port, logos, framedBy, style, logo))
    .catch((error: unknown) => {
      throw new StartError(`the screen can't listen on 127.0.0.1:${port}: ${listenFault(error)}`);
    });
}

/** One that can't be used is left out: the screen greets without it. */
async function readShopLogo(path: string | undefined, log: Log): Promise<Picture | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readPicture(path, screenLogoBounds);
  } catch (error) {
    log.failure('screen', new Error(`the shop’s logo is left out: ${(error as Error).message}`));
    return undefined;
  }
}

/** `sp/v1`: JSON over HTTP, on the shop's network. Rejects with StartError. */
export const http: PosProtocol<Configuration['http'], { readonly events: Pick<EventStream, 'serve'> }> = {
  name: 'http',
  settings: settings.shape.http,
  limitsOwnCalls: true,
  open({ settings: own, calls, events, tls, authenticator, onFailure }) {
    const { host, port, bodyBytesMax, headerBytesMax, headersMs, requestMs, idleMs, unreadMs } = own;
    return serveApi({
      host,
      port,
      bodyBytesMax,
      headerBytesMax,
      pipelinedMax: own.pipelinedMax,
      refusalsMax: own.refusalsMax,
      limits: {
        connectionsMax: own.connectionsMax,
        perAddressMax: own.connectionsPerAddressMax,
        newPerSecondMax: own.newConnectionsPerSecondMax,
      },
      timeouts: { ...clientTimeouts, headersMs, requestMs, idleMs, unreadMs },
      access: new Access({ ...own, hostnames: [...own.hostnames, ...ownNames()] }),
      ...(tls ? { tls } : {}),
      ...(authenticator ? { authenticator } : {}),
      calls,
      events,
      onFailure,
    }).catch((error: unknown) => {
      throw new StartError(`the terminal API can't listen on ${host}:${port}: ${listenFault(error)}`);
    });
  },
};

/** Why a server can't listen. */
export function listenFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'the port needs a privilege';
  return message;
}
