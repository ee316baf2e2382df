/** What every attached device has in common. */
export type DeviceState = 'ready' | 'connecting' | 'absent';

export interface Device {
  /** For status and log: 'neo2 at /dev/ttyACM0'. */
  readonly name: string;
  readonly state: DeviceState;
  /** Called at every change of `state`. Returns the way to stop listening. */
  onState(listener: (state: DeviceState) => void): () => void;
  /** Releases the device; it does not reconnect afterwards. */
  close(): Promise<void>;
}

/**
 * absent: nothing answers at the configured path; vanished: it went while in use; timeout: no answer in time;
 * protocol: an answer that the protocol does not allow; refused: the device said no.
 */
export type DeviceErrorCode = 'absent' | 'vanished' | 'timeout' | 'protocol' | 'refused';

/** The one error of devices. Users tell faults by `code`, not by wording. Carries no data that came from a card. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
  readonly code: DeviceErrorCode;

  constructor(code: DeviceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
