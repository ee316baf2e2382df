import { ownNames } from '../../base/own-addresses.ts';
import type { Configuration } from '../../config/configuration.ts';
import { ecrSettings } from '../../config/ecr-settings.ts';
import { settings } from '../../config/settings.ts';
import { Access } from '../../pos/api/access.ts';
import type { EventStream } from '../../pos/api/event-stream.ts';
import { clientTimeouts, serveApi } from '../../pos/api/server.ts';
import type { PosProtocol } from '../../pos/contracts/pos-protocol.ts';
import type { EcrPlace, ecrProtocol } from '../../pos/ecr/open-ecr.ts';
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
    const { host, port, bodyBytesMax } = own;
    return serveApi({
      host,
      port,
      bodyBytesMax,
      ...limitsOf(own),
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

/** The limits of every protocol over HTTP. */
function limitsOf(http: Configuration['http']) {
  const { headerBytesMax, pipelinedMax, refusalsMax, headersMs, requestMs, idleMs, unreadMs } = http;
  return {
    headerBytesMax,
    pipelinedMax,
    refusalsMax,
    limits: {
      connectionsMax: http.connectionsMax,
      perAddressMax: http.connectionsPerAddressMax,
      newPerSecondMax: http.newConnectionsPerSecondMax,
    },
    timeouts: { ...clientTimeouts, headersMs, requestMs, idleMs, unreadMs },
  };
}

/**
 * ECR, with what it has of the rest of the configuration: the rules of who may call are those of the API. It is loaded
 * only where it is configured.
 */
export function ecr({ stateDir, shop, http, ecr: own }: Configuration): ReturnType<typeof ecrProtocol> {
  const place: EcrPlace = {
    stateDir,
    shopName: shop.name,
    access: { ...http, hostnames: [...http.hostnames, ...ownNames()] },
    server: limitsOf(http),
    refuse: (sentence) => new StartError(sentence),
    refuseAddress: (error) => new StartError(`ECR can't listen on port ${own?.port}: ${listenFault(error)}`),
  };
  return {
    name: 'ecr',
    settings: ecrSettings,
    open: async (options) => (await import('../../pos/ecr/open-ecr.ts')).ecrProtocol(place).open(options),
  };
}

/** Why a server can't listen. */
function listenFault(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'the port is in use';
  if (code === 'EACCES') return 'the port needs a privilege';
  return message;
}
