import { cloudSettings } from '../../../config/cloud-settings.ts';
import type { Configuration } from '../../../config/configuration.ts';
import type { PartBoundary } from '../../../observability/part-boundary.ts';
import { CloudCalls } from '../../api/cloud-calls.ts';
import type { PosProtocol } from '../../contracts/pos-protocol.ts';
import type { RequestAuthenticator } from '../../pairing/request-authenticator.ts';
import { Calls } from '../calls.ts';
import type { Cloud } from './open-cloud.ts';

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
