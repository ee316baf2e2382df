import { lineFaults, type LineSecurity } from '../../base/domain/line-security.ts';
import { isKnownScheme, methodGroups } from '../../base/domain/payment-scheme.ts';
import { describedCodes } from '../../payment/method/descriptions.ts';
import type { OpenDiscrepancy } from '../../payment/records/discrepancies.ts';
import type { LinkState } from '../../payment/contracts/acquirer-host.ts';
import { deviceAbsences, type DeviceState } from '../../base/ports/device.ts';
import type { PaperState } from '../../base/ports/receipt-printer.ts';
import { clockAndJournal } from './openapi-clock-journal.ts';
import { counterDevices } from './openapi-counter-answers.ts';
import {
  all,
  amount,
  codes,
  count,
  done,
  identity,
  type JsonSchema,
  kind,
  list,
  object,
  printerFault,
  reason,
  runningStates,
  step,
  text,
} from './openapi-schema.ts';
import { tipSchema } from '../../options/tip/capabilities.ts';

const device = {
  name: text,
  state: all<DeviceState>({ ready: true, connecting: true, absent: true }),
  reason: {
    enum: deviceAbsences,
    description:
      'why it is absent. unplugged: nothing is there. noPermission: the service may not open it. busy: another program uses it. ' +
      'wrongIds: another device of that vendor is there. wrongSerial: an equal device with another serial number is there. severalFit: ' +
      'two equal devices are there, and the configuration does not tell which is meant. wrongDevice: something else is at its path. ' +
      'failed: the log says why',
  },
};
/** Only for acquirers with a host; Octopus and cash have none. */
const address = { mid: text, tid: text, link: all<LinkState>({ up: true, down: true, idle: true }) };
const waiting = { pendingReversals: count, pendingAdvices: count };
/** Of an acquirer, absent while the journal is silent. */
const ofJournal = [
  'openBatch',
  ...Object.keys(waiting),
  'rejectedAdvices',
  'unsendable',
  'setAside',
  'waitingBatches',
] as const;

/** SHA-256 in the form of `pins`. */
const certificate = object({ notBefore: text, notAfter: text, fingerprint: text });

const sum = object({ count, amount: text });
const sums = { sales: sum, refunds: sum };
const discrepancy = object(
  {
    kind: all<OpenDiscrepancy['kind']>({ booksDiffer: true, journalRestored: true }),
    at: text,
    since: text,
    acquirer: text,
    batch: count,
    currency: text,
    ...sums,
    rejected: object(sums),
  },
  'since',
  'acquirer',
  'batch',
  'currency',
  'sales',
  'refunds',
  'rejected',
);

/** One scheme of a method. */
const scheme = object(
  {
    paymentMethod: codes(() => describedCodes().schemes),
    kinds: list(kind),
    authorizations: {
      ...object({ completedBy: kind, releasedBy: text }, 'completedBy', 'releasedBy'),
      description: 'how an AUTH is completed, and released if it is not; absent without AUTH',
    },
    entryModes: { ...list(text), description: 'how it can be collected on this terminal' },
    currencies: list(text),
    limits: {
      ...list(
        object(
          { acquirer: text, currency: text, amountMin: amount, amountMax: amount, amountStep: amount },
          'amountMin',
          'amountStep',
        ),
      ),
      description:
        'of one payment: of the messages to its acquirers, and the merchant’s own; empty where there are none',
    },
    ready: { type: 'boolean', description: 'it can be collected now. Voids of it need no device' },
    missing: {
      ...list(object({ mode: text, reason, message: text })),
      description: 'the entry modes that can’t be used now',
    },
  },
  'authorizations',
  'currencies',
  'missing',
);

