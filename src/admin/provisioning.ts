import { configurationSchema, type Configuration } from '../config/configuration.ts';
import type { Json } from '../config/json-file.ts';
import { isKeyReference, type Keys, mapSecrets } from '../config/keys.ts';
import { undecidedLines, withPlainLines } from '../config/undecided-lines.ts';

/** The data that a terminal is provisioned with, as read from one JSON object. */
export interface Provisioning {
  readonly serialNumber: string;
  /** As it is written: each key by its name. */
  readonly text: string;
  readonly configuration: Configuration;
  readonly keys: Keys;
}

/** A fault of the input: its place, and the expected content. Never the value, which may be a key. */
export interface InputFault {
  readonly place: string;
  readonly message: string;
}

const serialNumberPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

export interface ProvisioningOptions {
  /** Sets `security` of card acquirers without it to "none". */
  readonly plainHosts?: boolean;
}

/**
 * Reads the configuration with its keys in clear text and the terminal's serial number. A terminal on a line has a
 * serial number and a time zone of its own, so both are required. `serialNumber`: the one that it has already.
 */
export function parseProvisioning(
  input: Json,
  serialNumber?: string,
  { plainHosts = false }: ProvisioningOptions = {},
): Provisioning | readonly InputFault[] {
  const { serialNumber: given = serialNumber, ...written } = input;
  const settings = plainHosts ? withPlainLines(written) : written;
  const faults: InputFault[] = [];
  if (typeof given !== 'string' || !serialNumberPattern.test(given)) {
    faults.push({ place: 'serialNumber', message: '1 to 32 letters, digits, dots, dashes or underscores' });
  } else if (serialNumber !== undefined && given !== serialNumber) {
    faults.push({ place: 'serialNumber', message: `this terminal is ${serialNumber}` });
  }
  if (settings['timeZone'] === undefined) {
    faults.push({ place: 'timeZone', message: 'the shop’s, a name of the IANA database such as Asia/Hong_Kong' });
  }
  const { named, keys } = nameKeys(settings, (place) => {
    faults.push({ place, message: 'the key itself, as text: the terminal can’t read a key that is stored already' });
  });
  const result = configurationSchema.safeParse(settings);
  for (const { path, message } of result.error?.issues ?? []) {
    const place = path.length > 0 ? path.join('.') : 'the top level';
    if (!faults.some((each) => each.place === place)) faults.push({ place, message });
  }
  for (const { path, message } of result.data ? undecidedLines(result.data) : []) {
    faults.push({ place: path.join('.'), message: `${message} (--plain-hosts sets "none")` });
  }
  if (!result.success || faults.length > 0) return faults;
  const text = `${JSON.stringify(named, null, 2)}\n`;
  return { serialNumber: String(given), text, configuration: result.data, keys };
}

/** Takes the keys out of the settings, and leaves a name in the place of each. */
function nameKeys(settings: Json, onName: (place: string) => void): { readonly named: Json; readonly keys: Keys } {
  const keys: Record<string, string> = {};
  const named = mapSecrets(settings, (value, place, { id }) => {
    if (isKeyReference(value)) onName(place);
    if (typeof value !== 'string') return value;
    const name = keyName(
      String(id),
      place.replace(/^(?:nexo\.)?\w+\.\d+\.(?:security\.tls\.)?/, '').replaceAll('.', '-'),
    );
    keys[name] = value;
    return { credential: name };
  });
  return { named, keys };
}

/** QR and clientKey: qr-client-key. */
function keyName(id: string, field: string): string {
  const words = `${id}-${field.replaceAll(/[A-Z]/g, (capital) => `-${capital}`)}`;
  return words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63);
}
