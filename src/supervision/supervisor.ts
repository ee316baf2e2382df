/**
 * Tells systemd how the service is (sd_notify(3)): datagrams of NAME=value lines to the socket that NOTIFY_SOCKET names.
 * Started by hand there is no such socket, and nothing is told.
 */
export interface Supervisor {
  /** It can take a payment now. Told once. */
  ready(): void;
  /** One sentence for `systemctl status`. */
  status(text: string): void;
  /** `withinMs`: no longer than that from now, whatever the unit says. */
  stopping(withinMs: number): void;
  close(): void;
}

const nobody: Supervisor = { ready() {}, status() {}, stopping() {}, close() {} };

export async function supervisor(
  environment: NodeJS.ProcessEnv,
  onFailure: (error: unknown) => void,
): Promise<Supervisor> {
  // A leading @ stands for the zero byte of Linux's abstract namespace.
  const path = environment['NOTIFY_SOCKET']?.replace(/^@/, '\0');
  if (!path) return nobody;
  // Native code, so it is loaded only where somebody listens.
  const { DgramSocket } = await import('node-unix-socket');
  const socket = new DgramSocket();
  socket.on('error', onFailure);
  const tell = (line: string) => {
    const message = Buffer.from(line);
    try {
      socket.sendTo(message, 0, message.length, path, (error) => error && onFailure(error));
    } catch (error) {
      onFailure(error);
    }
  };
  const watchdog = watchdogMs(environment);
  const timer = watchdog === undefined ? undefined : setInterval(() => tell('WATCHDOG=1'), watchdog);
  return {
    ready: () => tell('READY=1'),
    status: (text) => tell(`STATUS=${text}`),
    stopping(withinMs) {
      // Ignored where the unit grants more.
      tell(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`);
      tell('STOPPING=1');
    },
    close() {
      clearInterval(timer);
      socket.close();
    },
  };
}

/**
 * Half of the time that the unit allows between two signs of life (WATCHDOG_USEC, microseconds). WATCHDOG_PID says whose
 * signs they are, where this process inherited the variables (sd_watchdog_enabled(3)).
 */
function watchdogMs(environment: NodeJS.ProcessEnv): number | undefined {
  const pid = environment['WATCHDOG_PID'];
  if (pid !== undefined && pid !== String(process.pid)) return undefined;
  const limitUs = Number(environment['WATCHDOG_USEC'] ?? Number.NaN);
  return Number.isSafeInteger(limitUs) && limitUs > 0 ? Math.max(1, Math.floor(limitUs / 2000)) : undefined;
}
