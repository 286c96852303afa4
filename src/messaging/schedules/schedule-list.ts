/**
 * The listing of schedules. States are taken in one moment, which is waited for once; definitions,
 * with their bodies, are read back as the answer is taken: there may be 100,000.
 */
import { Injectable } from '@nestjs/common';
import { cursorAt } from '../../http/cursor.js';
import { Schedules } from './schedule.entity.js';
import type { ScheduleState } from './schedule.machine.js';
import { countOf, type ScheduleListQuery } from './schedule-list.request.js';
import { scheduleObject } from './schedule-object.js';
import type { ScheduledMessages } from './scheduled-messages.projection.js';
import { StoredDefinitions } from './stored-definitions.js';

/** Looked at per tick, so that many do not hold the event loop; fewer where they are unpacked. */
const looksPerTick = 4096;
const wakesPerTick = 256;

/** A schedule, and the offset of its first event: overwriting does not change that. */
interface Place {
  readonly id: string;
  readonly firstOffset: number;
}

/** What a listing shows of a schedule beside its definition. */
interface Snapshot extends Place {
  readonly state: Pick<ScheduleState, 'value' | 'context'>;
  readonly states: ReturnType<ScheduledMessages['states']>;
}

/**
 * A schedule that is deleted while the answer is taken is still in it: it was there at the moment.
 */
@Injectable()
export class ScheduleList {
  constructor(
    private readonly schedules: Schedules,
    private readonly definitions: StoredDefinitions,
  ) {}

  /**
   * The answer as JSON in parts, oldest schedules first: an array of all, as the published clients
   * know it, or `{"schedules":[...],"cursor":"..."}` where the query is for a page.
   */
  async *texts(query: ScheduleListQuery): AsyncGenerator<string> {
    const isPage = query.count !== null || query.cursor !== null;
    const places = await this.places(query.cursor ?? -1);
    const page = places.slice(0, countOf(query));
    const last = page.length < places.length ? page.at(-1) : undefined;
    const snapshots = await this.snapshots(page);
    yield isPage ? '{"schedules":[' : '[';
    let separator = '';
    for await (const schedule of this.shown(snapshots)) {
      yield separator + JSON.stringify(schedule);
      separator = ',';
    }
    const cursor = last === undefined ? '' : `,"cursor":"${cursorAt(last.firstOffset)}"`;
    yield isPage ? `]${cursor}}` : ']';
  }

  /** Schedules that began behind `cursor`, oldest first. */
  private async places(cursor: number): Promise<Place[]> {
    const { actors } = this.schedules;
    const places: Place[] = [];
    for await (const id of actors.walkIds(looksPerTick)) {
      const firstOffset = actors.firstOffsetOf(id) ?? -1;
      if (firstOffset > cursor) places.push({ id, firstOffset });
    }
    places.sort((one, other) => one.firstOffset - other.firstOffset);
    // A schedule that is woken while it is walked over comes twice.
    return places.filter(({ firstOffset }, at) => firstOffset !== places[at - 1]?.firstOffset);
  }

  /** The schedules as they are now, once all of that is durable; those that are gone are not. */
  private async snapshots(places: readonly Place[]): Promise<Snapshot[]> {
    const snapshots: Snapshot[] = [];
    for (const [index, place] of places.entries()) {
      if (index % wakesPerTick === wakesPerTick - 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const state = this.schedules.find(place.id)?.state;
      if (state === undefined) continue;
      const { value, context } = state;
      const states = this.schedules.messages.states(place.id, context.messageIds);
      snapshots.push({ ...place, state: { value, context }, states });
    }
    return this.schedules.shown(() => snapshots);
  }

  private async *shown(snapshots: readonly Snapshot[]) {
    const offsets = snapshots.map(({ state }) => state.context.definitionOffset);
    const left = snapshots.values();
    for await (const definition of this.definitions.each(offsets)) {
      const { value } = left.next();
      if (value !== undefined) yield scheduleObject(definition, value.state, value.states);
    }
  }
}
