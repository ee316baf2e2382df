import { installedAddon, SystemdSocket } from './systemd-socket.ts';
import { Watchdog, watchdogMs } from './watchdog.ts';

/**
 * Tells systemd how the service is (sd_notify(3)): datagrams of NAME=value lines to the socket that NOTIFY_SOCKET names.
 * Started by hand there is no such socket, and nothing is told.
 */
export interface Supervisor {
  /** It is up: whoever is asked answers. Whether a card can be taken is its status. Told once. */
  ready(): void;
  /** The start takes longer than the unit grants: so long from now at most. */
  extendStart(withinMs: number): void;
  /** From now on it is alive only while this resolves: the watchdog is fed once for each answer. */
  watch(ping: () => Promise<unknown>): void;
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

const nobody: Supervisor = { ready() {}, extendStart() {}, watch() {}, status() {}, stopping() {}, close() {} };

export function openSupervisor(environment: NodeJS.ProcessEnv, options: SupervisorOptions): Supervisor {
  const address = environment['NOTIFY_SOCKET'];
  if (!address) return nobody;
  const socket = openSocket(address, options);
  if (!socket) return nobody;
  const watchdog = new Watchdog(() => socket.tell('WATCHDOG=1'), watchdogMs(environment));
  return {
    ready: () => socket.tell('READY=1'),
    extendStart: (withinMs) => socket.tell(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`),
    watch: (ping) => watchdog.watch(ping),
    status: (text) => socket.tell(`STATUS=${text}`),
    stopping(withinMs) {
      // Ignored where the unit grants more.
      socket.tell(`EXTEND_TIMEOUT_USEC=${withinMs * 1_000}`);
      socket.tell('STOPPING=1');
    },
    close() {
      watchdog.stop();
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
