import { installedAddon, SystemdSocket } from './systemd-socket.ts';

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

export interface SupervisorOptions {
  /** systemd can't be told at all, and why: the service goes on without. Called once. */
  readonly onMissing: (error: Error) => void;
  /** One thing could not be told. */
  readonly onFailure: (error: Error) => void;
  readonly addon?: URL;
}

const nobody: Supervisor = { ready() {}, status() {}, stopping() {}, close() {} };

export function openSupervisor(environment: NodeJS.ProcessEnv, options: SupervisorOptions): Supervisor {
  const address = environment['NOTIFY_SOCKET'];
  if (!address) return nobody;
  const socket = openSocket(address, options);
  if (!socket) return nobody;
  const watchdog = watchdogMs(environment);
  const timer = watchdog === undefined ? undefined : setInterval(() => socket.tell('WATCHDOG=1'), watchdog);
  return {
    ready: () => socket.tell('READY=1'),
    status: (text) => socket.tell(`STATUS=${text}`),
    stopping(withinMs) {
      // Ignored where the unit grants more.
      socket.tell(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`);
      socket.tell('STOPPING=1');
    },
    close() {
      clearInterval(timer);
      socket.close();
    },
  };
}

/** A payment matters more than who is told of it: without its addon the service runs on. */
function openSocket(address: string, { onMissing, onFailure, addon = installedAddon }: SupervisorOptions) {
  try {
    return new SystemdSocket(address, onFailure, addon);
  } catch (error) {
    // Node adds who required it, in lines of their own.
    onMissing(new Error((error as Error).message.split('\n')[0]));
    return undefined;
  }
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
