import * as z from 'zod';
import { receiptColumns } from '../receipt/line.ts';
import { receiptSettings } from './receipt-settings.ts';
import { filePath, merchantId, everyAcquirer, milliseconds, minorUnits, port, timeZone } from './common-settings.ts';
import { cloudSettings } from './cloud-settings.ts';
import { nexoSettings } from './nexo-settings.ts';
import { screenStyle } from './screen-settings.ts';
import { updateSettings } from './update-settings.ts';
import { acquirerSchemas, methodEquipment, methodSections, methodTimeouts } from './methods.ts';
import { optionRules, optionSections, optionTimeouts } from './options.ts';
import { isIP } from 'node:net';
import { currencyCodes } from '../base/domain/currency.ts';

/** What a paired POS may do beyond its own transactions. */
const posRights = z.strictObject({
  reportAll: z
    .boolean()
    .default(false)
    .describe('its reports, read or printed, contain the sales of every POS and of the operator’s menu'),
});

/** Who may call, and what each may do. */
const pairingSettings = z.strictObject({
  required: z.boolean().default(false).describe('only points of sale that were paired at the screen may call'),
  rights: z
    .record(z.string(), posRights)
    .default({})
    .describe(
      'rights of a paired POS, by its posId: {"POS-1": {"reportAll": true}}; none beyond its own transactions if absent',
    ),
});

/** What the operator's menu may do. */
const operatorSettings = z.strictObject({
  unlinkedRefund: z
    .partialRecord(z.enum(currencyCodes), minorUnits.min(1))
    .default({})
    .describe(
      'the greatest refund that names no sale, by currency, in minor units: {"HKD": 50000}; without one the menu offers none',
    ),
});

/** A name, a dotted address, or an address of version 6 in brackets: no scheme, port, path, user or wildcard. */
const written = /^(?:[\p{L}\p{N}\p{M}._-]+|\[[0-9a-f:.]+\])$/iu;
const labelMax = 63;
const nameMax = 253;

/**
 * A host name as a client's Host header has it (RFC 9110, 7.2): in lower case and in ASCII. Undefined if no Host header
 * can have that name.
 */
export function canonicalHostname(text: string): string | undefined {
  const name = text.trim();
  if (!written.test(name) || !URL.canParse(`http://${name}`)) return undefined;
  const { hostname } = new URL(`http://${name}`);
  // A name that ends in a number is read as an address: 10.1 is 10.0.0.1. What is meant is written whole.
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return hostname === name.toLowerCase() ? hostname : undefined;
  // The dot of the root may stand: a browser sends it where its user has typed it.
  const labels = hostname.replace(/\.$/, '').split('.');
  const isName = labels.every((label) => label.length > 0 && label.length <= labelMax);
  return isName && hostname.length <= nameMax ? hostname : undefined;
}

/** 32 bytes. */
const publicKey = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'must be base64 of the 32 bytes of an Ed25519 key');

/** Who may send this terminal a configuration, and ask it for extracts. */
const fleetSettings = z.strictObject({
  publicKeys: z
    .array(publicKey)
    .min(1)
    .max(4)
    .describe('Ed25519 keys whose documents count; more than one while they change'),
  group: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits or -')
    .optional()
    .describe('documents for this group count, too'),
});

/** What tills may do with printer, drawer and idle screen. */
const counterSettings = z.strictObject({
  print: z.boolean().default(true).describe('tills may print on the terminal’s printer'),
  printKeptMs: z
    .number()
    .int()
    .min(1)
    .max(86_400_000)
    .default(600_000)
    .describe('for how long a till’s job is kept while the printer can’t print'),
  drawer: z.boolean().default(true).describe('tills may open the cash drawer without a payment'),
  display: z.boolean().default(true).describe('tills may show text and carts on the idle screen'),
  displayMs: z
    .number()
    .int()
    .min(1_000)
    .max(3_600_000)
    .default(300_000)
    .describe('for how long, unless the till tells another time'),
  cardNumbers: z
    .enum(['refuse', 'print'])
    .default('refuse')
    .describe('what happens to a till’s text that looks like a whole card number'),
});

