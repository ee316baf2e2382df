import { access, constants } from 'node:fs/promises';
import type { ApiParts } from '../../api/call.ts';
import type { EventStream } from '../../api/event-stream.ts';
import { CloudConnection, type ConnectionOptions } from '../connection.ts';
import { dialBroker } from '../dial.ts';
import { EventTopic } from '../event-topic.ts';
import { Presence, will } from '../presence.ts';
import type { Configuration } from '../../../config/configuration.ts';
import type { Random, MonotonicClock } from '../../../base/ports/clock.ts';
import type { CloudLink } from '../../../payment/contracts/cloud-link.ts';
import type { Log } from '../../../observability/log.ts';
import type { PartBoundary } from '../../../observability/part-boundary.ts';
import { type BookSource, type CloudBooks, openBooks } from './books.ts';

/** The link to the broker, before and after it is opened. */
export interface Cloud {
  readonly link: CloudLink;
  /** Its name at the broker, and the prefix of its topics. */
  readonly terminal: string;
  readonly root: string;
  readonly state: 'connected' | 'disconnected';
  /** Topics that had a message on this connection which was longer than the broker accepts. */
  readonly tooLong: readonly string[];
  /** Features that the broker does not support. */
  readonly unsupported: readonly ('qos1' | 'retain')[];
  /** For monitoring: asks the journal without waiting. */
  readonly measured: {
    readonly state: 'connected' | 'disconnected';
    readonly unacknowledged: CloudBooks['counted'];
  };
  /** Connects, and sends status, events and books from now on. Does not wait for the broker. */
  serve(
    api: Omit<ApiParts, 'status'> & { readonly status: () => Promise<object> },
    events: EventStream,
    source: BookSource,
  ): void;
  close(): Promise<void>;
}

export interface CloudOptions {
  readonly clock: MonotonicClock;
  readonly random: Random;
  readonly log: Log;
  readonly boundary: PartBoundary;
}

type CloudSettings = NonNullable<Configuration['cloud']>;

/** Limit of a call besides its body: topic, properties, signature. */
const headBytesMax = 16_384;

/** Makes the parts of the cloud link. Nothing is connected before `serve`. Throws RangeError. */
export async function makeCloud(
  { http: { bodyBytesMax } }: Configuration,
  settings: CloudSettings,
  { clock, random, log, boundary }: CloudOptions,
): Promise<Cloud> {
  const terminal = requireName(settings.terminal);
  await refuseUnreadable(settings);
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
    clock,
  });
  const link = new CloudConnection({ dial, root, clock, random, ...loggedTo(log) });
  const onFailure = (error: unknown) => log.failure('cloud', error);
  boundary.onFailure('cloud', () => link.restart());
  let books: CloudBooks | undefined;
  const closing: { close(): Promise<void> }[] = [];
  return {
    link,
    terminal,
    root,
    get state() {
      return link.state;
    },
    get tooLong() {
      return link.tooLong;
    },
    get unsupported() {
      return link.unsupported;
    },
    get measured() {
      return { state: link.state, unacknowledged: books?.counted };
    },
    serve(parts, events, source) {
      const status = async () => ({ ...(await parts.status()) });
      const presence = new Presence({ link, clock, status, everyMs: settings.statusS * 1_000, onFailure });
      const topic = new EventTopic(link, clock);
      books = openBooks(source, parts, { link, clock, random, onFailure });
      publishFurther(events, { topic, books: books }, boundary);
      closing.push(books, topic, presence, link);
      link.open();
    },
    async close() {
      for (const each of closing) await each.close();
    },
  };
}

/** The cloud and the books get the same events as the tills of the shop. */
function publishFurther(
  events: EventStream,
  { topic, books }: { readonly topic: EventTopic; readonly books: CloudBooks },
  boundary: PartBoundary,
): void {
  events.onSent((name, data) =>
    boundary.notify('cloud', () => {
      topic.publish(name, data);
      books.notice();
    }),
  );
}

/** The link's reports, as lines of the log. */
function loggedTo(log: Log): Pick<ConnectionOptions, 'onState' | 'onTooLong' | 'onLack'> {
  return {
    onState(state, reason) {
      if (reason === undefined) log.info('cloud', { state });
      else log.warn('cloud', { state, reason });
    },
    onTooLong(topic, { message }) {
      log.warn('cloud', { state: 'connected', reason: `a message of the topic ${topic} is not sent: ${message}` });
    },
    onLack(reason) {
      log.warn('cloud', { state: 'connected', reason });
    },
  };
}

/** Without a configured name it is the serial number (`withTerminalName`). */
function requireName(name: string | undefined): string {
  if (name !== undefined && /^[A-Za-z0-9-]{1,64}$/.test(name)) return name;
  const why = name === undefined ? 'has no serial number' : `has a serial number that can't name a topic`;
  throw new RangeError(`cloud.terminal is required, because this terminal ${why}`);
}

/** All missing files at once, so that they can be installed in one step. */
async function refuseUnreadable(settings: CloudSettings): Promise<void> {
  const unreadable: string[] = [];
  for (const name of ['ca', 'certificate', 'key'] as const) {
    const file = settings[name];
    if (file === undefined) continue;
    await access(file, constants.R_OK).catch(() => unreadable.push(`cloud.${name}: ${file} can't be read`));
  }
  if (unreadable.length > 0) throw new RangeError(unreadable.join('; '));
}
