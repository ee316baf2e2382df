import { Agent, request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** One POS, on one connection that stays open. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  call(method: 'GET' | 'POST', url: string, body?: object): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = text === undefined ? {} : jsonHeaders(text);
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, agent: this.#agent, headers }, (incoming) => {
        let answer = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (answer += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(answer) as unknown }));
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  /** Rejects where the answer is not one that ended well. */
  async does(url: string, body: object): Promise<unknown> {
    const answer = await this.call('POST', url, body);
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function jsonHeaders(text: string) {
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
}

/** 30.00 HKD, as the card of the bench has it. */
export function sale(messageId: string, fields: object = {}): object {
  return {
    posId: 'POS-1',
    messageId,
    transactionType: 'SALE',
    requestAmount: 30,
    currency: 'HKD',
    preferredEntryMode: 'CARD',
    ...fields,
  };
}