/** Schemas of the terminal's status and capabilities, by name. */
export const terminalSchemas = {
  Status: object(
    {
      ...done,
      version: text,
      state: all({ idle: true, ...runningStates }),
      ready: { type: 'boolean' },
      step,
      message: text,
      reason,
      running: object(identity),
      devices: object(
        {
          reader: object(device, 'reason'),
          printer: object(
            {
              ...device,
              fault: { enum: ['none', ...printerFault.enum] },
              paper: {
                ...all<PaperState>({ ok: true, low: true, out: true, unknown: true }),
                description: 'unknown: the printer has no way to tell. Absent while the printer is',
              },
            },
            'reason',
            'paper',
          ),
          scanner: object(device, 'reason'),
          octopus: object(device, 'reason'),
        },
        'printer',
        'scanner',
        'octopus',
      ),
      ...clockAndJournal,
      cloud: {
        ...object(
          {
            state: { enum: ['connected', 'disconnected'] },
            books: object({ waiting: count, oldestS: count }),
            tooLong: list(text),
            unsupported: list({ enum: ['qos1', 'retain'] }),
          },
          'books',
          'tooLong',
          'unsupported',
        ),
        description:
          'the broker’s link, if configured; books: transactions and settlements that their sink has not acknowledged, 10,000 at most, and for how long the oldest of them waits; absent until a sink has answered; tooLong: topics of messages that were longer than it takes, and were not sent; unsupported: what it does not support, so that the terminal sends QoS 0, or nothing retained',
      },
      protocols: {
        type: 'object',
        additionalProperties: { type: 'object' },
        description:
          'what further protocols of POS report of themselves, by name: nexo, and those that were added to this terminal; absent without one',
      },
      tls: object({
        fingerprint: { type: 'string', description: 'SHA-256 of the certificate' },
        publicKeyPin: { type: 'string', description: 'SHA-256 of its public key, base64' },
      }),
      acquirers: list(
        object(
          {
            id: text,
            configured: {
              const: false,
              description: 'false: not configured any more, but transactions of it wait for the operator',
            },
            ...address,
            security: {
              ...all<LineSecurity>({ tls: true, none: true, undecided: true, loopback: true }),
              description:
                'of an acquirer of cards: how the connection to its host is protected. none: not, by the configuration; undecided: not, because ' +
                'the configuration does not say it; loopback: not, and it does not leave this machine',
            },
            lineFault: {
              ...object({ reason: { enum: [...lineFaults] }, since: text }),
              description: 'why its host can’t be reached, or is not trusted; absent once it was connected to',
            },
            sites: {
              ...list(
                object(
                  {
                    site: text,
                    inUse: { type: 'boolean' },
                    fault: object({ reason: { enum: [...lineFaults] }, since: text }),
                  },
                  'fault',
                ),
              ),
              description:
                'the addresses of its host, if it has several. inUse: new payments go there; fault: why one is not used, and since when',
            },
            signedOn: {
              type: 'boolean',
              description: 'whether its host has accepted this terminal’s sign-on; absent if its dialect has none',
            },
            certificate: {
              ...certificate,
              description: 'that of its host, from the latest handshake. notBefore, notAfter: when it is valid',
            },
            clientCertificate: { ...certificate, description: 'that of this terminal for its host' },
            commissioningFault: {
              ...object({ hostCode: text, since: text }),
              description:
                'its host does not know this terminal or its merchant, does not permit it what it asked for, or has another key. ' +
                'hostCode: of the latest answer that says so; since: of the first. Absent once the host takes a message of this terminal',
            },
            held: {
              ...object({ changed: list(text), message: text }),
              description:
                'it takes no new payments: its settings were changed while payments were queued or unsettled. These are completed and settled ' +
                'with the former settings; then the present ones count. changed: the settings that differ',
            },
            openBatch: count,
            settlementFailed: {
              ...object({ batch: count, at: text, message: text }),
              description:
                'the latest settlement of the open batch has failed; the terminal repeats it. at: when it was requested last',
            },
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
                'closed and not settled yet; refused: the host will not accept it, the operator must ask the bank',
            },
          },
          'configured',
          'security',
          'lineFault',
          'sites',
          'signedOn',
          'certificate',
          'clientCertificate',
          'commissioningFault',
          'held',
          'settlementFailed',
          ...Object.keys(address),
          ...ofJournal,
        ),
      ),
      ...waiting,
      waitingReceipts: count,
      discrepancies: {
        ...list(discrepancy),
        description:
          'what differs from the banks’ books, until the operator has settled it with the bank; absent if nothing does. booksDiffer: a batch of ' +
          'which the host had other totals; sales and refunds are this terminal’s, rejected is the part that the host has not accepted. ' +
          'journalRestored: the journal was put back, and payments between since and at are not in it',
      },
    },
    'step',
    'message',
    'reason',
    'running',
    'journalSchema',
    'journalMigration',
    'journalFault',
    'archiveFault',
    'cloud',
    'protocols',
    'tls',
    'untold',
    ...Object.keys(waiting),
    'waitingReceipts',
    'discrepancies',
  ),
  Capabilities: object(
    {
      ...done,
      collectTimeoutSeconds: {
        ...object({ default: { type: 'number' }, min: { type: 'number' }, max: { type: 'number' } }),
        description: 'how long a customer may take to present a card or a code, and what a request may ask for',
      },
      tips: tipSchema,
      merchants: {
        ...list(object({ id: text, name: text })),
        description: 'the merchants that a request may name, the default first; absent where none is configured',
      },
      counter: counterDevices,
      methods: list(
        object(
          {
            method: codes(() => [...methodGroups, ...describedCodes().schemes.filter((each) => !isKnownScheme(each))]),
            paymentMethods: list(codes(() => describedCodes().schemes)),
            kinds: list(kind),
            acquirers: list(text),
            currencies: {
              ...list(text),
              description:
                'ISO 4217; what at least one of its methods takes. Absent: every currency. Others are 422 with 105',
            },
            ready: { type: 'boolean', description: 'at least one of its schemes can be collected now' },
            schemes: list(scheme),
          },
          'currencies',
        ),
      ),
    },
    'tips',
    'merchants',
  ),
} as const satisfies Readonly<Record<string, JsonSchema>>;
