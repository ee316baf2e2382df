import { Iso8583Error } from '../../codecs/iso8583/iso8583-error.ts';
import { encodeFrame } from '../../codecs/iso8583/frame.ts';
import { fields1987 } from '../../codecs/iso8583/fields-1987.ts';
import { pack, unpack } from '../../codecs/iso8583/message.ts';
import type {
  AdviceOrder,
  CardAtHand,
  OnlineOrder,
  OriginalReference,
  SettlementOrder,
  UploadOrder,
} from '../../payment/contracts/acquirer-host.ts';
import { compileDialect, type Dialect, type HostMessage } from './dialect.ts';
import { settingNamesOf } from './dialects/check.ts';
import type { DialectFile, MessageName } from './dialects/dialect-schema.ts';
import { Requests } from './request.ts';

/** One part of a sample message; field 0 is the message type, 1 the bitmap. */
export interface SamplePart {
  readonly field: number;
  readonly name: string;
  /** The bytes of the part in hexadecimal; absent for a secret field. */
  readonly bytes?: string;
  /** Text, or bytes in hexadecimal. */
  readonly value: string;
}

export interface SampleMessage {
  readonly kind: MessageName;
  /** The whole frame in hexadecimal; absent if a field of it is secret. */
  readonly frame?: string;
  readonly parts: readonly SamplePart[];
}

const at = new Date('2026-08-25T02:15:30Z');
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const trace = { stan: 123, invoice: 45, batch: 7 };
const hkd = (minor: bigint) => ({ minor, currency: 'HKD' }) as const;

/** An invented card, in the form of a reader's encrypted data. */
const card: CardAtHand = {
  entryMode: 'CHIP',
  panSequenceNumber: '01',
  ksn: bytes('FFFF9876543210E00001'),
  encryptedPan: bytes('D1D2D3D4D5D6D7D8E1E2E3E4E5E6E7E8'),
  encryptedTrack2: bytes('A1A2A3A4A5A6A7A8B1B2B3B4B5B6B7B8C1C2C3C4C5C6C7C8'),
  emv: new Map(
    Object.entries({
      '9F26': '7A788EA6B8A3E733',
      '9F27': '80',
      '9F10': '06011203A0B800',
      '9F37': '52BF4585',
      '9F36': '001C',
      '95': '8000048000',
      '9A': '260825',
      '9C': '00',
      '9F02': '000000003000',
      '5F2A': '0344',
      '82': '1800',
      '9F1A': '0344',
      '9F03': '000000000000',
      '9F33': 'E0F8C8',
      '9F34': '420300',
      '9F35': '22',
      '84': 'A0000000031010',
    }).map(([tag, hex]) => [tag, bytes(hex)]),
  ),
  pin: { format: 'ISO-0', block: bytes('0102030405060708'), ksn: bytes('FFFF9876543210E00002') },
};

const original: OriginalReference = {
  trace,
  operation: 'sale',
  amount: hkd(3000n),
  rrn: '623710000123',
  approvalCode: 'A1B2C3',
  hostTime: '101530',
  hostDate: '0825',
};

const common = { trace, amount: hkd(3000n), card, at };

