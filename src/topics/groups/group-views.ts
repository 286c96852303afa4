/**
 * The durable state of consumer groups, which sessions act on and listings show. The engine's own
 * states are ahead of it for the duration of one commit.
 */
import { Injectable } from '@nestjs/common';
import { type Checkpointed, type EventEnvelope, isCheckpoint } from '../../engine/decider.js';
import { type EventListener, type IndexMemory, onePart } from '../../engine/registration.js';
import type { ConsumerGroupEvent } from './consumer-group.events.js';
import type { ConsumerGroupLife } from './consumer-group.machine.js';
import {
  absentGroup,
  type ConsumerGroupState,
  evolveGroup,
  isRemoved,
  shownGroup,
  storedGroup,
} from './consumer-group.state.js';

interface Waiter {
  readonly generation: number;
  readonly resolve: () => void;
}

type StoredGroup = ReturnType<typeof storedGroup.toStored>;
type StoredGroups = readonly (readonly [id: string, life: StoredGroup])[];
type IndexedEvent = ConsumerGroupEvent | Checkpointed<StoredGroup>;

const noView = shownGroup(absentGroup);

/** An index of durable events, stored in snapshots so that a start need not fold groups twice. */
@Injectable()
export class GroupViews {
  private readonly lives = new Map<string, ConsumerGroupLife>();
  private readonly groups = new Map<string, ConsumerGroupState>();
  private readonly waiting = new Map<string, Waiter[]>();
  readonly memory: IndexMemory<StoredGroups> = {
    name: 'consumer groups',
    store: () => onePart([...this.lives].map(([id, life]) => [id, storedGroup.toStored(life)])),
    restore: (stored) => this.restore(stored),
  };
  private readonly listeners: ((group: string, view: ConsumerGroupState) => void)[] = [];

  /**
   * `listener` is called for each changed group, once for all events that became durable together.
   */
  onChanged(listener: (group: string, view: ConsumerGroupState) => void): void {
    this.listeners.push(listener);
  }

  /** Indexes the events of groups. */
  readonly index: EventListener<IndexedEvent> = (envelopes) => {
    const touched = new Set<string>();
    for (const envelope of envelopes) {
      touched.add(envelope.id);
      this.evolve(envelope);
    }
    for (const group of touched) this.show(group);
  };

  /** The group; undefined = there is none. */
  find(group: string): ConsumerGroupState | undefined {
    return this.groups.get(group);
  }

  /** Names of all groups, in the order of their creation. */
  names(): IterableIterator<string> {
    return this.groups.keys();
  }

  /** Number of groups. */
  get size(): number {
    return this.groups.size;
  }

  /**
   * Resolves when this view of the group has reached `generation`, or the group is gone, and
   * sessions have seen that.
   */
  whenAt(group: string, generation: number): Promise<void> {
    if ((this.groups.get(group)?.generation ?? 0) >= generation) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.waiting.get(group) ?? [];
      waiters.push({ generation, resolve });
      this.waiting.set(group, waiters);
    });
  }

  private evolve(envelope: EventEnvelope<IndexedEvent>): void {
    const { id, event } = envelope;
    const life = isCheckpoint(event)
      ? storedGroup.fromStored(event.state)
      : evolveGroup(this.lives.get(id) ?? absentGroup, event, envelope);
    if (isRemoved(life)) {
      this.lives.delete(id);
      this.groups.delete(id);
    } else {
      this.lives.set(id, life);
      this.groups.set(id, shownGroup(life));
    }
  }

  private restore(stored: StoredGroups): void {
    for (const [id, plain] of stored) {
      const life = storedGroup.fromStored(plain);
      this.lives.set(id, life);
      this.groups.set(id, shownGroup(life));
      this.show(id);
    }
  }

  private show(group: string): void {
    const view = this.groups.get(group);
    for (const listener of this.listeners) listener(group, view ?? noView);
    const waiters = this.waiting.get(group);
    if (waiters === undefined) return;
    // A removed group reaches no later generation, so all of its waiters are resolved.
    const reached = view?.generation ?? Number.POSITIVE_INFINITY;
    const left = waiters.filter(({ generation }) => generation > reached);
    if (left.length === 0) this.waiting.delete(group);
    else this.waiting.set(group, left);
    for (const waiter of waiters) if (!left.includes(waiter)) waiter.resolve();
  }
}
