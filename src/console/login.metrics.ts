/** What operators see of people who sign in. */
import { Counter, type Registry } from 'prom-client';

/** What became of an attempt to sign in. */
export type LoginOutcome = 'accepted' | 'refused' | 'slowed';

/** Counts by outcome alone: no name and no address is a label. */
export class LoginMetrics {
  readonly #logins: Counter;

  constructor(registry: Registry) {
    this.#logins = new Counter({
      name: 'stepwell_console_logins_total',
      help: 'Attempts to sign in to the console: accepted, refused, or slowed (429).',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of ['accepted', 'refused', 'slowed']) this.#logins.inc({ outcome }, 0);
  }

  /** One attempt has ended so. */
  ended(outcome: LoginOutcome): void {
    this.#logins.inc({ outcome });
  }
}
