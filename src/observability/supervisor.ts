import { installedAddon, SystemdSocket } from './systemd-socket.ts';
import { Watchdog, watchdogMs } from './watchdog.ts';

/**
 * Reports the service's state to systemd (sd_notify(3)): datagrams of NAME=value lines to the socket in NOTIFY_SOCKET.
 * If the variable is missing, nothing is sent.
 */
export interface Supervisor {
  /** The service is up and answers calls. Its status shows whether a card can be accepted. Sent once. */
  ready(): void;
  /** The start takes longer than the unit allows: `withinMs` from now at most. */
  extendStart(withinMs: number): void;
  /** From now on the watchdog is fed only while `ping` resolves: once for each answer. */
  watch(ping: () => Promise<unknown>): void;
  /** One sentence for `systemctl status`. */
  status(text: string): void;
  /** The stop ends within `withinMs` from now, even if the unit allows less. */
  stopping(withinMs: number): void;
  close(): void;
}

export interface SupervisorOptions {
  /** systemd can't be notified at all; the service runs without. Called once. */
  readonly onMissing: (error: Error) => void;
  /** One notification failed. */
  readonly onFailure: (error: Error) => void;
  readonly addon?: URL;
}

const nobody: Supervisor = { ready() {}, extendStart() {}, watch() {}, status() {}, stopping() {}, close() {} };

export function openSupervisor(environment: NodeJS.ProcessEnv, options: SupervisorOptions): Supervisor {
  const address = environment['NOTIFY_SOCKET'];
  if (!address) return nobody;
  const socket = openSocket(address, options);
  if (!socket) return nobody;
  const watchdog = new Watchdog(() => socket.notify('WATCHDOG=1'), watchdogMs(environment));
  return {
    ready: () => socket.notify('READY=1'),
    extendStart: (withinMs) => socket.notify(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`),
    watch: (ping) => watchdog.watch(ping),
    status: (text) => socket.notify(`STATUS=${text}`),
    stopping(withinMs) {
      // systemd ignores it if the unit allows more.
      socket.notify(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`);
      socket.notify('STOPPING=1');
    },
    close() {
      watchdog.stop();
      socket.close();
    },
  };
}

/** Without its addon the service runs on: payments matter more than notifications. */
function openSocket(address: string, { onMissing, onFailure, addon = installedAddon }: SupervisorOptions) {
  try {
    return new SystemdSocket(address, onFailure, addon);
  } catch (error) {
    // Only the first line: Node adds the requiring modules in further lines.
    onMissing(new Error((error as Error).message.split('\n')[0]));
    return undefined;
  }
}
