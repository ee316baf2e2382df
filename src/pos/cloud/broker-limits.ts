import type { BrokerLimits } from './session.ts';

/** The properties of a CONNACK that limit what the broker supports. */
export interface AcceptedProperties {
  readonly maximumPacketSize?: unknown;
  readonly maximumQoS?: unknown;
  readonly retainAvailable?: unknown;
}

/** The limits in a CONNACK (MQTT 5, 3.2.2.3), or a sentence with the reason why they are invalid. */
export function limitsOf(properties: AcceptedProperties = {}): Required<BrokerLimits> | string {
  const { maximumPacketSize: size, maximumQoS = 2, retainAvailable = true } = properties;
  const isSize = size === undefined || (typeof size === 'number' && size > 0);
  if (!isSize) return "the broker's Maximum Packet Size is not valid";
  // The library detects neither an invalid nor a duplicate value.
  if (maximumQoS !== 0 && maximumQoS !== 1 && maximumQoS !== 2) return "the broker's Maximum QoS is not valid";
  if (typeof retainAvailable !== 'boolean' && retainAvailable !== 0 && retainAvailable !== 1)
    return "the broker's Retain Available is not valid";
  return { packetBytesMax: size, hasNoQos1: maximumQoS === 0, hasNoRetain: !retainAvailable };
}

/** The features that such a broker does not support, in sentences for the log. */
export function lacksOf({ hasNoQos1 = false, hasNoRetain = false }: BrokerLimits): string[] {
  return [
    ...(hasNoQos1
      ? ['the broker takes QoS 0 only (Maximum QoS 0): messages can be lost, and tills and the books ask again']
      : []),
    ...(hasNoRetain
      ? [
          'the broker retains nothing (Retain Available 0): a client that connects later gets the status at the next change or interval',
        ]
      : []),
  ];
}
