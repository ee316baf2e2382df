import type { CloudLink } from '../ports/cloud-link.ts';

/** The topic `events`: what GET /sp/v1/events tells, to whoever listens. At most once, as there: the enquiry decides. */
export class EventTopic {
  readonly #link: Pick<CloudLink, 'publish'>;

  constructor(link: Pick<CloudLink, 'publish'>) {
    this.#link = link;
  }

  /** `data`: the fields of the event as JSON. */
  tell(name: 'state' | 'receipt', data: string): void {
    const payload = Buffer.from(`{"event":"${name}",${data.slice(1)}`);
    void this.#link.publish('events', { payload, expiryS: 60 }).catch(() => undefined);
  }
}
