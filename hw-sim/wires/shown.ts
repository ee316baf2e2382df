import { hexOf, unreadable } from './decode/field.ts';
import type { Decoded, Field, Frame } from './frame.ts';
import { type ProtocolName, protocols } from './protocol.ts';

/** A frame as the control API shows it. */
export interface ShownFrame {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly line: string;
  readonly protocol: ProtocolName;
  readonly connection: number;
  readonly direction: Frame['direction'];
  readonly kind: Frame['kind'];
  readonly length: number;
  readonly reports?: number;
  readonly summary: string;
  /** True for the terminal's polling of its devices and their answers; otherwise absent. */
  readonly polling?: true;
}

export interface ShownWhole extends ShownFrame {
  readonly problem?: string;
  /** Hexadecimal; ** for each byte that is not shown. */
  readonly bytes: string;
  readonly fields: readonly ShownField[];
}

export interface ShownField extends Omit<Field, 'fields'> {
  readonly fields?: readonly ShownField[];
}

const hiddenByte = '**';

const polling = /^(?:DLE EOT|status ·|poll\b|100020 |status by itself · all well)/;

export function shownFrame(frame: Frame, protocol: ProtocolName): ShownFrame {
  return head(frame, protocol, decoded(frame, protocol));
}

export function shownWhole(frame: Frame, protocol: ProtocolName): ShownWhole {
  const read = decoded(frame, protocol);
  return {
    ...head(frame, protocol, read),
    ...(read.problem !== undefined && { problem: read.problem }),
    bytes: bytesText(frame.payload, read.fields),
    fields: read.fields,
  };
}

function head(frame: Frame, protocol: ProtocolName, { summary }: Decoded): ShownFrame {
  const { id, atMs, line, connection, direction, kind, wireBytes, reports } = frame;
  const at = new Date(atMs).toISOString();
  const more = reports === undefined ? {} : { reports };
  return {
    id,
    at,
    line,
    protocol,
    connection,
    direction,
    kind,
    length: wireBytes,
    ...more,
    summary,
    ...(polling.test(summary) && { polling: true }),
  };
}

function decoded({ kind, payload, direction, connection, decode }: Frame, protocol: ProtocolName): Decoded {
  switch (kind) {
    case 'frame':
      return (decode ?? protocols[protocol].decode)(payload, direction);
    case 'noise':
      return unreadable(payload, 'bytes that are no frame');
    case 'opened':
    case 'closed':
      return { summary: `connection ${connection} ${kind}`, fields: [] };
    default:
      return kind satisfies never;
  }
}

function bytesText(payload: Buffer, fields: readonly Field[]): string {
  const bytes = Array.from(payload, (byte) => hexOf(Buffer.of(byte)));
  const hide = (given: readonly Field[]): void => {
    for (const { at, length, secret, fields: inner = [] } of given) {
      if (secret === true) bytes.fill(hiddenByte, at, at + length);
      hide(inner);
    }
  };
  hide(fields);
  return bytes.join('');
}
