import { plainLines } from '../base/domain/plain-text.ts';
import { jsonText } from '../base/standard-output.ts';
import type { CommissioningFlags } from './flags.ts';
import { type Fitting, fittingOf } from './devices/fitting.ts';
import { type PluggedDevice, pluggedDevices } from './devices/plugged.ts';

/** `poid devices`: the connected devices, their drivers, and the lines of the configuration for them. */
export async function devicesCommand(flags: CommissioningFlags): Promise<number> {
  const devices = pluggedDevices(flags.root).map((device) => ({ ...device, fits: fittingOf(device) }));
  if (flags.json) console.log(jsonText({ devices }));
  else if (devices.length === 0) console.log('nothing is plugged in: no serial line, no HID device, no printer');
  else console.log(plainLines(devices.map(deviceText).join('\n\n')));
  return 0;
}

function deviceText(device: PluggedDevice & { readonly fits: Fitting | undefined }): string {
  const { node, vendorId, productId, name, serial, links, fits } = device;
  const ids = vendorId === '' ? '' : `${vendorId}:${productId}`;
  return [
    [node, ids, name].filter((each) => each !== '').join('  '),
    ...(serial === '' ? [] : [`  serial number  ${serial}`]),
    ...links.map((each) => `  also           ${each}`),
    ...(fits
      ? [
          `  driver         ${fits.driver}`,
          `  configuration  ${JSON.stringify({ [fits.part]: fits.settings }).slice(1, -1)}`,
        ]
      : ['  driver         none is known to fit: a printer or a scanner of another make may']),
  ].join('\n');
}
