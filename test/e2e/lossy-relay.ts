import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What becomes of one connection to the terminal. */
export type Conduct =
  /** Cut as soon as the request comes: the terminal hears nothing of it. */
  | 'cutBefore'
  /** Half of the request goes on, then it is cut. */
  | 'halfRequest'
  /** The terminal hears all; its answer is lost. */
  | 'answerLost'
  /** The head of the answer comes through, and half of the rest. */
  | 'halfAnswer'
  /** The answer is no HTTP. */
  | 'noHttp'
  /** The answer says SUCCESS in every case, and signs nothing. */
  | 'forged'
  /** As of a proxy or of another terminal: the request is not heard, and the answer says SUCCESS of something else. */
  | 'redirected'
  | 'anonymous'
  | 'otherTill'
  /** Refused before it is heard, as where too many connections are open: the answer tells nothing of an earlier request. */
  | 'refused'
  /** The request is heard, and the connection cut at once. */
  | 'cutBehind'
  | 'pass';

function answerOf(status: string, body: string, fields: object): string {
  const { messageId, posId } = JSON.parse(body) as { messageId: string; posId: string };
  const text = JSON.stringify({ messageId, posId, ...fields });
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`;
}

/** Whoever follows it hears of the status, which says SUCCESS. */
const redirection = 'HTTP/1.1 302 Found\r\nLocation: /sp/v1/status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

/** JSON leaves out what is undefined. */
const nobody = { messageId: undefined, posId: undefined };
const unheard = new Set<Conduct>(['refused', 'redirected', 'anonymous', 'otherTill']);
const success = { responseResult: 'SUCCESS', responseCode: 0 };
const busy = {
  responseResult: 'ERROR',
  responseCode: 2,
  financialImpact: 'NONE',
  reason: 'busy',
  text: { en: 'Busy.' },
};

/** A bad line between a till and the terminal: the next connections fare as told, all others pass. */
export class LossyRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #conducts: Conduct[] = [];
  /** Of each connection that carried something, what became of it. */
  readonly fared: Conduct[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `port`: where the terminal listens at this moment. */
  static async open(port: () => number): Promise<LossyRelay> {
    const server = createServer();
    const relay = new LossyRelay(server);
    server.on('connection', (till) => relay.#carry(till, port()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** Cuts what is open, so that the next request opens a connection. */
  next(...conducts: Conduct[]): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#conducts = conducts;
  }

  close(): void {
    this.next();
    this.#server.close();
  }

  #carry(till: Socket, port: number): void {
    const terminal = connect(port, '127.0.0.1');
    for (const socket of [till, terminal]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
    }
    let conduct: Conduct | undefined;
    let head = '';
    const cut = () => {
      till.resetAndDestroy();
      terminal.destroy();
    };
    till.on('data', (chunk) => {
      if (conduct === undefined) {
        conduct = this.#conducts.shift() ?? 'pass';
        this.fared.push(conduct);
      }
      if (conduct === 'cutBefore') {
        cut();
        return;
      }
      if (conduct === 'halfRequest') {
        terminal.end(chunk.subarray(0, chunk.length / 2));
        till.resetAndDestroy();
        return;
      }
      head += chunk.toString();
      if (!unheard.has(conduct)) terminal.write(chunk);
      const [fields = '', body] = head.split('\r\n\r\n', 2);
      const [, length = '0'] = /^content-length: (\d+)$/im.exec(fields.replaceAll('\r', '')) ?? [];
      const isWhole = body !== undefined && body.length >= Number(length);
      // The terminal keeps the whole request: only the way back is gone.
      if (isWhole && conduct === 'cutBehind') till.resetAndDestroy();
      if (isWhole && conduct === 'noHttp') till.end('\u0000\u0001 no HTTP\r\n\r\n');
      if (isWhole && conduct === 'forged') till.end(answerOf('200 OK', body, success));
      if (isWhole && conduct === 'redirected') till.end(redirection);
      if (isWhole && conduct === 'anonymous') till.end(answerOf('200 OK', body, { ...success, ...nobody }));
      if (isWhole && conduct === 'otherTill') till.end(answerOf('200 OK', body, { ...success, posId: 'POS-9' }));
      if (isWhole && conduct === 'refused') till.end(answerOf('503 Service Unavailable', body, busy));
    });
    terminal.on('data', (chunk) => {
      if (conduct === 'pass') till.write(chunk);
      if (conduct === 'halfAnswer') till.write(chunk.subarray(0, chunk.length - 20));
      if (conduct === 'halfAnswer' || conduct === 'answerLost') till.end();
    });
    // A request that was heard in whole is answered, also where its till has gone: as behind a dead Wi-Fi.
    terminal.on('close', () => till.destroy());
    till.on('close', () => {
      if (conduct === undefined || conduct === 'pass') terminal.destroy();
    });
  }
}
