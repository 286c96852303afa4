/** Reads definitions of schedules back by their journal offsets. */
import { Injectable } from '@nestjs/common';
import type { EventEnvelope } from '../../engine/decider.js';
import { Journal } from '../../engine/journal.js';
import { Payloads } from '../../engine/payloads.js';
import type { ScheduleCreated } from './schedule.events.js';

/** A `ScheduleCreated` with its journal offset and the body that the schedule publishes. */
export type StoredDefinition = EventEnvelope<ScheduleCreated>;

/** Throws if an offset holds no definition: what the state of a schedule names is never swept. */
@Injectable()
export class StoredDefinitions {
  constructor(
    private readonly journal: Journal,
    private readonly payloads: Payloads,
  ) {}

  /** The definition at an offset. */
  async at(offset: number): Promise<StoredDefinition> {
    return definitionIn(await this.payloads.read(offset), offset);
  }

  /** The definitions at `offsets`, in that order; several are read at once. */
  async *each(offsets: readonly number[]): AsyncGenerator<StoredDefinition> {
    let index = 0;
    for await (const envelope of this.journal.readEach(offsets)) {
      yield definitionIn(envelope, offsets[index]);
      index += 1;
    }
  }
}

function definitionIn(envelope: EventEnvelope | null, offset?: number): StoredDefinition {
  if (envelope !== null && isDefinition(envelope)) return envelope;
  throw new Error(`the journal holds no definition of a schedule at offset ${offset}`);
}

function isDefinition(envelope: EventEnvelope): envelope is StoredDefinition {
  return envelope.event.type === 'ScheduleCreated';
}
