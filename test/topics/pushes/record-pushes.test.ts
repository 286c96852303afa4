/** How records become messages, in a whole server on a clock that the test moves. */
import { urlGroupKind } from '../../../src/messaging/url-groups/url-group.events.js';
import { answered } from '../../simulation/simulated-endpoints.js';
import {
  headerOf,
  minute,
  PushSimulation,
  second,
  startsAt,
} from '../subscriptions/push-simulation.js';

const failing = (body: string) => (sent: string) => answered(sent === body ? 500 : 200);

describe('a subscription', () => {
  it('pushes existing and new records, in the order of each partition', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe();
    await simulation.pass(second);
    await simulation.produce(0, 'c');
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['a', 'b', 'c']);
    expect(simulation.partition()).toMatchObject({ position: 3 });
  });

  it('holds a partition while a record of it is retried, and no other partition', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.produce(1, 'x', 'y');
    simulation.world.answerTo = failing('a');
    await simulation.subscribe({}, { retryDelay: '60000' });
    await simulation.pass(30 * second);
    expect(simulation.bodies.sort()).toEqual(['a', 'x', 'y']);
    simulation.world.answerTo = () => answered(200);
    await simulation.pass(minute);
    expect(simulation.bodies.slice(3)).toEqual(['a', 'b']);
  });

  it('continues after a record that failed for good, which becomes a dead letter', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'bad', 'good');
    simulation.world.answerTo = failing('bad');
    await simulation.subscribe({}, { maxRetries: 2, retryDelay: '1000' });
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['bad', 'bad', 'bad', 'good']);
    expect(await simulation.failed()).toHaveLength(1);
  });

  it('keeps to the rate of its flow control over all partitions', async () => {
    const simulation = await PushSimulation.build();
    for (const partition of [0, 1, 2]) await simulation.produce(partition, `${partition}`);
    const flowControl = { key: 'slow', parallelism: null, rate: 1, periodSeconds: 10 };
    await simulation.subscribe({}, { flowControl });
    await simulation.pass(minute);
    const starts = simulation.world.calls.map(({ startedAt }) => startedAt - startsAt);
    expect(starts).toEqual([0, 10 * second, 20 * second]);
  });

  it('delays each message as its definition says', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe({}, { delayMs: 10 * second });
    await simulation.pass(minute);
    const starts = simulation.world.calls.map(({ startedAt }) => startedAt - startsAt);
    expect(starts).toEqual([10 * second, 20 * second + 1]);
  });

  it('pushes nothing while it is paused, and then continues where it was', async () => {
    const simulation = await PushSimulation.build();
    await simulation.subscribe();
    await simulation.produce(0, 'a');
    await simulation.pass(second);
    await simulation.change({ type: 'PauseSubscription' });
    await simulation.produce(0, 'b', 'c');
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a']);
    await simulation.change({ type: 'ResumeSubscription' });
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['a', 'b', 'c']);
  });

  it('that is paused delivers messages in flight, and nothing after them', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe({}, { delayMs: 10 * second });
    await simulation.pass(second);
    await simulation.change({ type: 'PauseSubscription' });
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a']);
    await simulation.change({ type: 'ResumeSubscription' });
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a', 'b']);
  });

  it('that is deleted pushes no more; messages in flight arrive', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe({}, { delayMs: 10 * second });
    await simulation.pass(second);
    await simulation.change({ type: 'DeleteSubscription', cause: 'request' });
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a']);
    expect(simulation.partition()).toBeNull();
  });

  it('pushes everything of a new topic of the same name', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a');
    await simulation.subscribe();
    await simulation.pass(second);
    await simulation.change({ type: 'DeleteSubscription', cause: 'request' });
    await simulation.subscribe();
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['a', 'a']);
  });

  it('continues when the message that it waits for is canceled', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe({}, { delayMs: minute });
    await simulation.pass(second);
    const [id = ''] = simulation.partition()?.messageIds ?? [];
    const at = simulation.server.clock.now();
    await simulation.ask({ type: 'CancelMessage', kind: 'message', id, at, terms: [] } as never);
    await simulation.pass(2 * minute);
    expect(simulation.bodies).toEqual(['b']);
  });
});

