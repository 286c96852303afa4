/**
 * How the attempts of the last day to each origin have ended. It is kept in memory: empty when the
 * process starts, and of those origins alone that were called last.
 */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { AttemptOutcome } from './attempt-outcome.js';

const originsMax = 1024;
const hourMs = 60 * 60 * 1000;
const hoursKept = 24;

/** The last attempt that failed. */
export interface OriginFailure {
  /** Unix milliseconds. */
  readonly at: number;
  /** 0 = there was no response, `error` says why. */
  readonly status: number;
  readonly error: string | null;
}

/** An origin as it is shown. */
export interface OriginReport {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly inFlight: number;
  /** Attempts of the last 24 hours that were answered 2xx, and all others. */
  readonly succeeded: number;
  readonly failed: number;
  /** When the last attempt ended, Unix milliseconds; null = none has. */
  readonly lastAt: number | null;
  readonly lastFailure: OriginFailure | null;
}

/** Attempts of one hour. */
interface Hour {
  readonly hour: number;
  succeeded: number;
  failed: number;
}

class Origin {
  inFlight = 0;
  lastAt: number | null = null;
  lastFailure: OriginFailure | null = null;
  /** The latest last; hours without attempts are not there. */
  readonly hours: Hour[] = [];

  at(hour: number): Hour {
    const last = this.hours.at(-1);
    if (last?.hour === hour) return last;
    const next = { hour, succeeded: 0, failed: 0 };
    this.hours.push(next);
    if (this.hours.length > hoursKept) this.hours.shift();
    return next;
  }
}

/** One for the server. It counts by the hour, of 1,024 origins at most. */
@Injectable()
export class OriginTraffic {
  private readonly origins = new LRUCache<string, Origin>({ max: originsMax });

  constructor(@Inject(provided.clock) private readonly clock: Clock) {}

  /** An attempt to this origin is in flight; `ended` must follow. */
  began(name: string): void {
    this.of(name).inFlight += 1;
  }

  /** `outcome` is null where the attempt was not made, or was cut. */
  ended(name: string, outcome: AttemptOutcome | null): void {
    const origin = this.of(name);
    origin.inFlight = Math.max(0, origin.inFlight - 1);
    if (outcome === null || outcome.cut) return;
    const now = this.clock.now();
    const { status, error } = outcome;
    const hour = origin.at(Math.floor(now / hourMs));
    origin.lastAt = now;
    if (status >= 200 && status < 300 && error === null) hour.succeeded += 1;
    else {
      hour.failed += 1;
      origin.lastFailure = { at: now, status, error };
    }
  }

  /** Those that were called last come first. */
  *report(): Generator<OriginReport> {
    const oldest = Math.floor(this.clock.now() / hourMs) - hoursKept + 1;
    for (const [origin, { inFlight, lastAt, lastFailure, hours }] of this.origins.entries()) {
      const kept = hours.filter(({ hour }) => hour >= oldest);
      const succeeded = kept.reduce((sum, hour) => sum + hour.succeeded, 0);
      const failed = kept.reduce((sum, hour) => sum + hour.failed, 0);
      yield { origin, inFlight, succeeded, failed, lastAt, lastFailure };
    }
  }

  private of(name: string): Origin {
    const known = this.origins.get(name);
    if (known !== undefined) return known;
    const origin = new Origin();
    this.origins.set(name, origin);
    return origin;
  }
}
