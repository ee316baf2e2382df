import { createServer as createPlain, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Action, type Deploy } from './action.ts';
import { confirmationOf, feedbackOf } from './feedback.ts';

/**
 * The device side of Eclipse hawkBit (DDI v1), written from its source (eclipse-hawkbit/hawkbit, 67ca1c4:
 * DdiRootControllerRestApi, DdiRootController, DataConversionHelper, FileStreamingUtil). One tenant; its targets
 * register by their first poll.
 */
export interface HawkbitOptions {
  readonly tenant?: string;
  /** `TargetToken …` or `GatewayToken …`. */
  readonly authorization?: string;
  readonly tls?: {
    readonly key: string;
    readonly cert: string;
    readonly ciphers?: string;
    /** With it, a device must show a certificate that comes from `ca`. */
    readonly requestCert?: boolean;
    readonly ca?: string;
  };
}

/** Faults; each stays until it is reset. */
export interface HawkbitFaults {
  /** Every call is answered with this status. */
  status?: number | undefined;
  /** A download ends after so many bytes; once for each entry. */
  truncateAfter: number[];
  /** A download stalls after so many bytes, and its connection stays open; once for each entry. */
  stallAfter: number[];
  /** Bytes of a download that are sent every 10 ms. */
  trickle?: number | undefined;
  /** Downloads are corrupted; so many times. */
  corruptDownloads: number;
  /** The hash that is announced instead of the true one. */
  sha256?: string | undefined;
  /** Ranges are ignored: the whole file is sent. */
  ignoresRanges: boolean;
  /** Feedback is answered 500, so many times. */
  failFeedbacks: number;
  /** Answers wait until it resolves. */
  hold?: Promise<void> | undefined;
}

interface Target {
  readonly actions: Action[];
  attributes: Readonly<Record<string, string>> | undefined;
  wantsAttributes: boolean;
}

export class HawkbitServer {
  readonly faults: HawkbitFaults = {
    truncateAfter: [],
    stallAfter: [],
    corruptDownloads: 0,
    ignoresRanges: false,
    failFeedbacks: 0,
  };
  /** Method, path and range of each request. */
  readonly asked: string[] = [];
  /** HH:mm:ss */
  sleep = '00:05:00';
  readonly #targets = new Map<string, Target>();
  readonly #options: HawkbitOptions;
  readonly #server: Server;
  #nextId = 1;

  constructor(options: HawkbitOptions = {}) {
    this.#options = options;
    const hear = (request: IncomingMessage, response: ServerResponse) => void this.#hear(request, response);
    this.#server = options.tls ? createSecure(options.tls, hear) : createPlain(hear);
  }

  async open(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  }

