/**
 * Lists schedules. States are collected first, and their durability is awaited once. Definitions,
 * with their bodies, are read back while the answer is sent: there may be 100,000.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { cursorAt } from '../../http/cursor.js';
import { Schedules } from './schedule.entity.js';
import type { ScheduleState } from './schedule.machine.js';
import { countOf, type ScheduleListQuery } from './schedule-list.request.js';
import { scheduleObject } from './schedule-object.js';
import type { ScheduledMessages } from './scheduled-messages.projection.js';
import { StoredDefinitions } from './stored-definitions.js';

/**
 * How many ids or states are examined per tick, so that the event loop is not blocked; fewer if
 * states may have to be unpacked.
 */
const itemsPerTick = 4096;
const wakesPerTick = 256;

/** A schedule and the offset of its first event, which overwriting does not change. */
interface Place {
  readonly id: string;
  readonly firstOffset: number;
}

/** Everything that a listing shows of a schedule except its definition. */
interface Snapshot extends Place {
  readonly state: Pick<ScheduleState, 'value' | 'context'>;
  readonly states: ReturnType<ScheduledMessages['states']>;
}

/** A schedule that is deleted while the answer is sent still appears in it. */
@Injectable()
export class ScheduleList {
  constructor(
    private readonly schedules: Schedules,
    private readonly definitions: StoredDefinitions,
  ) {}

  /**
   * The answer as JSON in parts, oldest schedules first: an array of all, which published clients
   * expect, or `{"schedules":[...],"cursor":"..."}` if the query asks for a page.
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

  /** Schedules that began after `cursor`, oldest first. */
  private async places(cursor: number): Promise<Place[]> {
    const { actors } = this.schedules;
    const places: Place[] = [];
    for await (const id of actors.walkIds(itemsPerTick)) {
      const firstOffset = actors.firstOffsetOf(id) ?? -1;
      if (firstOffset > cursor) places.push({ id, firstOffset });
    }
    places.sort((one, other) => one.firstOffset - other.firstOffset);
    // A schedule that is woken during the walk is visited twice.
    return places.filter(({ firstOffset }, at) => firstOffset !== places[at - 1]?.firstOffset);
  }

  /** The schedules as they are now, returned once that is durable; deleted ones are left out. */
  private async snapshots(places: readonly Place[]): Promise<Snapshot[]> {
    const snapshots: Snapshot[] = [];
    for (const [index, place] of places.entries()) {
      if (index % wakesPerTick === wakesPerTick - 1) {
        await nextTick();
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
