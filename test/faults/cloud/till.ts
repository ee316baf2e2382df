import type { CloudMessage } from '../../../src/payment/contracts/cloud-link.ts';
import type { Dice } from '../dice.ts';
import type { Disk } from '../disk.ts';
import type { Log } from '../log.ts';
import type { MachineClock } from '../machine-clock.ts';
import type { Heard } from '../pos-api.ts';
import { bodyText, type Wanted } from '../pos-call.ts';
import type { Rules } from '../rules.ts';
import { type PosAnswer, posAnswerOf } from '../pos-answer.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { Broker } from './broker.ts';
import { isOwnAnswer, signedFields, type TillKey } from './signing.ts';

export const tillKey: TillKey = { posId: 'POS-CLOUD', keyId: 'c10d', secret: Buffer.alloc(32, 0x43) };

/** What it needs of the world. */
export interface CloudOptions {
  readonly time: VirtualTime;
  readonly log: Log;
  readonly clock: MachineClock;
  readonly disk: Disk;
  readonly rules: Rules;
}

interface Asked {
  readonly request: Wanted;
  answer?: PosAnswer;
}

interface Call {
  readonly asked: Asked;
  readonly path: 'payment' | 'enquiry' | 'cancel';
  readonly fields: Readonly<Record<string, string>>;
  /** Journals that were lost before it. */
  readonly losses: number;
  readonly resolve: () => void;
}

/** SPEC §3. */
const alreadyExists = 106;
/** In peace it has its answer within this many calls. */
const peaceCalls = 40;

/** A till behind the broker: it repeats a payment until it has the terminal's own answer, and enquires. */
export class CloudTill {
  /** Where it hears answers. */
  readonly topic: string;
  closed = false;
  readonly #world: CloudOptions;
  readonly #broker: Broker;
  readonly #dice: Dice;
  readonly #root: string;
  readonly #authority: string;
  readonly #payments: Asked[] = [];
  readonly #calls: Call[] = [];
  #losses = 0;
  #isPaying = false;
  /** Its clock, less the time that has passed. */
  #wallMs: number;

  constructor(world: CloudOptions, broker: Broker, dice: Dice, root: string, authority: string) {
    this.#world = world;
    this.#broker = broker;
    this.#dice = dice;
    this.#root = root;
    this.#authority = authority;
    this.topic = `${root}/answer/till-1`;
    this.#wallMs = world.clock.now().getTime() - world.time.elapsedMs + dice.between(-3_000, 3_000);
    this.#connects();
  }

  /** The requests whose payments are in the present journal, and their final answers. */
  get settled(): readonly Required<Asked>[] {
    const present = new Set(this.#world.disk.transactions);
    return this.#payments.flatMap(({ request, answer }) =>
      answer && present.has(answer.id) ? [{ request, answer }] : [],
    );
  }

