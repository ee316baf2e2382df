/** The codes of an answer (QFPay/docs@3943715, docs/pos/ecr.md, 5). */
export const respcd = {
  otherKey: '4003',
  otherMethod: '4004',
  other: '4005',
  parameters: '4006',
  unreadable: '5001',
  done: '6000',
  cancelled: '6001',
  failed: '6002',
} as const;
export type Respcd = (typeof respcd)[keyof typeof respcd];

/** An answer before it is written. */
export interface EcrAnswer {
  readonly respcd: Respcd;
  /** One sentence in English. */
  readonly message: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The fields of an answer. `data` is a text of JSON: POS parse it a second time. */
export function answerBody({ respcd: code, message, data }: EcrAnswer) {
  const isDone = code === respcd.done;
  return {
    respcd: code,
    respmsg: isDone ? message : '',
    resperr: isDone ? '' : message,
    data: data === undefined ? '' : JSON.stringify(data),
  };
}

export const success = (data?: EcrAnswer['data']): EcrAnswer => ({
  respcd: respcd.done,
  message: 'success',
  ...(data === undefined ? {} : { data }),
});
export const failure = (message: string): EcrAnswer => ({ respcd: respcd.failed, message });
export const wrongParameters = (message: string): EcrAnswer => ({ respcd: respcd.parameters, message });
