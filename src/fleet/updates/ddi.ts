import * as z from 'zod';

/**
 * Messages of hawkBit's Direct Device Integration API, v1 (eclipse-hawkbit/hawkbit at 67ca1c4,
 * hawkbit-ddi/hawkbit-ddi-api: the classes Ddi… of json/model). Fields that are not needed here are left out; unknown
 * ones are ignored, as hawkBit does.
 */
const link = z.object({ href: z.string().max(4_096) });
const handling = z.enum(['skip', 'attempt', 'forced']);
/** An action's id is a number there; here it is text. */
const actionId = z.string().regex(/^[\w-]{1,64}$/);

/** DdiControllerBase. `sleep` is HH:mm:ss. */
export const controllerBase = z.object({
  config: z.object({ polling: z.object({ sleep: z.string().optional() }).optional() }).optional(),
  _links: z
    .object({
      deploymentBase: link.optional(),
      confirmationBase: link.optional(),
      cancelAction: link.optional(),
      configData: link.optional(),
    })
    .default({}),
});

const artifact = z.object({
  filename: z.string().max(255),
  // Left out there for artifacts that were uploaded long ago: without one a bundle is refused.
  hashes: z.object({ sha256: z.string().nullish() }).default({}),
  size: z.number().int().nonnegative(),
  _links: z.object({ download: link.optional(), 'download-http': link.optional() }).default({}),
});

export type DdiArtifact = z.infer<typeof artifact>;

/** DdiDeployment. `maintenanceWindow` is absent where hawkBit has no schedule for the action. */
const deployment = z.object({
  download: handling,
  update: handling,
  maintenanceWindow: z.enum(['available', 'unavailable']).nullish(),
  chunks: z
    .array(
      z.object({
        part: z.string().max(255),
        version: z.string().max(255),
        name: z.string().max(255),
        artifacts: z.array(artifact).max(100).default([]),
      }),
    )
    .max(100),
});

/** DdiDeploymentBase. */
export const deploymentBase = z.object({ id: actionId, deployment });
/** DdiConfirmationBaseAction: the same, for an action that the device must confirm first. */
export const confirmationBase = z
  .object({ id: actionId, confirmation: deployment })
  .transform(({ id, confirmation }) => ({ id, deployment: confirmation }));

export type DdiDeployment = z.infer<typeof deploymentBase>;

/** DdiCancel: which action is to be stopped. */
export const cancelAction = z.object({ id: actionId, cancelAction: z.object({ stopId: actionId }) });

/**
 * DdiStatus.ExecutionStatus. `rejected` of a deployment is a warning there, and leaves the action open: a refusal is
 * closed.
 */
type DdiExecution =
  | 'closed'
  | 'proceeding'
  | 'canceled'
  | 'scheduled'
  | 'rejected'
  | 'resumed'
  | 'downloaded'
  | 'download';

export interface DdiFeedback {
  readonly execution: DdiExecution;
  readonly finished: 'success' | 'failure' | 'none';
  readonly details: readonly string[];
}

/** DdiConfirmationFeedback. A denial leaves the action waiting there. */
export interface DdiConfirmation {
  readonly confirmation: 'confirmed' | 'denied';
  readonly details: readonly string[];
}

const detailsMax = 20;
const detailCharactersMax = 512;

/** The body of a feedback: DdiActionFeedback. */
export function feedbackBody({ execution, finished, details }: DdiFeedback, at: Date): string {
  const status = { execution, result: { finished }, details: shorten(details) };
  return JSON.stringify({ timestamp: at.getTime(), status });
}

export function confirmationBody({ confirmation, details }: DdiConfirmation): string {
  return JSON.stringify({ confirmation, details: shorten(details) });
}

function shorten(details: readonly string[]): string[] {
  return details.slice(0, detailsMax).map((line) => line.slice(0, detailCharactersMax));
}

/** Milliseconds of HH:mm:ss; undefined if it is none. */
export function sleepMs(sleep: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = /^(\d{1,3}):([0-5]\d):([0-5]\d)$/.exec(sleep ?? '') ?? [];
  if (hours === undefined) return undefined;
  return 1_000 * (3_600 * Number(hours) + 60 * Number(minutes) + Number(seconds));
}
