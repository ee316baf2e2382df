import type { Log } from '../../observability/log.ts';
import type { Devices } from './devices.ts';

/** Logs changes of the devices' states. A device that this process lets go at its own end has no trouble. */
export function logStates({ reader, scanner, octopus, printer }: Devices, log: Log) {
  const watched = [reader, scanner, octopus].map((device) =>
    device?.onState((state) => log.info('device', { device: device.name, state })),
  );
  const leavePrinter = printer?.onFaultChange((fault) => {
    const fields = { device: printer.name, state: fault ?? 'ready' };
    if (fault === undefined) log.info('device', fields);
    else log.warn('device', fields);
  });
  return {
    async close() {
      for (const leave of [...watched, leavePrinter]) leave?.();
    },
  };
}
