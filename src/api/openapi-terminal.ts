import { methodGroups } from '../domain/capability.ts';
import { isKnownScheme } from '../domain/payment-scheme.ts';
import { describedCodes } from '../method/descriptions.ts';
import type { LinkState } from '../ports/acquirer-host.ts';
import type { DeviceState } from '../ports/device.ts';
import type { JournalCheckReport, JournalHealth } from '../ports/journal.ts';
import type { PrinterFault } from '../ports/receipt-printer.ts';
import type { TerminalEvent } from '../ports/terminal-events.ts';
import type { ResetReason } from './event-stream.ts';
import {
  all,
  codes,
  count,
  done,
  identity,
  type JsonSchema,
  kind,
  list,
  schemaReference,
  object,
  runningStates,
  step,
  text,
} from './openapi-schema.ts';

const device = { name: text, state: all<DeviceState>({ ready: true, connecting: true, absent: true }) };
/** Of an acquirer with a host: Octopus and cash have none. */
const address = { mid: text, tid: text, link: all<LinkState>({ up: true, down: true, idle: true }) };
const waiting = { pendingReversals: count, pendingAdvices: count };

/** How the terminal is and what it can do, by the name of the schema. */
export const terminalSchemas = {
  Status: object(
    {
      ...done,
      version: text,
      state: all({ idle: true, ...runningStates }),
      ready: { type: 'boolean' },
      step,
      message: text,
      running: object(identity),
      devices: object(
        {
          reader: object(device),
          printer: object({
            ...device,
            fault: all<PrinterFault | 'none'>({
              none: true,
              absent: true,
              'paper-out': true,
              'cover-open': true,
              error: true,
            }),
          }),
          scanner: object(device),
          octopus: object(device),
        },
        'printer',
        'scanner',
        'octopus',
      ),
      journal: all<JournalHealth>({ ok: true, full: true }),
      journalCheck: {
        ...object(
          {
            state: all<JournalCheckReport['state']>({ never: true, running: true, ok: true, damaged: true }),
            at: text,
            checked: count,
            reason: text,
          },
          'at',
          'checked',
          'reason',
        ),
        description:
          'how the journal was found when it was last read through: while idle, once a day and after every end that was not an orderly one. ' +
          'checked: rows until now. reason: what is damaged',
      },
      journalFault: {
        type: 'string',
        description: 'until the next start: the journal is an older copy, or another one, than what was here before',
      },
      archiveFault: {
        type: 'string',
        description:
          'which archive of the journal is missing or damaged, and what to do; or why what is old could not be moved there, then nothing is lost',
      },
      tls: object({
        fingerprint: { type: 'string', description: 'SHA-256 of the certificate' },
        publicKeyPin: { type: 'string', description: 'SHA-256 of its public key, base64' },
      }),
      acquirers: list(
        object(
          {
            id: text,
            configured: { const: false, description: 'not any more, and something of it waits for the operator' },
            ...address,
            openBatch: count,
            ...waiting,
            rejectedAdvices: list(text),
            unsendable: list(text),
            setAside: list(text),
            waitingBatches: {
              ...list(
                object(
                  { batch: count, closedAt: text, tries: count, refused: { type: 'boolean' }, message: text },
                  'message',
                ),
              ),
              description:
                'closed and not settled yet; refused: the host will not take it, the operator is to ask the bank',
            },
          },
          'configured',
          ...Object.keys(address),
        ),
      ),
      ...waiting,
      waitingReceipts: count,
    },
    'step',
    'message',
    'running',
    'journalFault',
    'archiveFault',
    'tls',
  ),
  Capabilities: object({
    ...done,
    methods: list(
      object({
        method: codes(() => [...methodGroups, ...describedCodes().schemes.filter((each) => !isKnownScheme(each))]),
        paymentMethods: list(codes(() => describedCodes().schemes)),
        kinds: list(kind),
        acquirers: list(text),
      }),
    ),
  }),
  EventStream: {
    anyOf: [schemaReference('TerminalEvent'), schemaReference('EventReset')],
    description:
      'The data of each event. `event: state` is a TerminalEvent, its id what Last-Event-ID continues from; who connects ' +
      'without one gets the present state first. `event: reset` says that what was missed is not known any more, and the ' +
      'present state follows. A comment every 15 s keeps the connection.',
  },
  TerminalEvent: object(
    {
      state: all<TerminalEvent['state']>({
        ...runningStates,
        approved: true,
        declined: true,
        error: true,
        idle: true,
      }),
      step,
      hint: { type: 'string', description: 'what the customer is told beside it, as a code: removeCard' },
      ...identity,
      terminalTransactionId: text,
      at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
    },
    'step',
    'hint',
    'posId',
    'messageId',
    'terminalTransactionId',
  ),
  EventReset: object({ reason: all<ResetReason>({ restarted: true, 'too-old': true }) }),
} as const satisfies Readonly<Record<string, JsonSchema>>;