/** A message of this kind, with invented values. Throws RangeError or Iso8583Error. */
function messageOf(kind: MessageName, requests: Requests, { debit }: Dialect): HostMessage {
  const choices = debit ? ({ account: 'SAVINGS' } as const) : {};
  const own = { ...common, card: { ...card, ...choices } };
  const tip = debit ? {} : { tipMinor: 300n };
  switch (kind) {
    case 'sale':
    case 'auth':
    case 'refund':
      return requests.online({ ...own, operation: kind, ...(kind === 'sale' ? tip : {}) } satisfies OnlineOrder);
    case 'void':
    case 'voidRefund':
      return requests.online({ ...own, operation: kind, original } satisfies OnlineOrder);
    case 'offlineSale':
      return requests.advice({ ...own, operation: kind, approvalCode: 'A1B2C3', ...tip } satisfies AdviceOrder, false);
    case 'completion':
      return requests.advice({ ...own, operation: kind, original } satisfies AdviceOrder, false);
    case 'tipAdjust':
      return requests.advice({ ...own, operation: kind, original, tipMinor: 300n } satisfies AdviceOrder, false);
    case 'reversal':
      return requests.reversal({ ...own, operation: 'sale', reason: 'noAnswer' }, false);
    case 'settlement':
    case 'trailer': {
      const totals = {
        currency: 'HKD',
        sales: { count: 2, minor: 6000n },
        refunds: { count: 1, minor: 1000n },
      } as const;
      return requests.settlement({
        stan: 123,
        batch: 7,
        totals,
        trailer: kind === 'trailer',
        at,
      } satisfies SettlementOrder);
    }
    case 'upload':
      return requests.upload(
        {
          ...own,
          stan: 124,
          operation: 'sale',
          original,
          place: { number: 1, count: 2 },
        } satisfies UploadOrder,
        false,
      );
    case 'signOn':
    case 'keyExchange':
    case 'echo':
    case 'signOff':
      return requests.network(kind, 123, at);
    default:
      return kind satisfies never;
  }
}

function requestsOf(file: DialectFile, dialect: Dialect): Requests {
  const values = Object.fromEntries(settingNamesOf(file).map((name) => [name, '1']));
  const terminal = {
    tid: '12345678',
    mid: '123456789012345',
    nii: '003',
    countryNumeric: '344',
    timeZone: 'Asia/Hong_Kong',
    values,
  };
  return new Requests(dialect, terminal, bytes('FFFF9876543211000001'));
}

/** The kinds of message that a dialect has. */
export function sampleKinds({ messages }: DialectFile): readonly MessageName[] {
  return Object.entries(messages).flatMap(([name, row]) => (row ? [name as MessageName] : []));
}

/** Builds and unpacks a message of one of the dialect's kinds. Throws RangeError or Iso8583Error. */
export function sampleMessage(
  file: DialectFile,
  kind: MessageName,
  dialect: Dialect = compileDialect(file),
): SampleMessage {
  const message = pack(dialect.spec, messageOf(kind, requestsOf(file, dialect), dialect));
  const places: (readonly [field: number, start: number, end: number])[] = [];
  const read = unpack(dialect.spec, message, (field, start, end) => void places.push([field, start, end]));
  const tpdu = dialect.framing.hasTpdu ? bytes('6000030000') : new Uint8Array(0);
  const parts = places.map(([field, start, end]): SamplePart => {
    const name = field === 0 ? 'message type' : field === 1 ? 'bitmap' : (fields1987[field]?.name ?? '');
    if (dialect.secretFields.includes(field)) return { field, name, value: `secret, ${end - start} bytes` };
    const stands = hex(message.subarray(start, end));
    const value = field === 0 ? read.mti : field === 1 ? stands : read.fields[field];
    return { field, name, bytes: stands, value: typeof value === 'string' ? value : hex(value ?? new Uint8Array(0)) };
  });
  const hasSecret = places.some(([field]) => dialect.secretFields.includes(field));
  return { kind, ...(hasSecret ? {} : { frame: hex(encodeFrame({ tpdu, message }, dialect.framing)) }), parts };
}

/** The messages of a dialect that can't be built, with the reason of each. `dialect`: compiled from the file. */
export function sampleFaults(
  file: DialectFile,
  dialect: Dialect = compileDialect(file),
): readonly { readonly kind: MessageName; readonly message: string }[] {
  return sampleKinds(file).flatMap((kind) => {
    try {
      sampleMessage(file, kind, dialect);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError) && !(error instanceof Iso8583Error)) throw error;
      return [{ kind, message: error.message }];
    }
  });
}

function hex(data: Uint8Array): string {
  return Buffer.from(data).toString('hex').toUpperCase();
}
