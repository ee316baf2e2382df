import fs from 'node:fs';

/** The part of the serial binding's port that reading takes: a file descriptor and the readiness of it. */
interface PolledPort {
  readonly fd: number | null;
  readonly poller: { once(event: 'readable', done: (error: Error | null) => void): unknown };
  read(buffer: Buffer, offset: number, length: number): Promise<{ buffer: Buffer; bytesRead: number }>;
}

/**
 * Makes an opened serial port notice that its device has gone. A terminal that was hung up reads as 0 bytes at once and
 * for ever; the binding (bindings-cpp 13, its issue 162) reads again without end, takes a whole CPU and never closes.
 * Here 0 bytes are an error, and an error closes the port.
 *
 * It waits first and reads then, without the thread pool: a byte of the reader does not queue behind an fsync.
 * True when it could be done; elsewhere than on Linux the port may be of another kind, and is left as it is.
 */
export function endAtHangUp(port: unknown): boolean {
  if (!isPolled(port)) return false;
  port.read = async (buffer, offset, length) => {
    for (;;) {
      await readable(port);
      if (port.fd === null) throw Object.assign(new Error('the port was closed'), { canceled: true });
      const bytesRead = readNow(port.fd, buffer, offset, length);
      if (bytesRead === 0) throw new Error('the device hung up');
      if (bytesRead !== undefined) return { buffer, bytesRead };
    }
  };
  return true;
}

function readable(port: PolledPort): Promise<void> {
  return new Promise((resolve, reject) => {
    if (port.fd === null) {
      reject(Object.assign(new Error('the port was closed'), { canceled: true }));
      return;
    }
    port.poller.once('readable', (error) => (error ? reject(error) : resolve()));
  });
}

/** The descriptor is non-blocking: nothing, where nothing is there after all. */
function readNow(fd: number, buffer: Buffer, offset: number, length: number): number | undefined {
  try {
    return fs.readSync(fd, buffer, offset, length, null);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK' || code === 'EINTR') return undefined;
    throw error;
  }
}

function isPolled(port: unknown): port is PolledPort {
  return typeof port === 'object' && port !== null && 'fd' in port && 'poller' in port && 'read' in port;
}
