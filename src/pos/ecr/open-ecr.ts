import { readFile } from 'node:fs/promises';
import type * as z from 'zod';
import { ecrSettings } from '../../config/ecr-settings.ts';
import { Access, type AccessRules } from '../api/access.ts';
import { type HttpServerOptions, serveHttp } from '../api/server.ts';
import type { PosProtocol } from '../contracts/pos-protocol.ts';
import { ecrAnswers } from './answering.ts';
import type { EcrTill } from './calling.ts';
import { EcrCalls } from './ecr-calls.ts';
import { EcrLedger } from './ledger.ts';
import { Notifier, type NoticeTarget } from './notifier.ts';
import { postNotice } from './post-notice.ts';

export type EcrSettings = z.infer<typeof ecrSettings>;

/** What ECR has of the rest of the configuration. */
export interface EcrPlace {
  readonly stateDir: string;
  readonly shopName: string;
  /** Who may call, and within which limits, as for the API. */
  readonly access: AccessRules;
  readonly server: Pick<HttpServerOptions, 'limits' | 'timeouts' | 'headerBytesMax' | 'pipelinedMax' | 'refusalsMax'>;
  /** The error of a start that fails, from a sentence. */
  readonly refuse: (sentence: string) => Error;
  /** The same of an error of the system: the port is in use, or needs a privilege. */
  readonly refuseAddress: (error: unknown) => Error;
}

interface Boundary {
  readonly boundary: { within<T>(part: 'protocol', work: () => T): T };
}

/** QFPay's ECR protocol over HTTPS (docs/ecr.md). */
export function ecrProtocol(place: EcrPlace): PosProtocol<EcrSettings, Boundary> {
  return {
    name: 'ecr',
    settings: ecrSettings,
    open: (options) => options.boundary.within('protocol', () => openEcr(place, options)),
  };
}

type OpenOptions = Parameters<PosProtocol<EcrSettings>['open']>[0];

async function openEcr(place: EcrPlace, { settings, calls, tls, clock, random, onFailure }: OpenOptions) {
  const { host, port, channels, currency, requests, answers } = settings;
  if (!tls) throw place.refuse('ecr needs http.tls: its calls come over HTTPS only');
  const tills = await Promise.all(settings.tills.map((each) => withAuthority(each, place)));
  const ledger = new EcrLedger(place.stateDir, onFailure);
  await ledger.load();
  const targetOf = (posId: string): NoticeTarget | undefined => {
    const notify = tills.find((each) => each.posId === posId)?.notify;
    return notify && { url: notify.url, key: notify.key, ...(notify.ca === undefined ? {} : { ca: notify.ca }) };
  };
  const notifier = new Notifier({ ledger, targetOf, post: postNotice, clock, onFailure });
  const wakeNotifier = () => notifier.wake();
  const parts = { calls, ledger, tills, channels, currency, shopName: place.shopName, clock, random };
  const ecr = new EcrCalls({ ...parts, wakeNotifier, onFailure });
  const server = await serveHttp({
    host,
    port,
    tls,
    ...place.server,
    onFailure,
    ...ecrAnswers({
      access: new Access(place.access),
      tills,
      calls: ecr,
      takesClear: requests === 'clear',
      encryptsAnswers: answers === 'encrypted',
    }),
  }).catch((error: unknown) => {
    throw place.refuseAddress(error);
  });
  ecr.payments.start();
  notifier.wake();
  return {
    port: server.port,
    status: () => ({
      port: server.port,
      underWay: ecr.payments.underWay,
      notificationsWaiting: notifier.state.waiting,
      notificationsGivenUp: notifier.state.givenUp,
    }),
    async close() {
      const closed = server.close();
      await ecr.payments.close();
      await closed;
      await notifier.close();
      await ledger.tryFlush();
    },
  };
}

/** `ca` of a till is a path in the configuration, and its content from here on. */
async function withAuthority(till: EcrSettings['tills'][number], { refuse }: EcrPlace): Promise<EcrTill> {
  const { notify } = till;
  if (notify?.ca === undefined) return till;
  const ca = await readFile(notify.ca, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw refuse(`${notify.ca} can't be read (${error.code})`);
  });
  return { ...till, notify: { ...notify, ca } };
}
