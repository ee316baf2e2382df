import { Absences, type DeviceKind, type Devices, openDevices } from '../../main/composition/devices.ts';
import type { Configuration } from '../../config/configuration.ts';
import { systemClock } from '../../base/ports/clock.ts';
import type { Device, DeviceAbsence } from '../../base/ports/device.ts';
import { fail, type Finding, pass } from '../finding.ts';

export interface Counter {
  readonly devices: Devices;
  close(): Promise<void>;
}

/** Opens the devices of a terminal that does not run. */
export async function openCounter(configuration: Configuration): Promise<Counter> {
  const opened: Pick<Device, 'close'>[] = [];
  const absences = new Absences(() => undefined);
  const parts = { onPaperFailure: () => undefined, absences };
  const devices = await openDevices(configuration, systemClock, parts, (device) => {
    opened.push(device);
    return device;
  });
  return {
    devices,
    close: async () => void (await Promise.all(opened.map((each) => each.close()))),
  };
}

/** Waits until the device answers; otherwise returns the reason. */
export async function checkDevice(kind: DeviceKind, { devices }: Counter, patienceMs: number): Promise<Finding> {
  const device = devices[kind];
  if (!device) return { part: kind, verdict: 'SKIPPED', detail: 'not in the configuration' };
  if (await isReady(device, patienceMs)) return pass(kind, `${device.name} is there`);
  return absenceFinding(kind, device.name, devices.absences.of(kind));
}

/** An absent device, and the command for details. */
export function absenceFinding(kind: string, name: string, absence: DeviceAbsence | undefined): Finding {
  const [text, remedy] = absence === undefined ? silent : reasons[absence];
  return fail(kind, `${name}: ${text}`, remedy);
}

const silent = [
  'its line is open, but it does not answer',
  'its power, its cable and its driver in the configuration',
] as const;

const reasons: Readonly<Record<DeviceAbsence, readonly [text: string, remedy: string]>> = {
  unplugged: ['nothing is there', 'plug it in; ls -l /dev/poid /dev/serial/by-id, lsusb'],
  noPermission: ['this user may not open it', 'udevadm control --reload && udevadm trigger; then ls -l its path'],
  busy: ['another program uses it', 'fuser -v its path; systemctl stop that program'],
  wrongIds: ['another device of that vendor is there', 'lsusb; vendorId and productId in the configuration'],
  wrongSerial: [
    'an equal device with another serial number is there',
    'plug in the right one; serial in the configuration',
  ],
  severalFit: [
    'two equal devices are there, and nothing tells which is meant',
    'unplug one; or ls -l /dev/poid, and its serial in the configuration',
  ],
  wrongDevice: ['something else is at its path', 'udevadm info its path; the path in the configuration'],
  failed: ['it can’t be opened', 'journalctl -u poid -p warning -n 50; then its cable'],
};

function isReady(device: Device, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      clearTimeout(timer);
      leave();
      resolve(isThere);
    };
    const timer = setTimeout(() => end(false), patienceMs);
    const leave = device.onState((state) => state === 'ready' && end(true));
    if (device.state === 'ready') end(true);
  });
}
