import type { Socket } from 'node:net';
import type { Pty } from '../pty.ts';
import type { ReportPort } from '../reader/reports/port.ts';

/** Observes the bytes of one connection. It copies them. */
export interface Tap {
  /** The terminal has sent bytes. */
  came(bytes: Uint8Array): void;
  /** The simulator has sent bytes. */
  left(bytes: Uint8Array): void;
  closed(): void;
}

/** Called for each connection of a line. */
export type OpenTap = () => Tap;

const nothing = (): void => undefined;

/** Observes nothing. */
export const openNoTap: OpenTap = () => ({ came: nothing, left: nothing, closed: nothing });

/** The same serial line, observed by `tap`. */
export function tapPty(pty: Pty, tap: Tap): Pty {
  pty.onData((chunk) => tap.came(chunk));
  return {
    link: pty.link,
    get plugged() {
      return pty.plugged;
    },
    write(bytes) {
      pty.write(bytes);
      if (pty.plugged) tap.left(bytes);
    },
    onData: (listener) => pty.onData(listener),
    unplug: () => pty.unplug(),
    plug: () => pty.plug(),
    close: () => pty.close(),
  };
}

/** The same HID cable, observed by `tap`. */
export function tapReports(port: ReportPort, tap: Tap): ReportPort {
  port.onReport((report) => tap.came(report));
  port.onUnexpected((bytes) => tap.came(bytes));
  return {
    carrier: port.carrier,
    description: port.description,
    link: port.link,
    get plugged() {
      return port.plugged;
    },
    write(bytes) {
      port.write(bytes);
      if (port.plugged) tap.left(bytes);
    },
    onReport: (listener) => port.onReport(listener),
    onUnexpected: (listener) => port.onUnexpected(listener),
    unplug: () => port.unplug(),
    plug: () => port.plug(),
    close: () => port.close(),
  };
}

/** A connection of a socket, from its first byte on. The bytes of `socket.end` are not observed: write them before. */
export function tapSocket(socket: Socket, tap: Tap): void {
  socket.on('data', (chunk: Buffer) => tap.came(chunk));
  socket.once('close', () => tap.closed());
  const write = socket.write.bind(socket) as (...parameters: unknown[]) => boolean;
  socket.write = (...parameters: unknown[]): boolean => {
    const [chunk, encoding] = parameters;
    if (chunk instanceof Uint8Array) tap.left(chunk);
    else if (typeof chunk === 'string') tap.left(Buffer.from(chunk, encodingOf(encoding)));
    return write(...parameters);
  };
}

function encodingOf(given: unknown): BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given) ? given : 'utf8';
}