const serialDevice = {
  path: filePath().describe('device node or stable link'),
  baudRate: z.number().int().min(300).max(4_000_000).default(115_200),
};

const usbNumber = z.string().regex(/^[0-9A-Fa-f]{4}$/, 'four hexadecimal digits');

const hidDevice = z
  .strictObject({
    path: filePath().optional().describe('hidraw node or stable link'),
    vendorId: usbNumber.optional().describe('with productId, instead of a path: four hexadecimal digits'),
    productId: usbNumber.optional(),
    stream: filePath()
      .optional()
      .describe('a serial line that carries the reports back to back, for a kernel without HID'),
  })
  .refine(
    ({ path, vendorId, productId, stream }) =>
      [path, vendorId, stream].filter((each) => each !== undefined).length === 1 &&
      (vendorId === undefined) === (productId === undefined),
    'one of path, stream, or vendorId and productId',
  );

const readerPath = {
  path: serialDevice.path.optional(),
  baudRate: serialDevice.baudRate,
  hid: hidDevice.optional(),
  serial: z
    .string()
    .regex(/^[\x20-\x7e]{1,126}$/, 'the serial number as the reader tells it')
    .optional()
    .describe('serial number of the reader, which no other then replaces; needed where two equal ones are plugged in'),
};

/** A stream of reports is a serial line of a test: nothing tells its serial number. */
const nameOfDevice = ({
  serial,
  hid,
}: {
  readonly serial?: unknown;
  readonly hid?: { readonly stream?: unknown } | undefined;
}) => serial === undefined || hid?.stream === undefined;
const noSerial = { message: 'a stream has none', path: ['serial'] };

const eitherWay = ({ path, hid }: { readonly path?: unknown; readonly hid?: unknown }) =>
  (path === undefined) !== (hid === undefined);

const neo2Reader = z
  .strictObject({
    driver: z.literal('neo2'),
    ...readerPath,
    quickChip: z
      .boolean()
      .default(false)
      .describe(
        'the reader completes the chip before the host has answered, and the host alone decides; the reader is configured so',
      ),
  })
  .refine(eitherWay, 'either path or hid')
  .refine(nameOfDevice, noSerial);

const mmsReader = z
  .strictObject({ driver: z.literal('mms'), ...readerPath })
  .refine(eitherWay, 'either path or hid')
  .refine(nameOfDevice, noSerial);

/** Further settings belong to the method, which checks them. */
const addedAcquirer = z.looseObject({
  id: z
    .string()
    .regex(/^[A-Z\d_]{1,16}$/, '1 to 16 capitals, digits or _')
    .describe('its name in totals and batches'),
  protocol: z.string().min(1).max(32).describe('names the payment method'),
  ...everyAcquirer,
});

/** Receipts of this merchant have these instead of those of `shop`. */
const merchant = z.strictObject({
  id: merchantId.describe('as requests, answers and acquirers name it'),
  name: z.string().min(1).max(64),
  address: z.string().default(''),
  phone: z.string().default(''),
  email: z.string().default(''),
});

const hexBytes = z.string().regex(/^(?:[0-9A-Fa-f]{2}){1,16}$/, '1 to 16 bytes as hexadecimal');

