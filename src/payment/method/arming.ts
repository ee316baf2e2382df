/** The device that is armed for one payment. */
export class Arming {
  #armed: Promise<unknown> = Promise.resolve();

  arm<Outcome>(armed: Promise<Outcome>): Promise<Outcome> {
    this.#armed = armed;
    return armed;
  }

  /** Resolves once the device is disarmed. Never rejects. */
  async disarm(): Promise<void> {
    await this.#armed.catch(() => undefined);
  }
}