describe('a subscription of a URL group', () => {
  const toGroup = { url: null, groupName: 'group' };
  const endpoints = (simulation: PushSimulation, ...names: readonly string[]) =>
    simulation.ask({
      type: 'UpsertEndpoints',
      kind: urlGroupKind,
      id: 'group',
      at: simulation.server.clock.now(),
      endpoints: names.map((name) => ({ name, url: `https://example.com/${name}` })),
    } as never);

  it('pushes each record to every endpoint before the next one', async () => {
    const simulation = await PushSimulation.build();
    await endpoints(simulation, 'fast', 'slow');
    await simulation.produce(0, 'a', 'b');
    await simulation.subscribe(toGroup, { retryDelay: '60000' });
    simulation.world.answerTo = (_body, { url }) => answered(url.endsWith('slow') ? 500 : 200);
    await simulation.pass(30 * second);
    expect(simulation.bodies).toEqual(['a', 'a']);
    simulation.world.answerTo = () => answered(200);
    await simulation.pass(2 * minute);
    expect(simulation.bodies).toEqual(['a', 'a', 'a', 'b', 'b']);
    const { pushes, published } = await simulation.journal();
    expect(pushes.map(({ event }) => event.messageIds.length)).toEqual([2, 2]);
    expect(published.map(({ event }) => event.bodyOffset === null)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('publishes to a group of a thousand endpoints in one turn', async () => {
    const simulation = await PushSimulation.build();
    const names = Array.from({ length: 1000 }, (_, index) => `${index}`);
    await endpoints(simulation, ...names);
    await simulation.produce(0, 'a');
    await simulation.subscribe(toGroup);
    await simulation.pass(minute);
    const called = simulation.world.calls.map(({ url }) => url.slice(20));
    expect(called.sort()).toEqual([...names].sort());
    const { pushes, published } = await simulation.journal();
    expect(pushes).toHaveLength(1);
    const offsets = published.map(({ offset }) => offset - (pushes[0]?.offset ?? 0));
    expect(offsets).toEqual(names.map((_, index) => index + 1));
  });

  it('waits with its records while the group has no endpoint', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a');
    await simulation.subscribe(toGroup);
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual([]);
    await endpoints(simulation, 'one');
    await simulation.pass(2 * second);
    expect(simulation.bodies).toEqual(['a']);
  });
});

describe('records that are pushed together', () => {
  it('are one message with all that exist, up to the requested number', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b', 'c', 'd', 'e');
    await simulation.subscribe({ maxRecords: 3 });
    await simulation.pass(second);
    const values = simulation.bodies.map((body) =>
      (JSON.parse(body) as { value: string }[]).map(({ value }) => value),
    );
    expect(values).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    const { pushes } = await simulation.journal();
    expect(pushes.map(({ event }) => [event.from, event.until, event.records])).toEqual([
      [0, 3, 3],
      [3, 5, 2],
    ]);
    const [first] = simulation.world.attempts;
    if (first === undefined) throw new Error('nothing arrived');
    expect(headerOf(first, 'content-type')).toBe('application/json');
    expect(headerOf(first, 'stream-topic')).toBe('rides');
    expect(headerOf(first, 'stream-partition')).toBe('0');
    expect(headerOf(first, 'stream-offset')).toBe('0');
  });

  it('are no more than a body can hold, but at least one', async () => {
    const simulation = await PushSimulation.build();
    const megabytes = 'x'.repeat(6 * 1024 * 1024);
    await simulation.produce(0, megabytes, megabytes, `${megabytes}${megabytes}`);
    await simulation.subscribe({ maxRecords: 500 });
    await simulation.pass(second);
    const { pushes } = await simulation.journal();
    expect(pushes.map(({ event }) => event.records)).toEqual([1, 1, 1]);
    expect(simulation.bodies).toHaveLength(3);
  });
});

describe('a record that is gone', () => {
  it('is skipped and counted, which is logged once', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b', 'c', 'd');
    (await simulation.log()).hideBelow(3);
    await simulation.subscribe();
    await simulation.server.pass(second);
    for (let round = 0; round < 10; round += 1) await simulation.server.pass(0);
    expect(simulation.bodies).toEqual(['d']);
    const { pushes } = await simulation.journal();
    expect(pushes).toMatchObject([{ event: { from: 3, until: 4, records: 1, skipped: 3 } }]);
    expect(simulation.server.failures).toEqual([expect.stringContaining('records were skipped')]);
  });

  it('may be the last one: the next record is pushed when it comes', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b');
    (await simulation.log()).hideBelow(2);
    await simulation.subscribe();
    await simulation.pass(second);
    expect(simulation.bodies).toEqual([]);
    await simulation.done(
      (await simulation.log()).append([{ key: null, value: Buffer.from('c') }]).durable,
    );
    await simulation.server.pass(second);
    for (let round = 0; round < 10; round += 1) await simulation.server.pass(0);
    expect(simulation.bodies).toEqual(['c']);
    const { pushes } = await simulation.journal();
    expect(pushes).toMatchObject([{ event: { from: 2, until: 3, skipped: 2 } }]);
  });

  it('is not counted as skipped if compaction left only later records of its key', async () => {
    const simulation = await PushSimulation.build();
    const key = Buffer.from('k');
    const records = ['a', 'b', 'c'].map((value) => ({ key, value: Buffer.from(value) }));
    await simulation.append(0, ...records);
    const log = await simulation.log();
    await simulation.done(log.roll());
    await simulation.done(log.compact({ until: 3, tombstonesBefore: 0 }));
    await simulation.subscribe();
    await simulation.pass(second);
    expect(simulation.bodies).toEqual(['c']);
    const { pushes } = await simulation.journal();
    expect(pushes.map(({ event }) => [event.until, event.skipped])).toEqual([[3, 0]]);
  });

  it('is skipped if no message can hold it', async () => {
    const simulation = await PushSimulation.build();
    // As JSON the record is six times as long, which no turn of the journal can hold.
    await simulation.produce(0, '\u0001'.repeat(8 * 1024 * 1024), 'small');
    await simulation.subscribe({ maxRecords: 500 });
    await simulation.server.pass(second);
    for (let round = 0; round < 10; round += 1) await simulation.server.pass(0);
    const { pushes } = await simulation.journal();
    expect(pushes).toMatchObject([
      { event: { from: 0, until: 1, records: 0, skipped: 1, messageIds: [] } },
      { event: { from: 1, until: 2, records: 1, skipped: 0 } },
    ]);
    expect(simulation.bodies).toEqual([expect.stringContaining('small')]);
  });
});

describe('a subscription and a server that was down', () => {
  it('continues where it was, and waits for messages in flight', async () => {
    const simulation = await PushSimulation.build();
    await simulation.produce(0, 'a', 'b', 'c');
    await simulation.subscribe({}, { delayMs: 10 * second });
    await simulation.pass(15 * second);
    await simulation.restart(minute);
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a', 'b', 'c']);
    const { published } = await simulation.journal();
    expect(published).toHaveLength(3);
  });

  it('stays paused', async () => {
    const simulation = await PushSimulation.build();
    await simulation.subscribe();
    await simulation.change({ type: 'PauseSubscription' });
    await simulation.restart(minute);
    await simulation.produce(0, 'a');
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual([]);
    await simulation.change({ type: 'ResumeSubscription' });
    await simulation.pass(minute);
    expect(simulation.bodies).toEqual(['a']);
  });
});
