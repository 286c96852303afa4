/** Metrics of sign-ins to the console. */
import { Counter, type Registry } from 'prom-client';

/** The outcome of an attempt to sign in. */
export type LoginOutcome = 'accepted' | 'refused' | 'slowed';

/** Counts by outcome only: no name or address is used as a label. */
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

  /** An attempt had this outcome. */
  ended(outcome: LoginOutcome): void {
    this.#logins.inc({ outcome });
  }
}
