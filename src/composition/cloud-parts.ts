import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import type { ApiParts } from '../api/call.ts';
import { CloudCalls } from '../api/cloud-calls.ts';
import type { EventStream } from '../api/event-stream.ts';
import { tellChange } from '../api/books.ts';
import { BooksState } from '../cloud/books/books-state.ts';
import { Outbox } from '../cloud/books/outbox.ts';
import { Calls } from '../cloud/calls.ts';
import { CloudConnection } from '../cloud/connection.ts';
import { dialBroker } from '../cloud/dial.ts';
import { EventTopic } from '../cloud/event-topic.ts';
import { Presence, will } from '../cloud/presence.ts';
import { readSerialNumber } from '../commissioning/serial-number.ts';
import type { Configuration } from '../config/configuration.ts';
import type { Entrance } from './entrance.ts';
import type { Random, SteadyClock } from '../ports/clock.ts';
import type { Change } from '../ports/changes.ts';
import type { Journal } from '../ports/journal.ts';
import type { CloudLink } from '../ports/cloud-link.ts';
import { unsettledSums } from '../records/unsettled-sums.ts';
import type { Log } from '../supervision/log.ts';
import { StartError } from './start-error.ts';

/** The link to the broker, before and after it is opened. */
export interface Cloud {
  readonly link: CloudLink;
  /** Its name at the broker, and what its topics begin with. */
  readonly terminal: string;
  readonly root: string;
  readonly state: 'connected' | 'disconnected';
  /** Answers calls and tells status and events from now on. Waits for no broker. */
  serve(
    api: Omit<ApiParts, 'status'> & { readonly status: () => Promise<object> },
    events: EventStream,
    books: Books,
  ): void;
  close(): Promise<void>;
}

/** What the outbox reads, while no payment runs. */
interface Books {
  readonly journal: Journal;
  readonly terminal: { readonly running: unknown };
}

export interface CloudSurroundings {
  readonly entrance: Pick<Entrance, 'cloudAuthenticator'>;
  readonly clock: SteadyClock;
  readonly random: Random;
  readonly log: Log;
}

type CloudSettings = NonNullable<Configuration['cloud']>;

/** Of a call besides its body: topic, properties, signature. */
const headBytesMax = 16_384;

/** Makes the parts of the cloud link. Nothing is connected before `serve`. */
export async function makeCloud(
  { stateDir, http: { bodyBytesMax } }: Configuration,
  settings: CloudSettings,
  { entrance: { cloudAuthenticator: authenticator }, clock, random, log }: CloudSurroundings,
): Promise<Cloud> {
  const terminal = settings.terminal ?? serialNumberOf(stateDir);
  await refuseUnreadable(settings);
  if (!authenticator) throw new TypeError('calls through the cloud need an authenticator');
  const { url, ca, certificate, key, keepAliveS } = settings;
  const root = `${settings.prefix}/${terminal}`;
  const dial = dialBroker({
    url,
    ca,
    certificate,
    key,
    keepAliveS,
    clientId: terminal,
    packetBytesMax: bodyBytesMax + headBytesMax,
    will: { ...will, topic: `${root}/${will.topic}` },
  });
  const onState = (state: string, reason?: string) => {
    if (reason === undefined) log.info('cloud', { state });
    else log.warn('cloud', { state, reason });
  };
  const link = new CloudConnection({ dial, root, clock, random, onState });
  const onFailure = (error: unknown) => log.failure('cloud', error);
  const closing: { close(): Promise<void> }[] = [];
  return {
    link,
    terminal,
    root,
    get state() {
      return link.state;
    },
    serve(parts, events, { journal, terminal: machine }) {
      // A name of digits alone would be an address in a URL.
      const authority = `${terminal.toLowerCase()}.poid`;
      const answering = new CloudCalls({ parts, authenticator, authority, bodyBytesMax, onFailure });
      const calls = new Calls({ link, root, answer: (call) => answering.answer(call) });
      const status = async () => ({ ...(await parts.status()) });
      const presence = new Presence({ link, clock, status, everyMs: settings.statusS * 1_000, onFailure });
      const topic = new EventTopic(link, clock);
      const isIdle = () => machine.running === undefined;
      const tell = (change: Change) => tellChange(change, { ...parts, journal });
      const outbox = new Outbox({ link, journal, tell, isIdle, clock, random, onFailure });
      const booksState = new BooksState({ link, read: () => unsettledSums(journal), isIdle, clock, onFailure });
      events.onTold((name, data) => {
        topic.tell(name, data);
        outbox.notice();
        booksState.notice();
      });
      closing.push(outbox, booksState, topic, calls, presence, link);
      link.open();
    },
    async close() {
      for (const each of closing) await each.close();
    },
  };
}

function serialNumberOf(stateDir: string): string {
  const serial = readSerialNumber({ serialNumber: path.join(stateDir, 'serial-number') });
  if (serial !== undefined && /^[A-Za-z0-9-]{1,64}$/.test(serial)) return serial;
  const why = serial === undefined ? 'has no serial number' : `has a serial number that can't name a topic`;
  throw new StartError(`the configuration can't be used: cloud.terminal is required, because this terminal ${why}`);
}

async function refuseUnreadable(settings: CloudSettings): Promise<void> {
  for (const name of ['ca', 'certificate', 'key'] as const) {
    const file = settings[name];
    if (file === undefined) continue;
    await access(file, constants.R_OK).catch(() => {
      throw new StartError(`the configuration can't be used: cloud.${name}: ${file} can't be read`);
    });
  }
}
