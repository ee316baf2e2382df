import { operation, withBody } from './openapi-operation.ts';

/** What a till may do with printer, drawer and idle screen. */
export const counterPaths = {
  '/sp/v1/print': {
    post: operation('print', 'Prints lines of a till, after the receipts that wait', 'PrintRequest', {
      ...withBody,
      200: ['printed, or kept until the printer can print: the same request again tells', 'PrintAnswer'],
      409: ['the messageId names another job', 'Fault'],
      422: ['it can’t be printed, or the configuration forbids it', 'Fault'],
      503: ['not printed: the printer can’t, or there is none', 'PrintAnswer'],
    }),
  },
} as const;
