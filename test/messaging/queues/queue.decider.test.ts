import fc from 'fast-check';
import type { QueueCommand } from '../../../src/messaging/queues/queue.commands.js';
import { parallelismMax, queueDecider } from '../../../src/messaging/queues/queue.decider.js';
import type { QueueEvent } from '../../../src/messaging/queues/queue.events.js';
import { epochMs, given } from '../../support/given.js';

const address = { kind: 'queue', id: 'it', at: epochMs + 60_000 };
const ensure: QueueCommand = { ...address, type: 'EnsureQueue' };
const pause: QueueCommand = { ...address, type: 'PauseQueue' };
const resume: QueueCommand = { ...address, type: 'ResumeQueue' };
const remove: QueueCommand = { ...address, type: 'DeleteQueue' };
const upsert = (parallelism: number | null, isPaused: boolean | null = null): QueueCommand => ({
  ...address,
  type: 'UpsertQueue',
  parallelism,
  isPaused,
});
const created = (parallelism = 1, isPaused = false): QueueEvent => ({
  type: 'QueueCreated',
  parallelism,
  isPaused,
});
const configured = (parallelism: number, isPaused: boolean): QueueEvent => ({
  type: 'QueueConfigured',
  parallelism,
  isPaused,
});
const queue = (...history: QueueEvent[]) => given(queueDecider, null, ...history);

describe('a queue that does not exist', () => {
  it('is created with parallelism 1 by the first message enqueued to it', () => {
    const { events, state, isFinal } = queue().when(ensure);
    expect(events).toEqual([created(1, false)]);
    expect(state).toMatchObject({ parallelism: 1, isPaused: false });
    expect(isFinal).toBe(false);
  });

  it('is created with the settings of an upsert', () => {
    expect(queue().when(upsert(3, true)).events).toEqual([created(3, true)]);
    expect(queue().when(upsert(null)).events).toEqual([created(1, false)]);
  });

  it('cannot be paused, resumed or deleted', () => {
    expect(queue().when(pause).rejected?.code).toBe('not_found');
    expect(queue().when(resume).rejected?.code).toBe('not_found');
    expect(queue().when(remove).rejected?.code).toBe('not_found');
  });
});

describe('a queue', () => {
  it('is not created twice', () => {
    expect(queue(created(2, true)).when(ensure).events).toEqual([]);
  });

  it('is changed only in the settings that an upsert names', () => {
    expect(queue(created(2, true)).when(upsert(5)).events).toEqual([configured(5, true)]);
    expect(queue(created(2, true)).when(upsert(null, false)).events).toEqual([
      configured(2, false),
    ]);
    expect(queue(created(2, true)).when(upsert(2, true)).events).toEqual([]);
  });

  it('is paused and resumed only once', () => {
    expect(queue(created()).when(pause).events).toEqual([configured(1, true)]);
    expect(queue(created(), configured(1, true)).when(pause).events).toEqual([]);
    expect(queue(created(), configured(1, true)).when(resume).events).toEqual([
      configured(1, false),
    ]);
    expect(queue(created()).when(resume).events).toEqual([]);
  });

  it('remembers when it was created and last changed', () => {
    expect(queue(created(), configured(4, false), configured(4, true)).state).toEqual({
      parallelism: 4,
      isPaused: true,
      createdAt: epochMs,
      updatedAt: epochMs + 2000,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot have a parallelism of %d',
    (parallelism) => {
      expect(queue(created()).when(upsert(parallelism)).rejected?.code).toBe('invalid');
    },
  );

  it('cannot have more parallelism than the server grants', () => {
    expect(queue(created()).when(upsert(parallelismMax)).events).toHaveLength(1);
    expect(queue(created()).when(upsert(parallelismMax + 1)).rejected?.code).toBe('over_limit');
  });

  it('no longer exists once it is deleted, and begins anew', () => {
    const { events, isFinal } = queue(created(7, true)).when(remove);
    expect(events).toEqual([{ type: 'QueueDeleted' }]);
    expect(isFinal).toBe(true);
    expect(queue(created(7, true), { type: 'QueueDeleted' }).when(ensure).events).toEqual([
      created(1, false),
    ]);
  });
});

describe('any history of commands', () => {
  const command = fc.oneof(
    fc.constantFrom(ensure, pause, resume, remove),
    fc
      .tuple(fc.option(fc.integer({ min: -1, max: 20_000 })), fc.option(fc.boolean()))
      .map(([parallelism, isPaused]) => upsert(parallelism, isPaused)),
  );

  it('keeps the parallelism within its limits and repeats no event', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        const history: QueueEvent[] = [];
        for (const each of commands) {
          const { events = [], state } = queue(...history).when(each);
          expect(events.length).toBeLessThanOrEqual(1);
          history.push(...events);
          if (events.length === 0) continue;
          expect(state).toEqual(queue(...history).state);
          expect(queue(...history).when(each).events ?? []).toEqual([]);
          const { parallelism } = state ?? { parallelism: 1 };
          expect(parallelism).toBeGreaterThanOrEqual(1);
          expect(parallelism).toBeLessThanOrEqual(parallelismMax);
        }
      }),
    );
  });
});
