import type { Amount } from '../../domain/amount.ts';
import { numericCode } from '../../domain/currency.ts';
import { encodeTlv } from '../../emv/tlv.ts';
import type { FieldValues } from '../../iso8583/message.ts';
import type { ReversalOrder, SaleOrder } from '../../ports/acquirer-host.ts';
import type { EmvData } from '../../ports/card-reader.ts';
import { cardEnvelope } from './card-envelope.ts';
import type { CarriedField, Dialect, HostFields, HostMessage } from './dialect.ts';

/** Who this terminal is to its host. */
export interface TerminalIdentity {
  /** Field 41, 8 characters. */
  readonly tid: string;
  /** Field 42, 15 characters. */
  readonly mid: string;
  /** Field 24, 3 digits. */
  readonly nii: string;
  /** ISO 3166-1 numeric, 3 digits: tag 9F1A, where the reader did not name the country itself. */
  readonly countryNumeric?: string | undefined;
}

type CarriedValues = Pick<FieldValues<HostFields>, CarriedField>;

/** The 0200 of a sale. Field 48 hides the track 2 data. */
export function saleRequest(dialect: Dialect, terminal: TerminalIdentity, order: SaleOrder): HostMessage {
  const { mti, processingCode, fields } = dialect.sale;
  const values: CarriedValues = {
    ...commonValues(dialect, terminal, order),
    3: processingCode,
    48: cardEnvelope(0x57, order.ksn, order.encryptedTrack2),
    55: chipData(dialect, terminal, order.emv),
  };
  return { mti, fields: carried(values, fields) };
}

/** The 0400 of a sale, or its repeat: field for field what the sale carried. Field 48 hides the card number alone. */
export function reversalRequest(
  dialect: Dialect,
  terminal: TerminalIdentity,
  order: ReversalOrder,
  repeat: boolean,
): HostMessage {
  const { mti, repeatMti, processingCode, fields } = dialect.reversal;
  const values: CarriedValues = {
    ...commonValues(dialect, terminal, order),
    3: processingCode,
    48: cardEnvelope(0x5a, order.ksn, order.encryptedPan),
  };
  return { mti: repeat ? repeatMti : mti, fields: carried(values, fields) };
}

function commonValues(
  dialect: Dialect,
  terminal: TerminalIdentity,
  order: Omit<ReversalOrder, 'ksn' | 'encryptedPan'>,
): CarriedValues {
  return {
    4: amountField(order.amount),
    11: String(order.trace.stan).padStart(6, '0'),
    22: dialect.entryModes[order.entryMode],
    23: order.panSequenceNumber?.padStart(3, '0'),
    24: terminal.nii,
    25: dialect.conditionCode,
    41: terminal.tid,
    42: terminal.mid,
    49: numericCode(order.amount.currency),
    62: String(order.trace.invoice).padStart(6, '0'),
  };
}

/** n12, in minor units of the currency in field 49. */
function amountField({ minor }: Amount): string {
  return minor.toString().padStart(12, '0');
}

/** Field 55, or nothing for a card without a chip. What the dialect does not name stays here. */
function chipData(dialect: Dialect, terminal: TerminalIdentity, emv: EmvData): Uint8Array | undefined {
  if (emv.size === 0) return undefined;
  const country = terminal.countryNumeric === undefined ? undefined : Buffer.from(`0${terminal.countryNumeric}`, 'hex');
  const objects = dialect.emvRequestTags.flatMap((tag): [string, Uint8Array][] => {
    const value = emv.get(tag) ?? (tag === '9F1A' ? country : undefined);
    return value === undefined ? [] : [[tag, value]];
  });
  return encodeTlv(objects);
}

function carried(values: CarriedValues, fields: readonly CarriedField[]): CarriedValues {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}
