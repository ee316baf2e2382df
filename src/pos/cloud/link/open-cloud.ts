import { cloudSettings } from '../../../config/cloud-settings.ts';
import type { Configuration } from '../../../config/configuration.ts';
import type { PartBoundary } from '../../../observability/part-boundary.ts';
import { CloudCalls } from '../../api/cloud-calls.ts';
import type { PosProtocol } from '../../contracts/pos-protocol.ts';
import type { RequestAuthenticator } from '../../pairing/request-authenticator.ts';
import { Calls } from '../calls.ts';
import type { Cloud, CloudOptions } from './cloud.ts';

export type { Cloud } from './cloud.ts';

/**
 * The link to tills and a fleet behind a broker. Its library is loaded only if it is configured. Rejects with
 * RangeError if its files can't be read.
 */
export async function openCloud(configuration: Configuration, options: CloudOptions): Promise<Cloud | undefined> {
  const { cloud } = configuration;
  if (!cloud) return undefined;
  const { makeCloud } = await import('./cloud.ts');
  return makeCloud(configuration, cloud, options);
}

interface MqttParts {
  /** The link, which is open later; undefined without a broker. */
  readonly cloud: Pick<Cloud, 'link' | 'root' | 'terminal'> | undefined;
  readonly cloudAuthenticator: RequestAuthenticator | undefined;
  readonly bodyBytesMax: number;
  readonly boundary: Pick<PartBoundary, 'within' | 'outside'>;
}

/** The calls of `sp/v1` as signed messages through an MQTT broker (docs/cloud.md). */
export const mqtt: PosProtocol<NonNullable<Configuration['cloud']>, MqttParts> = {
  name: 'cloud',
  settings: cloudSettings,
  async open({ calls, cloud, cloudAuthenticator: authenticator, bodyBytesMax, boundary, onFailure }) {
    if (!cloud || !authenticator) throw new TypeError('calls through the cloud need a link and an authenticator');
    // A name of digits alone would be an address in a URL.
    const authority = `${cloud.terminal.toLowerCase()}.poid`;
    const answering = new CloudCalls({ calls, authenticator, authority, bodyBytesMax, onFailure });
    const { link, root } = cloud;
    return boundary.within(
      'cloud',
      () => new Calls({ link, root, answer: (call) => boundary.outside(() => answering.answer(call)) }),
    );
  },
};