  deploy(controllerId: string, deploy: Deploy): Action {
    const action = new Action(this.#nextId++, deploy);
    this.#target(controllerId).actions.push(action);
    return action;
  }

  cancel(action: Action): void {
    action.status = 'CANCELING';
  }

  attributesOf(controllerId: string): Target['attributes'] {
    return this.#target(controllerId).attributes;
  }

  #target(id: string): Target {
    const known = this.#targets.get(id) ?? { actions: [], attributes: undefined, wantsAttributes: true };
    this.#targets.set(id, known);
    return known;
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    await this.faults.hold;
    const range = request.headers.range === undefined ? '' : ` ${request.headers.range}`;
    const { pathname } = new URL(request.url ?? '/', this.url);
    this.asked.push(`${request.method} ${pathname}${range}`);
    const answer = (status: number, value?: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/hal+json' });
      response.end(value === undefined ? undefined : JSON.stringify(value));
    };
    if (this.faults.status !== undefined) return answer(this.faults.status);
    const { authorization, tenant = 'DEFAULT' } = this.#options;
    if (authorization !== undefined && request.headers.authorization !== authorization) return answer(401);
    const [, tenantName, controller, version, id = '', resource, number, feedback, fileName] = pathname.split('/');
    if (tenantName !== tenant || controller !== 'controller' || version !== 'v1') return answer(404);
    const target = this.#target(decodeURIComponent(id));
    const call = `${request.method} ${resource ?? ''}${feedback === 'feedback' ? ' feedback' : ''}`;
    if (call === 'PUT configData') {
      target.attributes = (JSON.parse(body) as { data: Target['attributes'] }).data;
      target.wantsAttributes = false;
      return answer(200);
    }
    const home = this.#home(request, id);
    if (call === 'GET ') return answer(200, this.#base(target, home));
    const action = target.actions.find((each) => String(each.id) === number);
    if (!action) return answer(404);
    if (resource === 'softwaremodules') return this.#send(action, fileName ?? '', request, response);
    this.#answerAction(call, action, body, { home, answer });
    // JpaControllerManagement.onActionStatusUpdate: a finished action may have changed the target's attributes.
    if (call === 'POST deploymentBase feedback' && action.status === 'FINISHED') target.wantsAttributes = true;
  }

  #answerAction(
    call: string,
    action: Action,
    body: string,
    { home, answer }: { readonly home: string; readonly answer: (status: number, value?: unknown) => void },
  ): void {
    const isCanceling = action.status === 'CANCELING' || action.status === 'CANCELED';
    if (call.endsWith('feedback') && this.faults.failFeedbacks > 0) {
      this.faults.failFeedbacks -= 1;
      return answer(500);
    }
    const own = String(action.id);
    switch (call) {
      case 'GET deploymentBase': {
        const isOffered = !isCanceling && action.status !== 'WAIT_FOR_CONFIRMATION';
        return isOffered ? answer(200, this.#describe(action, home, 'deployment')) : answer(404);
      }
      case 'GET confirmationBase':
        if (action.status !== 'WAIT_FOR_CONFIRMATION') return answer(404);
        return answer(200, this.#describe(action, home, 'confirmation'));
      case 'POST confirmationBase feedback':
        if (action.status !== 'WAIT_FOR_CONFIRMATION') return answer(410);
        action.hearConfirmation(confirmationOf(body));
        return answer(200);
      case 'POST deploymentBase feedback':
        if (!action.isActive) return answer(410);
        action.hearDeployment(feedbackOf('deployment', body));
        return answer(200);
      case 'GET cancelAction':
        return isCanceling ? answer(200, { id: own, cancelAction: { stopId: own } }) : answer(404);
      case 'POST cancelAction feedback':
        action.hearCancel(feedbackOf('cancel', body));
        return answer(200);
      default:
        return answer(404);
    }
  }

  #describe(action: Action, home: string, name: 'deployment' | 'confirmation'): unknown {
    const base = `${home}/softwaremodules/${action.id}/artifacts/${action.deploy.filename}`;
    const links = this.#options.tls ? { download: base } : { 'download-http': base };
    return action.describe(links, name, this.faults.sha256);
  }

  /** Links have the host of the request (Spring's linkTo). */
  #home({ headers: { host } }: IncomingMessage, id: string): string {
    const origin = host === undefined ? this.url : `${this.#options.tls ? 'https' : 'http'}://${host}`;
    return `${origin}/${this.#options.tenant ?? 'DEFAULT'}/controller/v1/${id}`;
  }

  /** Actions are offered one at a time, the oldest that is active first. */
  #base({ actions, wantsAttributes }: Target, home: string): unknown {
    const active = actions.find((each) => each.isActive);
    const links: Record<string, { href: string }> = {};
    const query = '?c=-2127183556';
    if (active?.status === 'WAIT_FOR_CONFIRMATION')
      links['confirmationBase'] = { href: `${home}/confirmationBase/${active.id}${query}` };
    else if (active?.status === 'CANCELING') links['cancelAction'] = { href: `${home}/cancelAction/${active.id}` };
    else if (active) links['deploymentBase'] = { href: `${home}/deploymentBase/${active.id}${query}` };
    if (wantsAttributes) links['configData'] = { href: `${home}/configData` };
    return { config: { polling: { sleep: this.sleep } }, _links: links };
  }

  #send({ deploy }: Action, fileName: string, { headers: { range } }: IncomingMessage, response: ServerResponse): void {
    if (fileName !== deploy.filename) return void response.writeHead(404).end();
    const whole = this.faults.corruptDownloads > 0 ? Buffer.alloc(deploy.content.length, 0x2a) : deploy.content;
    if (this.faults.corruptDownloads > 0) this.faults.corruptDownloads -= 1;
    const [, from] = /^bytes=(\d+)-$/.exec(range ?? '') ?? [];
    const start = this.faults.ignoresRanges ? 0 : Number(from ?? 0);
    if (start >= whole.length) {
      return void response.writeHead(416, { 'Content-Range': `bytes */${whole.length}` }).end();
    }
    const part = whole.subarray(start);
    const place = start > 0 ? { 'Content-Range': `bytes ${start}-${whole.length - 1}/${whole.length}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { 'Accept-Ranges': 'bytes', 'Content-Length': part.length, ...place });
    const cut = this.faults.truncateAfter.shift();
    if (cut !== undefined) return void response.write(part.subarray(0, cut), () => response.destroy());
    const stall = this.faults.stallAfter.shift();
    if (stall !== undefined) return void response.write(part.subarray(0, stall));
    if (this.faults.trickle !== undefined) return sendSlowly(part, this.faults.trickle, response);
    response.end(part);
  }
}

function sendSlowly(part: Buffer, bytes: number, response: ServerResponse): void {
  let at = 0;
  const timer = setInterval(() => {
    response.write(part.subarray(at, (at += bytes)));
    if (at < part.length) return;
    clearInterval(timer);
    response.end();
  }, 10);
  response.on('close', () => clearInterval(timer));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
