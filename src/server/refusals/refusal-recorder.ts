/**
 * Records refused requests in the journal, a limited number per minute: any client can send any
 * number of refused requests, but what they cost the disk is bounded.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { provided } from '../../engine/provided.js';
import { Intake } from '../../http/intake.js';
import type { RefusedRequest } from '../inbound/refused-requests.js';
import type { CountRefusals, RecordRefusal } from './refusal-record.commands.js';
import { allAddresses, refusalRecordKind } from './refusal-record.events.js';

const minuteMs = 60_000;

/**
 * How many are recorded per minute, in all and from one address; further ones are counted, in one
 * event for all.
 */
export const recordedPerMinute = { all: 60, address: 10 } as const;

/** A minute that began with a refused request. */
interface Minute {
  readonly since: number;
  recorded: number;
  counted: number;
  readonly byAddress: Map<string, number>;
  readonly cancel: () => void;
}

/** Requests beyond the bound of a minute become one event with a count, at its end. */
@Injectable()
export class RefusalRecorder {
  private minute: Minute | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly intake: Intake,
    @Inject(provided.clock) private readonly clock: Clock,
  ) {}

  /** Called when a request was refused. */
  readonly record = ({ caller, reason, method, route }: RefusedRequest): void => {
    this.minute ??= this.begin();
    if (!this.takes(this.minute, caller.address)) {
      this.minute.counted += 1;
      return;
    }
    const id = caller.address === '' ? 'unknown' : caller.address;
    const place = { kind: refusalRecordKind, id, at: this.clock.now() };
    const command: RecordRefusal = { type: 'RecordRefusal', ...place, reason, method, route };
    // No answer waits for this, and the engine's watch reports defects.
    this.engine.dispatch([command], caller).catch(() => undefined);
  };

  /** Records what is counted so far, and stops counting. */
  stop(): void {
    this.minute?.cancel();
    this.end();
  }

  private begin(): Minute {
    const cancel = this.clock.after(minuteMs, () => this.end());
    const since = this.clock.now();
    return { since, recorded: 0, counted: 0, byAddress: new Map(), cancel };
  }

  private takes(minute: Minute, address: string): boolean {
    const ofAddress = minute.byAddress.get(address) ?? 0;
    const isOver = minute.recorded >= recordedPerMinute.all;
    // If the disk is nearly full, refused requests are only counted.
    const hasRoom = this.intake.refusal === null;
    if (isOver || ofAddress >= recordedPerMinute.address || !hasRoom) return false;
    minute.byAddress.set(address, ofAddress + 1);
    minute.recorded += 1;
    return true;
  }

  private end(): void {
    const { minute } = this;
    this.minute = null;
    if (minute === null || minute.counted === 0) return;
    const { counted: count, since } = minute;
    const place = { kind: refusalRecordKind, id: allAddresses, at: this.clock.now() };
    const command: CountRefusals = { type: 'CountRefusals', ...place, count, since };
    this.engine.dispatchAndForget([command]);
  }
}
