/**
 * How the attempts of the last day to each origin have ended. This is kept in memory: empty when
 * the process starts, and only for the origins called most recently.
 */
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { AttemptOutcome } from './attempt-outcome.js';

const originsMax = 1024;
const hourMs = 60 * 60 * 1000;
const hoursKept = 24;

/** The last failed attempt. */
export interface OriginFailure {
  /** Unix milliseconds. */
  readonly at: number;
  /** 0 = there was no response, for the reason in `error`. */
  readonly status: number;
  readonly error: string | null;
}

/** An origin as the API shows it. */
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

/** The number of attempts in one hour. */
interface Hour {
  readonly hour: number;
  succeeded: number;
  failed: number;
}

class Origin {
  inFlight = 0;
  lastAt: number | null = null;
  lastFailure: OriginFailure | null = null;
  /** The latest hour is last; hours without attempts are missing. */
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

/** One instance per server. It counts by the hour, for at most 1,024 origins. */
@Injectable()
export class OriginTraffic {
  private readonly origins = new LRUCache<string, Origin>({ max: originsMax });

  constructor(@Inject(provided.clock) private readonly clock: Clock) {}

  /** An attempt to this origin is in flight; `ended` must follow. */
  began(name: string): void {
    this.of(name).inFlight += 1;
  }

  /** `outcome` is null if the attempt was not made. */
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

  /** Reports all origins, those called last first. */
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
