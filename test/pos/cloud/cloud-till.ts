import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { Client, mqttFetch } from '../../../src/pos/client/client.ts';
import { PairedKeys } from '../../../src/pos/pairing/paired-keys.ts';
import { eventually, Stage } from '../../e2e/stage.ts';
import type { Broker } from '../../support/broker.ts';

export const terminalName = 'T-1';

/** The terminal may use its own topics; tills may call it and hear their answers, no more. */
export const acl = `
user ${terminalName}
topic readwrite poid/v1/${terminalName}/#
user till
topic write poid/v1/+/call
topic read poid/v1/+/answer/#
topic read poid/v1/+/status
topic read poid/v1/+/events
user thief
topic readwrite #
`;

/** A connection to the broker, with a certificate of this name. It connects again by itself. */
export async function connected(broker: Broker, name: string): Promise<MqttClient> {
  const { ca, certificate, key } = await broker.credentials(name);
  const [authority, cert, privateKey] = await Promise.all([readFile(ca), readFile(certificate), readFile(key)]);
  const secrets = { ca: authority, cert, key: privateKey };
  return connectAsync(broker.url, { protocolVersion: 5, reconnectPeriod: 100, ...secrets });
}

/** A key as pairing leaves it behind. */
export async function pairedKey(stateDir: string, posId: string) {
  const [keyId, key] = [randomBytes(8).toString('hex'), randomBytes(32).toString('hex')];
  await new PairedKeys(stateDir).put({ posId, keyId, key, pairedAt: '2026-01-01T00:00:00.000Z' });
  return { keyId, key };
}

/** The till's side, as docs/cloud.md shows it. */
export function cloudTill(client: MqttClient, key: { keyId: string; key: string }, times: object = {}): Client {
  const fetch = mqttFetch(client, { terminal: terminalName });
  return new Client({ url: `https://${terminalName}.poid`, key, fetch, ...times });
}

/** The settings of a terminal at this broker. */
export async function cloudSettings(broker: Broker) {
  return { url: broker.url, terminal: terminalName, ...(await broker.credentials(terminalName)) };
}

/** A terminal with an EDC host, once it takes calls from this broker: a call before that is lost. */
export async function openCloudStage(broker: Broker): Promise<Stage> {
  const stage = await Stage.open({ configuration: { cloud: await cloudSettings(broker) }, hosts: ['EDC'] });
  await awaitLink(stage);
  return stage;
}

/** Resolves once the terminal takes calls. It may be up before. */
export async function awaitLink(stage: Stage): Promise<void> {
  await eventually(
    () => stage.status(),
    ({ cloud }) => cloud.state === 'connected',
  );
}