/** The settings of each part. One schema provides types, checks, defaults and documentation. */
export const settings = z.strictObject({
  stateDir: filePath().default('/var/lib/poid').describe('directory of the journal'),
  timeZone: timeZone
    .optional()
    .describe('time zone of the shop, for receipts, daily settlement and the hosts’ dates; the machine’s if absent'),
  clock: z
    .strictObject({
      whenDoubtful: z
        .enum(['mark', 'refuse'])
        .default('mark')
        .describe('how payments are handled while no time server has set the clock, or the clock is before this build'),
    })
    .prefault({}),
  http: z
    .strictObject({
      host: z.string().default('0.0.0.0'),
      port: port.default(8080),
      hostnames: z
        .array(
          z
            .string()
            .refine(
              (name) => canonicalHostname(name) !== undefined,
              'a host name alone, as till.shop.lan: no scheme, port, path or *',
            )
            .overwrite((name) => canonicalHostname(name) ?? name),
        )
        .default([])
        .describe('names that a Host header may contain besides IP addresses'),
      origins: z
        .array(z.string().refine(isWebOrigin, 'an origin as browsers send it: https://pos.example, no path, no *'))
        .default([])
        .describe('web origins that may call: https://pos.example. None by default, and never all'),
      networks: z
        .array(z.union([z.cidrv4(), z.cidrv6()]))
        .default([])
        .describe('allowed address ranges besides the private ones, as CIDR'),
      tls: z
        .boolean()
        .default(false)
        .describe('HTTPS, with a key and a certificate that the terminal generates at the first start'),
      bodyBytesMax: z.number().int().min(256).max(1_048_576).default(65_536),
      headerBytesMax: z
        .number()
        .int()
        .min(1_024)
        .max(65_536)
        .default(16_384)
        .describe('size of all headers; 431 beyond'),
      connectionsMax: z.number().int().min(1).max(10_000).default(512).describe('open connections at one time'),
      connectionsPerAddressMax: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(128)
        .describe('open connections of one address: a new one replaces the oldest without a due answer'),
      newConnectionsPerSecondMax: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(64)
        .describe('new connections of one address; more are closed unread'),
      pipelinedMax: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(16)
        .describe('requests of one connection that wait for their answer; one more closes it'),
      refusalsMax: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(4)
        .describe(
          'requests of one connection that are refused unread (401, 403, 404, 405, 413, 415); the last closes it',
        ),
      headersMs: milliseconds.default(10_000).describe('how long headers may take; 408 beyond'),
      requestMs: milliseconds.default(15_000).describe('how long headers and body may take; 408 beyond'),
      idleMs: milliseconds.default(5_000).describe('how long a connection may be idle between two requests'),
      unreadMs: milliseconds
        .default(15_000)
        .describe('how long an answer may be sent while its client takes none of it; the connection is closed then'),
    })
    .prefault({}),
  pairing: pairingSettings.prefault({}),
  screen: z
    .strictObject({
      port: port.default(8081),
      outcomeMs: milliseconds.default(5_000).describe('how long an outcome stays before the screen is idle'),
      ...screenStyle,
    })
    .prefault({}),
  shop: z.strictObject({
    name: z.string().min(1),
    address: z.string().default(''),
    phone: z.string().default(''),
    email: z.string().default(''),
    logo: z.string().default(''),
  }),
  merchants: z
    .array(merchant)
    .max(16)
    .default([])
    .describe(
      'several merchants on this terminal, each with acquirers of its own and its header on receipts; the first is the default of a request',
    ),
  reader: z.discriminatedUnion('driver', [neo2Reader, mmsReader]),
  printer: z
    .strictObject({
      driver: z.literal('escpos'),
      ...serialDevice,
      path: filePath().describe(
        'a serial line, or a printer of the USB class (/dev/usb/lp0, without a baud rate); device node or stable link',
      ),
      columns: z.literal(receiptColumns).default(48),
      drawerPin: z
        .union([z.literal(2), z.literal(5)])
        .default(2)
        .describe('pin of the cash drawer’s connector'),
      lineTimeMs: z
        .number()
        .int()
        .min(0)
        .max(1_000)
        .default(30)
        .describe('printing time of one line; the printer is asked about paper only after it'),
    })
    .optional(),
  scanner: z
    .strictObject({
      driver: z.literal('line'),
      ...serialDevice,
      trigger: z
        .strictObject({ on: hexBytes, off: hexBytes })
        .optional()
        .describe('bytes that start and stop it, as hexadecimal'),
    })
    .optional(),
  ...methodEquipment,
  acquirers: z.array(z.discriminatedUnion('protocol', acquirerSchemas)).min(1),
  ...methodSections,
  methods: z.array(addedAcquirer).default([]).describe('acquirers of payment methods that were added to this terminal'),
  options: z
    .record(z.string().regex(/^\w{1,32}$/), z.looseObject({}))
    .default({})
    .describe('sale options that were added to this terminal, by name, each with its settings'),
  posProtocols: z
    .record(z.string().regex(/^\w{1,32}$/), z.looseObject({}))
    .default({})
    .describe('protocols by which POS call, and which were added to this terminal, by name, each with its settings'),
  nexo: nexoSettings
    .optional()
    .describe('POS that speak nexo Retailer in JSON (docs/nexo.md), over HTTPS on a port of their own; none if absent'),
  receipt: receiptSettings.prefault({}),
  counter: counterSettings.prefault({}),
  operator: operatorSettings.prefault({}),
  cloud: cloudSettings.optional().describe('the link to tills and a fleet behind an MQTT broker; none if absent'),
  rules: z
    .strictObject({
      completionTolerancePercent: z
        .number()
        .int()
        .min(0)
        .max(100)
        .default(0)
        .describe('by how much a completion may exceed its auth'),
      ...optionRules,
    })
    .prefault({}),
  ...optionSections,
  settlement: z
    .strictObject({
      dailyAt: z
        .string()
        .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
        .optional()
        .describe('local time of day at which all open batches are settled'),
    })
    .prefault({}),
  retention: z
    .strictObject({
      days: z
        .number()
        .int()
        .min(180)
        .max(36_500)
        .default(400)
        .describe('after this many days settled transactions move from the journal into archive files'),
    })
    .prefault({}),
  timeouts: z
    .strictObject({
      collectMs: milliseconds.default(120_000).describe('how long a customer may take to present a card or a code'),
      collectLeastMs: milliseconds.default(10_000).describe('the least that a request may ask for instead'),
      collectMostMs: milliseconds.default(600_000).describe('the most that a request may ask for instead'),
      ...optionTimeouts,
      pinMs: milliseconds.default(60_000),
      ...methodTimeouts,
      pendingMs: milliseconds
        .default(10_000)
        .describe('how long a payment waits for earlier reversals of its acquirer before it is refused'),
      reversalWaitMs: milliseconds
        .default(5_000)
        .describe('how long an answer waits for the reversal of an unknown outcome'),
      stopMs: z
        .number()
        .int()
        .min(1)
        .max(600_000)
        .default(80_000)
        .describe(
          'how long a stop waits for transactions in flight; the next start concludes the rest. Ten seconds less than ' +
            'TimeoutStopSec of the unit; if it is more, systemd is asked for more time',
        ),
      noRecordGraceMs: milliseconds
        .default(60_000)
        .describe(
          'for how long after its request a reversal is repeated if the host has no record (25): so long the request may ' +
            'linger on a dead connection or at the host. Assumed: twice the usual reply time-out; longer than replyTimeoutMs',
        ),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('serves /metrics for Prometheus on the port of the screen, to programs of this machine alone'),
    })
    .prefault({}),
  updates: updateSettings.optional(),
  fleet: fleetSettings.optional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
});

export type Configuration = z.infer<typeof settings>;

/**
 * Whether a text is an origin exactly as a browser's Origin header has it (RFC 6454, 6.1). Anything else would never
 * match: a path, capitals, a port that is the default; or it would match too much: `*`, and `null` of every sandbox.
 */
export function isWebOrigin(text: string): boolean {
  // Apps that are pages have schemes of their own: capacitor://localhost.
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]*):\/\/[^/?#@\s*]+$/.exec(text) ?? [];
  if (scheme === 'http' || scheme === 'https') return URL.canParse(text) && new URL(text).origin === text;
  return scheme !== '' && scheme !== 'file' && text === text.toLowerCase();
}
