import type { EventStream } from '../api/event-stream.ts';
import type { Cloud } from './cloud.ts';
import type { FleetSurroundings } from './fleet.ts';
import type { FleetStart } from './fleet-start.ts';
import type { OpenParts } from './open-parts.ts';

type Books = Parameters<Cloud['serve']>[2];

type CloudApi = Omit<Parameters<Cloud['serve']>[0], 'status'> & Pick<FleetSurroundings, 'status'>;

interface ServingParts extends Omit<FleetSurroundings, 'cloud' | 'status' | 'journal'>, Books {
  readonly events: EventStream;
}

/**
 * The terminal is up: it answers calls of the cloud, and what the fleet has sent is good. The fleet's part is loaded where there is
 * one. Closed first: what it still answers needs everything else.
 */
export async function serveCloud(
  { cloud, fleet }: { readonly cloud: Cloud | undefined; readonly fleet: FleetStart | undefined },
  api: CloudApi,
  { events, terminal, ...parts }: ServingParts,
  opened: OpenParts,
): Promise<void> {
  cloud?.serve(api, events, { journal: parts.journal, terminal });
  if (cloud) opened.add(cloud);
  await fleet?.store.confirm();
  if (!fleet || !cloud) return;
  const { openFleet } = await import('./fleet.ts');
  opened.add(openFleet(fleet, { ...parts, status: () => api.status(), cloud }));
}
