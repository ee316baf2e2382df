import { operation, withBody } from './openapi-operation.ts';

/** The calls of a till for printer, drawer and idle screen. */
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
  '/sp/v1/report/print': {
    post: operation(
      'printReport',
      'The figures of a report on paper: X of open batches, Z of a closed one',
      'ReportPrintRequest',
      {
        ...withBody,
        200: ['printed, or kept until the printer can print: the same request again tells', 'PrintAnswer'],
        404: ['nothing is in a batch of this number', 'Fault'],
        409: ['the messageId names another job', 'Fault'],
        422: ['no such acquirer', 'Fault'],
        503: [
          'not printed: the printer can’t, or there is none; or too many callers wait for reports',
          'ReportNotPrinted',
        ],
      },
    ),
  },
  '/sp/v1/display': {
    post: operation('display', 'Shows a text or a cart of a till on the idle screen', 'DisplayRequest', {
      ...withBody,
      200: ['shown, or taken away', 'DisplayAnswer'],
      409: ['a payment has the screen', 'Fault'],
      422: ['the configuration forbids it, or it shows a card number', 'Fault'],
    }),
  },
  '/sp/v1/drawer/open': {
    post: operation('openDrawer', 'Opens the cash drawer without a payment', 'DrawerRequest', {
      ...withBody,
      200: ['the printer has the pulse; nothing tells whether a drawer is there', 'DrawerAnswer'],
      409: ['the messageId names another opening', 'Fault'],
      422: ['the configuration forbids it', 'Fault'],
      503: ['the printer is not connected or has a fault, or there is none', 'Fault'],
    }),
  },
} as const;