  opens(): void {
    this.#world.time.in(this.#dice.between(500, 60_000), () => {
      if (this.closed) return;
      if (!this.#isPaying) void this.#acts();
      this.opens();
    });
  }

  /** The terminal's journal is lost: what it says of earlier payments does not count. */
  forgets(): void {
    this.#losses += 1;
    for (const asked of this.#payments) delete asked.answer;
  }

  /** Enquires everything in peace. Returns what fails, in words. */
  async concludes(): Promise<string[]> {
    const faults: string[] = [];
    for (const asked of this.#payments)
      if (!(await this.#asks(asked, 'enquiry', peaceCalls))) faults.push('I11: in peace a cloud till gets no answer');
    return faults;
  }

  /** Pays in peace. Returns what fails, in words. */
  async probes(): Promise<string[]> {
    const asked = this.#newPayment('CASH');
    // The terminal may be busy, with the daily settlement for one.
    for (let each = 0; each < peaceCalls && !asked.answer; each++) {
      await this.#calledOnce(asked, 'payment', 60_000);
      await new Promise<void>((resolve) => {
        this.#world.time.in(asked.answer ? 0 : 20_000, resolve);
      });
    }
    return asked.answer?.result === 'SUCCESS' ? [] : ['I11: in peace no cash is taken through the cloud'];
  }

  async #acts(): Promise<void> {
    this.#isPaying = true;
    const dice = this.#dice;
    const known = this.#payments.length > 0 && dice.odds(30) ? dice.of(this.#payments) : undefined;
    if (dice.odds(20)) await this.#crowds(known ?? this.#newPayment());
    else if (known && dice.odds(50)) await this.#asks(known, 'enquiry', 3);
    else await this.#asks(known ?? this.#newPayment(), 'payment', dice.between(1, 8));
    this.#isPaying = false;
  }

  /** A program that repeats its POST without a pause. Its enquiry, and its cancel, are answered all the same. */
  async #crowds(asked: Asked): Promise<void> {
    const dice = this.#dice;
    const count = dice.between(2, 20);
    this.#world.log.counted('cloud till repeats a POST at once', `${asked.request.messageId}, ${count} times`);
    const wait = () => dice.between(3_000, 120_000);
    const calls = Array.from({ length: count }, () => this.#calledOnce(asked, 'payment', wait()));
    if (dice.odds(60)) calls.push(this.#calledOnce(asked, 'enquiry', wait()));
    if (dice.odds(20)) calls.push(this.#calledOnce(asked, 'cancel', wait()));
    await Promise.all(calls);
  }

  #newPayment(mode?: 'CASH'): Asked {
    const dice = this.#dice;
    const preferredEntryMode = mode ?? dice.of(['CARD', 'CARD', 'QR_SCAN', 'QR_PRESENT', 'CASH'] as const);
    const amount = { minor: BigInt(dice.between(1, 40) * 100), currency: 'HKD' } as const;
    const messageId = `C-${this.#payments.length + 1}`;
    const asked: Asked = {
      request: { posId: tillKey.posId, messageId, type: 'SALE', amount, preferredEntryMode },
    };
    this.#payments.push(asked);
    return asked;
  }

  /** Repeats until there is an answer. Resolves with whether there is one. */
  async #asks(asked: Asked, path: Call['path'], most: number): Promise<boolean> {
    const isPeace = this.closed;
    for (let each = 0; each < most && this.closed === isPeace; each++)
      if (await this.#calledOnce(asked, path, this.#dice.between(3_000, 90_000))) return true;
    return false;
  }

  /** Resolves with whether there was an answer in time. */
  #calledOnce(asked: Asked, path: Call['path'], waitMs: number): Promise<boolean> {
    const { time, log } = this.#world;
    const dice = this.#dice;
    const { posId, messageId } = asked.request;
    const body = path === 'payment' ? bodyText(asked.request, dice) : JSON.stringify({ posId, messageId });
    const target = `/sp/v1/${path}`;
    const createdS = Math.floor((this.#wallMs + time.elapsedMs) / 1_000);
    const lifeS = this.closed ? 60 : dice.of([2, 10, 30, 60]);
    const expiresS = createdS + lifeS;
    const nonce = `nonce-${String(this.#calls.length).padStart(16, '0')}`;
    const signing = { authority: this.#authority, path: target, body, createdS, expiresS, nonce };
    const fields = signedFields(tillKey, signing);
    const correlation = Buffer.alloc(4);
    correlation.writeUInt32BE(this.#calls.length);
    log.counted(`cloud till: ${path}`, `${messageId}, call ${this.#calls.length}, good for ${lifeS} s`);
    return new Promise((resolve) => {
      this.#calls.push({ asked, path, fields, losses: this.#losses, resolve: () => resolve(true) });
      time.in(waitMs, () => resolve(false));
      this.#broker.takes(`${this.#root}/call`, {
        payload: Buffer.from(body),
        qos: 1,
        expiryS: lifeS,
        responseTopic: this.topic,
        correlation,
        properties: { method: 'POST', target, ...fields },
      });
    });
  }

  #receives({ payload, correlation = new Uint8Array(), properties = {} }: CloudMessage): void {
    const { log, clock, time } = this.#world;
    const number = Buffer.from(correlation).readUInt32BE();
    const call = this.#calls[number];
    if (!call) return;
    const text = Buffer.from(payload).toString();
    // Anybody can say this, and nothing but its own clock depends on it.
    if (text.includes("the terminal's clock")) this.#wallMs = clock.now().getTime() - time.elapsedMs;
    if (!isOwnAnswer(tillKey, call.fields, properties, text)) {
      log.counted('cloud answer not counted', `call ${number}: ${text.slice(0, 200)}`);
      return;
    }
    if (call.losses === this.#losses) {
      this.#counts(call, { status: Number(properties['status']), body: JSON.parse(text) as Heard['body'] });
    }
    call.resolve();
  }

  #counts({ asked, path }: Call, { status, body }: Heard): void {
    const { log, rules, disk } = this.#world;
    const { messageId } = asked.request;
    const answer = posAnswerOf(body);
    const words = answer ? `${answer.result} ${answer.impact}` : String(body['responseResult']);
    log.counted(`cloud till told ${words}`, `${path} ${messageId}: ${status} ${words} ${String(body['message'])}`);
    if (status === 500) rules.fault(`I11: the ${path} of ${messageId} is answered 500`);
    if (body['responseCode'] === alreadyExists) rules.fault(`I4: the same request of ${messageId} is another`);
    if (body['reason'] === 'tooManyCalls' && path !== 'payment')
      rules.fault(`I11: the ${path} of ${messageId} is refused for the number of payments that wait`);
    if (!answer) {
      if (path === 'payment' && status < 400) rules.fault(`I4: ${messageId} came to nothing, and is told ${status}`);
      return;
    }
    if (answer.messageId !== messageId) rules.fault(`I4: ${messageId} is told of ${answer.messageId}`);
    // An older copy of the journal tells of payments before it.
    if (this.#losses > 0 && !disk.transactions.includes(answer.id)) return;
    // An answer that was overtaken.
    if (asked.answer && asked.answer.result !== 'UNKNOWN' && answer.result === 'UNKNOWN') return;
    asked.answer = answer;
    rules.noteEnd(answer);
    rules.reportAmounts(asked.request, answer);
  }

  /** Its own connection is always there again after a moment. */
  #connects(): void {
    const { time } = this.#world;
    const again = () => time.in(1_000, () => this.#connects());
    const hear = (_topic: string, message: CloudMessage) => this.#receives(message);
    if (this.#broker.joins('till-1', { hear, end: again })) this.#broker.subscribes('till-1', this.topic, {});
    else again();
  }
}
