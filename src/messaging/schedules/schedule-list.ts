/**
 * The listing of schedules. States are taken in one moment, which is waited for once; definitions,
 * with their bodies, are read back as the answer is taken: there may be 100,000.
 */
import type { EventEnvelope } from '../../engine/decider.js';
import type { Engine } from '../../engine/engine.js';
import type { Journal } from '../../engine/journal.js';
import { type ScheduleCreated, scheduleKind } from './schedule.events.js';
import type { ScheduleState } from './schedule.machine.js';
import { countOf, type ScheduleListQuery } from './schedule-list.request.js';
import { scheduleObject } from './schedule-object.js';
import type { ScheduledMessages } from './scheduled-messages.projection.js';

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

export class ScheduleList {
  constructor(
    private readonly engine: Engine,
    private readonly journal: Journal,
    private readonly messages: ScheduledMessages,
  ) {}

  /**
   * The answer as JSON in parts, oldest schedules first: an array of all, as the published clients
   * know it, or `{"schedules":[...],"cursor":"..."}` where a page is asked for.
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
    const cursor = last === undefined ? '' : `,"cursor":"${last.firstOffset}"`;
    yield isPage ? `]${cursor}}` : ']';
  }

  /** Schedules that began behind `cursor`, oldest first. */
  private async places(cursor: number): Promise<Place[]> {
    const actors = this.engine.actors(scheduleKind);
    const places: Place[] = [];
    for await (const id of actors.walkIds(looksPerTick)) {
      const firstOffset = actors.firstOffsetOf(id) ?? -1;
      if (firstOffset > cursor) places.push({ id, firstOffset });
    }
    return places.sort((one, other) => one.firstOffset - other.firstOffset);
  }

  /** The schedules as they are now, once all of that is durable; those that are gone are not. */
  private async snapshots(places: readonly Place[]): Promise<Snapshot[]> {
    const actors = this.engine.actors(scheduleKind);
    const snapshots: Snapshot[] = [];
    for (const [index, place] of places.entries()) {
      if (index % wakesPerTick === wakesPerTick - 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const state = actors.find(place.id)?.state as ScheduleState | undefined;
      if (state === undefined) continue;
      const { value, context } = state;
      const states = this.messages.states(place.id, context.messageIds);
      snapshots.push({ ...place, state: { value, context }, states });
    }
    await this.engine.durable();
    return snapshots;
  }

  private async *shown(snapshots: readonly Snapshot[]) {
    const offsets = snapshots.map(({ state }) => state.context.definitionOffset);
    let index = 0;
    for await (const definition of this.journal.readEach(offsets)) {
      const { state, states } = snapshots[index] as Snapshot;
      index += 1;
      yield scheduleObject(definition as EventEnvelope<ScheduleCreated>, state, states);
    }
  }
}
