import type { EventStream } from '../../pos/api/event-stream.ts';
import { systemClock } from '../../base/ports/clock.ts';
import type { PartBoundary } from '../../observability/part-boundary.ts';
import type { Cloud } from '../../pos/cloud/link/open-cloud.ts';
import type { ScreenServer } from '../../screen/server.ts';
import type { FleetOptions } from '../../fleet/adoption/fleet.ts';
import type { FleetStart } from '../../fleet/adoption/fleet-start.ts';
import type { OpenParts } from './open-parts.ts';

type Books = Parameters<Cloud['serve']>[2];

type CloudApi = Parameters<Cloud['serve']>[0];

interface ServingParts extends Omit<FleetOptions, 'cloud' | 'clock' | 'journal' | 'terminal'>, Books {
  readonly terminal: Books['terminal'] & FleetOptions['terminal'];
  readonly events: EventStream;
  readonly screen: Pick<ScreenServer, 'serveFleet'>;
}

interface CloudStart {
  readonly cloud: Cloud | undefined;
  readonly fleet: FleetStart | undefined;
  readonly boundary: PartBoundary;
}

/**
 * The terminal is up: it answers calls of the cloud, and confirms the fleet's configuration. The fleet's part is loaded
 * only if configured. Closed first, because its last answers need all other parts.
 */
export async function serveCloud(
  { cloud, fleet, boundary }: CloudStart,
  api: CloudApi,
  { screen, events, terminal, ...parts }: ServingParts,
  opened: OpenParts,
): Promise<void> {
  boundary.within('cloud', () => cloud?.serve(api, events, { journal: parts.journal, terminal }));
  if (cloud) opened.add(cloud);
  if (!fleet) return;
  const { confirmFleet } = await import('../../fleet/adoption/fleet-start.ts');
  await confirmFleet(fleet);
  if (!cloud) return;
  screen.serveFleet(async () => ({ ...fleet.store.kept.good?.signed, dropped: fleet.keys.dropped }));
  const { openFleet } = await import('../../fleet/adoption/fleet.ts');
  // Calls to the terminal are not part of the link.
  const asked: FleetOptions['terminal'] = {
    get running() {
      return terminal.running;
    },
    runLast: (work) => boundary.outside(() => terminal.runLast(work)),
  };
  opened.add(
    boundary.within('cloud', () => openFleet(fleet, { ...parts, clock: systemClock, terminal: asked, cloud })),
  );
}
