import type * as z from 'zod';
import type { Clock } from '../../base/ports/clock.ts';
import {
  cancelAction,
  confirmationBase,
  confirmationBody,
  controllerBase,
  type DdiConfirmation,
  type DdiDeployment,
  type DdiFeedback,
  deploymentBase,
  feedbackBody,
  sleepMs,
} from './ddi.ts';
import { type HttpAnswer, type HttpExchange, readBody } from './http-exchange.ts';

const bodyBytesMax = 1_048_576;

/** refused: token or certificate (401, 403). gone: the action is not active any more (404, 410). */
export type DdiFault = 'unreachable' | 'refused' | 'gone' | 'failed' | 'malformed';

export class DdiError extends Error {
  override readonly name = 'DdiError';
  readonly code: DdiFault;

  constructor(code: DdiFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** hawkBit's work for this terminal. */
export interface DdiOffer {
  readonly pollMs: number | undefined;
  readonly deployment: URL | undefined;
  /** An action that begins once the device has confirmed it. */
  readonly confirmation: URL | undefined;
  readonly cancel: URL | undefined;
  /** Where it asks for attributes. */
  readonly attributes: URL | undefined;
}

export interface DdiAddress {
  readonly url: string;
  readonly tenant: string;
  readonly controllerId: string;
  /** `TargetToken …` or `GatewayToken …`; absent if a certificate identifies the terminal. */
  readonly authorization: string | undefined;
}

/** A device's calls of hawkBit's DDI API. Every method rejects with DdiError. */
export class DdiClient {
  readonly #http: HttpExchange;
  readonly #clock: Clock;
  readonly #base: URL;
  readonly #authorization: string | undefined;

  constructor({ url, tenant, controllerId, authorization }: DdiAddress, http: HttpExchange, clock: Clock) {
    this.#http = http;
    this.#clock = clock;
    this.#authorization = authorization;
    const path = `${encodeURIComponent(tenant)}/controller/v1/${encodeURIComponent(controllerId)}`;
    this.#base = new URL(path, url.endsWith('/') ? url : `${url}/`);
  }

  /** The action's links name the paths for its feedback and details: hawkBit may be behind another path. */
  async poll(): Promise<DdiOffer> {
    const { config, _links: links } = await this.#read(this.#base, controllerBase);
    const own = (href: string | undefined) => (href === undefined ? undefined : this.#ownLink(href));
    return {
      pollMs: sleepMs(config?.polling?.sleep),
      deployment: own(links.deploymentBase?.href),
      confirmation: own(links.confirmationBase?.href),
      cancel: own(links.cancelAction?.href),
      attributes: own(links.configData?.href),
    };
  }

  readDeployment(link: URL): Promise<DdiDeployment> {
    return this.#read(link, deploymentBase);
  }

  readConfirmation(link: URL): Promise<DdiDeployment> {
    return this.#read(link, confirmationBase);
  }

  /** The id of the action that is to be stopped. */
  async readCancel(link: URL): Promise<string> {
    return (await this.#read(link, cancelAction)).cancelAction.stopId;
  }

  /** `action`: the link of a deployment or of a cancellation. */
  async sendFeedback(action: URL, feedback: DdiFeedback): Promise<void> {
    await this.#write('POST', feedbackOf(action), feedbackBody(feedback, this.#clock.now()));
  }

  /** `action`: its link for confirmation. */
  async confirm(action: URL, confirmation: DdiConfirmation): Promise<void> {
    await this.#write('POST', feedbackOf(action), confirmationBody(confirmation));
  }

  putAttributes(link: URL, data: Readonly<Record<string, string>>): Promise<void> {
    return this.#write('PUT', link, JSON.stringify({ mode: 'merge', data }));
  }

  /** The token is sent only to hawkBit: a download may come from another server. */
  credentialsFor(url: URL): Readonly<Record<string, string>> {
    const isOwn = url.origin === this.#base.origin && this.#authorization !== undefined;
    return isOwn ? { Authorization: this.#authorization } : {};
  }

  /** A link to another server would send the token there. */
  #ownLink(href: string): URL {
    const url = URL.parse(href, this.#base.href);
    if (url?.origin === this.#base.origin) return url;
    throw new DdiError('malformed', `a link leads to ${url?.origin ?? 'nowhere'}, and hawkBit is ${this.#base.origin}`);
  }

  async #read<Shape extends z.ZodType>(url: URL, shape: Shape): Promise<z.output<Shape>> {
    const answer = await this.#send('GET', url);
    const body = await readBody(answer, bodyBytesMax, this.#clock).catch((error: Error) => {
      throw new DdiError('unreachable', error.message);
    });
    const parsed = shape.safeParse(parseJson(body.toString()));
    if (parsed.success) return parsed.data;
    const place = parsed.error.issues[0]?.path.join('.') || 'the whole';
    throw new DdiError('malformed', `an answer that is none of DDI: ${place}`);
  }

  async #write(method: 'POST' | 'PUT', url: URL, body: string): Promise<void> {
    (await this.#send(method, url, body)).drop();
  }

  async #send(method: 'GET' | 'POST' | 'PUT', url: URL, body?: string): Promise<HttpAnswer> {
    const content =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': `${Buffer.byteLength(body)}` };
    const headers = { Accept: 'application/hal+json, application/json', ...this.credentialsFor(url), ...content };
    const answer = await this.#http
      .send({ method, url, headers, ...(body === undefined ? {} : { body }) })
      .catch((error: Error) => {
        throw new DdiError('unreachable', error.message);
      });
    if (answer.status >= 200 && answer.status < 300) return answer;
    answer.drop();
    throw new DdiError(faultOf(answer.status), `hawkBit answers ${answer.status}`);
  }
}

/** Beside the link, without its query. */
function feedbackOf(action: URL): URL {
  const target = new URL(action);
  target.search = '';
  target.pathname += '/feedback';
  return target;
}

function faultOf(status: number): DdiFault {
  if (status === 401 || status === 403) return 'refused';
  return status === 404 || status === 410 ? 'gone' : 'failed';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
