/** Interface of all attached devices. */
export type DeviceState = 'ready' | 'connecting' | 'absent';

/**
 * Why a device is absent. unplugged: not connected; noPermission: it may not be opened; busy: another program uses it;
 * wrongIds: another device of that vendor is connected; wrongSerial: an equal device with another serial number is
 * connected; severalFit: two equal devices are connected, and the configuration does not distinguish them; wrongDevice:
 * another kind of device is at the path; failed: anything else.
 */
export const deviceAbsences = [
  'unplugged',
  'noPermission',
  'busy',
  'wrongIds',
  'wrongSerial',
  'severalFit',
  'wrongDevice',
  'failed',
] as const;
export type DeviceAbsence = (typeof deviceAbsences)[number];

/**
 * Called with the reason why a device can't be reached, at every change of it, and before the device's state changes.
 */
export type AbsenceListener = (error: DeviceError, why: DeviceAbsence) => void;

export interface Device {
  /** For status and log: 'neo2 at /dev/ttyACM0'. */
  readonly name: string;
  readonly state: DeviceState;
  /** Calls the listener at every change of `state`. Returns a function that stops it. */
  onState(listener: (state: DeviceState) => void): () => void;
  /** Releases the device, which does not reconnect afterwards. */
  close(): Promise<void>;
}

/**
 * absent: no device answers at the configured path. vanished: it disappeared while in use. timeout: no answer in time.
 * protocol: an answer that violates the protocol. refused: the device refused.
 */
export type DeviceErrorCode = 'absent' | 'vanished' | 'timeout' | 'protocol' | 'refused';

/** The error class of all devices. Callers distinguish faults by `code`, not by wording. Contains no card data. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly code: DeviceErrorCode;

  constructor(code: DeviceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
