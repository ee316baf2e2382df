import { ownNames } from '../../base/own-addresses.ts';
import { type Configuration, settings } from '../../config/settings.ts';
import { Access } from '../../pos/api/access.ts';
import type { EventStream } from '../../pos/api/event-stream.ts';
import { clientTimeouts, serveApi } from '../../pos/api/server.ts';
import type { PosProtocol } from '../../pos/contracts/pos-protocol.ts';
import { listenFault, StartError } from './start-error.ts';

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
