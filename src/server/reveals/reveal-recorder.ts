/**
 * Records in the journal that something will be shown in clear, a limited number of times per
 * minute (administration.md 1.5).
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import type { Caller } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { Intake } from '../../http/intake.js';
import { Reveals } from './reveal.entity.js';
import { type RevealedPart, revealKind } from './reveal.events.js';

const minuteMs = 60_000;

/** How many pages may be shown in clear per minute: each is an event. */
export const revealsPerMinute = 60;

/** Names of streams are shorter than this. */
const streamCharactersMax = 1024;

const tooMany = new Refusal(
  'unavailable',
  `${revealsPerMinute} pages were shown in clear within a minute: ask again later`,
  { 'retry-after': '60' },
);
const tooLong = new Refusal('invalid', `stream has more than ${streamCharactersMax} characters`);

/** One instance per server: the bound covers all callers together, as each reveal is an event. */
@Injectable()
export class RevealRecorder {
  private minute = { since: Number.NEGATIVE_INFINITY, recorded: 0 };

  constructor(
    private readonly reveals: Reveals,
    private readonly intake: Intake,
    private readonly life: ProcessLife,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /**
   * Resolves to null once the record for `by` is durable, or to the reason why nothing may be
   * shown.
   */
  async record(part: RevealedPart, by: Caller): Promise<Refusal | null> {
    const { changesNothing } = this.life;
    if (changesNothing !== null) {
      return new Refusal('unavailable', `nothing is shown in clear: ${changesNothing}`);
    }
    if ((part.stream?.length ?? 0) > streamCharactersMax) return tooLong;
    if (!this.takes()) return tooMany;
    const { refusal } = this.intake;
    if (refusal !== null) return refusal;
    const place = { kind: revealKind, id: by.name ?? 'unknown', at: this.clock.now() };
    const outcome = await this.reveals.ask({ type: 'RecordReveal', ...place, ...part }, by);
    return outcome.ok ? null : outcome;
  }

  private takes(): boolean {
    const now = this.clock.monotonic();
    if (now - this.minute.since >= minuteMs) this.minute = { since: now, recorded: 0 };
    if (this.minute.recorded >= revealsPerMinute) return false;
    this.minute.recorded += 1;
    return true;
  }
}
