import { createHash } from 'node:crypto';
import type { Feedback } from './feedback.ts';

/** A rollout's update for one target. */
export interface Deploy {
  readonly filename?: string;
  readonly version?: string;
  readonly content: Buffer;
  /** Of the rollout: forced, soft or download only (hawkBit's action types). */
  readonly type?: 'forced' | 'soft' | 'downloadonly';
  /**
   * Where user confirmation is on (Action.Status.WAIT_FOR_CONFIRMATION): the device must confirm before an update is
   * offered.
   */
  readonly needsConfirmation?: boolean;
  /** Only with a maintenance schedule. */
  readonly maintenanceWindow?: 'available' | 'unavailable';
}

/** As hawkBit's Action.Status names them. */
type ActionStatus =
  | 'WAIT_FOR_CONFIRMATION'
  | 'RUNNING'
  | 'DOWNLOAD'
  | 'DOWNLOADED'
  | 'WARNING'
  | 'FINISHED'
  | 'ERROR'
  | 'CANCELING'
  | 'CANCELED';

/**
 * One action of one target, and its device's feedback (DdiRootController.generateUpdateStatus and
 * generateActionCancelStatus).
 */
export class Action {
  readonly id: number;
  readonly deploy: Required<Omit<Deploy, 'maintenanceWindow'>> & Pick<Deploy, 'maintenanceWindow'>;
  readonly feedback: Feedback[] = [];
  status: ActionStatus = 'RUNNING';
  maintenanceWindow: Deploy['maintenanceWindow'];
  readonly #hashes: { readonly sha1: string; readonly md5: string; readonly sha256: string };

  constructor(id: number, deploy: Deploy) {
    this.id = id;
    this.deploy = { filename: 'poid.raucb', version: '2.0.0', type: 'soft', needsConfirmation: false, ...deploy };
    if (this.deploy.needsConfirmation) this.status = 'WAIT_FOR_CONFIRMATION';
    this.maintenanceWindow = deploy.maintenanceWindow;
    const hashOf = (algorithm: string) => createHash(algorithm).update(deploy.content).digest('hex');
    this.#hashes = { sha1: hashOf('sha1'), md5: hashOf('md5'), sha256: hashOf('sha256') };
  }

  get isActive(): boolean {
    return !['FINISHED', 'ERROR', 'CANCELED'].includes(this.status);
  }

  /** The feedback in short: 'proceeding', 'closed success', 'cancel closed success'. */
  get said(): string[] {
    return this.feedback.map(({ of, execution, finished }) =>
      [...(of === 'deployment' ? [] : [of]), execution, ...(finished === 'none' ? [] : [finished])].join(' '),
    );
  }

  hearDeployment(feedback: Feedback): void {
    this.feedback.push(feedback);
    const { execution, finished } = feedback;
    if (execution === 'closed') this.status = finished === 'failure' ? 'ERROR' : 'FINISHED';
    else if (execution === 'canceled') this.status = 'CANCELED';
    else if (this.status === 'CANCELING') return;
    // "Target REJECTED update": a warning, and the action stays open.
    else if (execution === 'rejected') this.status = 'WARNING';
    else if (execution === 'download') this.status = 'DOWNLOAD';
    else if (execution === 'downloaded') this.status = this.deploy.type === 'downloadonly' ? 'FINISHED' : 'DOWNLOADED';
    else this.status = 'RUNNING';
  }

  hearCancel(feedback: Feedback): void {
    this.feedback.push(feedback);
    const { execution, finished } = feedback;
    if (execution === 'closed') this.status = finished === 'failure' ? 'ERROR' : 'CANCELED';
    // CANCEL_REJECTED: the action continues.
    else if (execution === 'rejected') this.status = 'RUNNING';
  }

  /** A denial leaves it waiting (JpaConfirmationManagement.denyAction): it is offered for confirmation again. */
  hearConfirmation(feedback: Feedback): void {
    this.feedback.push(feedback);
    if (feedback.execution === 'confirmed') this.status = 'RUNNING';
  }

  /** DdiDeploymentBase, or DdiConfirmationBaseAction: calculateDownloadType, calculateUpdateType. */
  describe(
    links: Readonly<Record<string, string>>,
    name: 'deployment' | 'confirmation' = 'deployment',
    sha256 = this.#hashes.sha256,
  ): unknown {
    const { type, filename, version, content } = this.deploy;
    const download = type === 'forced' ? 'forced' : 'attempt';
    const isSkipped = type === 'downloadonly' || this.maintenanceWindow === 'unavailable';
    const hashes = { ...this.#hashes, sha256 };
    return {
      id: String(this.id),
      [name]: {
        download,
        update: isSkipped ? 'skip' : download,
        ...(this.maintenanceWindow === undefined ? {} : { maintenanceWindow: this.maintenanceWindow }),
        chunks: [
          {
            part: 'os',
            version,
            name: 'terminal',
            artifacts: [
              {
                filename,
                hashes,
                size: content.length,
                _links: Object.fromEntries(Object.entries(links).map(([rel, href]) => [rel, { href }])),
              },
            ],
          },
        ],
      },
    };
  }
}
