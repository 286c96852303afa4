/** How records become messages: in a whole server, on a clock that the test moves. */
import { urlGroupKind } from '../../../src/messaging/url-groups/url-group.events.js';
import { answered } from '../../simulation/simulated-endpoints.js';
import { headerOf, minute, PushTown, second, startsAt } from '../subscriptions/push-town.js';

const failing = (body: string) => (sent: string) => answered(sent === body ? 500 : 200);

describe('a subscription', () => {
  it('pushes what there is and what comes, in the order of its partition', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.subscribe();
    await town.pass(second);
    await town.produce(0, 'c');
    await town.pass(second);
    expect(town.bodies).toEqual(['a', 'b', 'c']);
    expect(town.partition()).toMatchObject({ position: 3 });
  });

  it('holds a partition while a record of it is retried, and no other partition', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.produce(1, 'x', 'y');
    town.world.answerTo = failing('a');
    await town.subscribe({}, { retryDelay: '60000' });
    await town.pass(30 * second);
    expect(town.bodies.sort()).toEqual(['a', 'x', 'y']);
    town.world.answerTo = () => answered(200);
    await town.pass(minute);
    expect(town.bodies.slice(3)).toEqual(['a', 'b']);
  });

  it('goes on behind a record that failed for good, which is a dead letter', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'bad', 'good');
    town.world.answerTo = failing('bad');
    await town.subscribe({}, { maxRetries: 2, retryDelay: '1000' });
    await town.pass(minute);
    expect(town.bodies).toEqual(['bad', 'bad', 'bad', 'good']);
    expect(await town.failed()).toHaveLength(1);
  });

  it('keeps to the rate of its flow control over all partitions', async () => {
    const town = await PushTown.build();
    for (const partition of [0, 1, 2]) await town.produce(partition, `${partition}`);
    const flowControl = { key: 'slow', parallelism: null, rate: 1, periodSeconds: 10 };
    await town.subscribe({}, { flowControl });
    await town.pass(minute);
    const starts = town.world.calls.map(({ startedAt }) => startedAt - startsAt);
    expect(starts).toEqual([0, 10 * second, 20 * second]);
  });

  it('delays each message by what its definition says', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.subscribe({}, { delayMs: 10 * second });
    await town.pass(minute);
    const starts = town.world.calls.map(({ startedAt }) => startedAt - startsAt);
    expect(starts).toEqual([10 * second, 20 * second + 1]);
  });

  it('pushes nothing while it is paused, and then goes on where it was', async () => {
    const town = await PushTown.build();
    await town.subscribe();
    await town.produce(0, 'a');
    await town.pass(second);
    await town.change({ type: 'PauseSubscription' });
    await town.produce(0, 'b', 'c');
    await town.pass(minute);
    expect(town.bodies).toEqual(['a']);
    await town.change({ type: 'ResumeSubscription' });
    await town.pass(second);
    expect(town.bodies).toEqual(['a', 'b', 'c']);
  });

  it('that is paused lets what is on its way arrive, and nothing follow it', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.subscribe({}, { delayMs: 10 * second });
    await town.pass(second);
    await town.change({ type: 'PauseSubscription' });
    await town.pass(minute);
    expect(town.bodies).toEqual(['a']);
    await town.change({ type: 'ResumeSubscription' });
    await town.pass(minute);
    expect(town.bodies).toEqual(['a', 'b']);
  });

  it('that is deleted pushes no more; what is on its way arrives', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.subscribe({}, { delayMs: 10 * second });
    await town.pass(second);
    await town.change({ type: 'DeleteSubscription', cause: 'asked' });
    await town.pass(minute);
    expect(town.bodies).toEqual(['a']);
    expect(town.partition()).toBeNull();
  });

  it('pushes the whole topic again once there is another one of its name', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a');
    await town.subscribe();
    await town.pass(second);
    await town.change({ type: 'DeleteSubscription', cause: 'asked' });
    await town.subscribe();
    await town.pass(second);
    expect(town.bodies).toEqual(['a', 'a']);
  });

  it('goes on when the message that it waits for is canceled', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    await town.subscribe({}, { delayMs: minute });
    await town.pass(second);
    const [id = ''] = town.partition()?.messageIds ?? [];
    const at = town.server.clock.now();
    await town.ask({ type: 'CancelMessage', kind: 'message', id, at, terms: [] } as never);
    await town.pass(2 * minute);
    expect(town.bodies).toEqual(['b']);
  });
});

describe('a subscription of a URL group', () => {
  const toGroup = { url: null, groupName: 'town' };
  const endpoints = (town: PushTown, ...names: readonly string[]) =>
    town.ask({
      type: 'UpsertEndpoints',
      kind: urlGroupKind,
      id: 'town',
      at: town.server.clock.now(),
      endpoints: names.map((name) => ({ name, url: `https://example.com/${name}` })),
    } as never);

  it('pushes each record to every endpoint before the next one', async () => {
    const town = await PushTown.build();
    await endpoints(town, 'fast', 'slow');
    await town.produce(0, 'a', 'b');
    await town.subscribe(toGroup, { retryDelay: '60000' });
    town.world.answerTo = (_body, { url }) => answered(url.endsWith('slow') ? 500 : 200);
    await town.pass(30 * second);
    expect(town.bodies).toEqual(['a', 'a']);
    town.world.answerTo = () => answered(200);
    await town.pass(2 * minute);
    expect(town.bodies).toEqual(['a', 'a', 'a', 'b', 'b']);
    const { pushes, published } = await town.journal();
    expect(pushes.map(({ event }) => event.messageIds.length)).toEqual([2, 2]);
    expect(published.map(({ event }) => event.bodyOffset === null)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('publishes to a group of a thousand endpoints in one turn', async () => {
    const town = await PushTown.build();
    const names = Array.from({ length: 1000 }, (_, index) => `${index}`);
    await endpoints(town, ...names);
    await town.produce(0, 'a');
    await town.subscribe(toGroup);
    await town.pass(minute);
    const called = town.world.calls.map(({ url }) => url.slice(20));
    expect(called.sort()).toEqual([...names].sort());
    const { pushes, published } = await town.journal();
    expect(pushes).toHaveLength(1);
    const offsets = published.map(({ offset }) => offset - (pushes[0]?.offset ?? 0));
    expect(offsets).toEqual(names.map((_, index) => index + 1));
  });

  it('waits with its records as long as the group has no endpoint', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a');
    await town.subscribe(toGroup);
    await town.pass(minute);
    expect(town.bodies).toEqual([]);
    await endpoints(town, 'one');
    await town.pass(2 * second);
    expect(town.bodies).toEqual(['a']);
  });
});

describe('records that are pushed together', () => {
  it('are one message, as many as there are and at most as many as are asked for', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b', 'c', 'd', 'e');
    await town.subscribe({ maxRecords: 3 });
    await town.pass(second);
    const values = town.bodies.map((body) =>
      (JSON.parse(body) as { value: string }[]).map(({ value }) => value),
    );
    expect(values).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]);
    const { pushes } = await town.journal();
    expect(pushes.map(({ event }) => [event.from, event.until, event.records])).toEqual([
      [0, 3, 3],
      [3, 5, 2],
    ]);
    const [first] = town.world.attempts;
    if (first === undefined) throw new Error('nothing arrived');
    expect(headerOf(first, 'content-type')).toBe('application/json');
    expect(headerOf(first, 'stream-topic')).toBe('rides');
    expect(headerOf(first, 'stream-partition')).toBe('0');
    expect(headerOf(first, 'stream-offset')).toBe('0');
  });

  it('are no more than a body may hold, but at least one', async () => {
    const town = await PushTown.build();
    const megabytes = 'x'.repeat(6 * 1024 * 1024);
    await town.produce(0, megabytes, megabytes, `${megabytes}${megabytes}`);
    await town.subscribe({ maxRecords: 500 });
    await town.pass(second);
    const { pushes } = await town.journal();
    expect(pushes.map(({ event }) => event.records)).toEqual([1, 1, 1]);
    expect(town.bodies).toHaveLength(3);
  });
});

describe('a record that is no more', () => {
  it('is passed by and counted, which is said once', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b', 'c', 'd');
    (await town.log()).hideBelow(3);
    await town.subscribe();
    await town.server.pass(second);
    for (let round = 0; round < 10; round += 1) await town.server.pass(0);
    expect(town.bodies).toEqual(['d']);
    const { pushes } = await town.journal();
    expect(pushes).toMatchObject([{ event: { from: 3, until: 4, records: 1, skipped: 3 } }]);
    expect(town.server.failures).toEqual([expect.stringContaining('records were not pushed')]);
  });

  it('was the last one: the next one is pushed when it comes', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b');
    (await town.log()).hideBelow(2);
    await town.subscribe();
    await town.pass(second);
    expect(town.bodies).toEqual([]);
    await town.done((await town.log()).append([{ key: null, value: Buffer.from('c') }]).durable);
    await town.server.pass(second);
    for (let round = 0; round < 10; round += 1) await town.server.pass(0);
    expect(town.bodies).toEqual(['c']);
    const { pushes } = await town.journal();
    expect(pushes).toMatchObject([{ event: { from: 2, until: 3, skipped: 2 } }]);
  });

  it('is not missed where later ones of its key are all that compaction left', async () => {
    const town = await PushTown.build();
    const key = Buffer.from('k');
    const records = ['a', 'b', 'c'].map((value) => ({ key, value: Buffer.from(value) }));
    await town.append(0, ...records);
    const log = await town.log();
    await town.done(log.roll());
    await town.done(log.compact({ until: 3, tombstonesBefore: 0 }));
    await town.subscribe();
    await town.pass(second);
    expect(town.bodies).toEqual(['c']);
    const { pushes } = await town.journal();
    expect(pushes.map(({ event }) => [event.until, event.skipped])).toEqual([[3, 0]]);
  });

  it('is passed by where no message can hold it', async () => {
    const town = await PushTown.build();
    // As JSON it is six times as long, which no turn of the journal holds.
    await town.produce(0, '\u0001'.repeat(8 * 1024 * 1024), 'small');
    await town.subscribe({ maxRecords: 500 });
    await town.server.pass(second);
    for (let round = 0; round < 10; round += 1) await town.server.pass(0);
    const { pushes } = await town.journal();
    expect(pushes).toMatchObject([
      { event: { from: 0, until: 1, records: 0, skipped: 1, messageIds: [] } },
      { event: { from: 1, until: 2, records: 1, skipped: 0 } },
    ]);
    expect(town.bodies).toEqual([expect.stringContaining('small')]);
  });
});

describe('a subscription and a server that was down', () => {
  it('goes on where it was, and waits for what was on its way', async () => {
    const town = await PushTown.build();
    await town.produce(0, 'a', 'b', 'c');
    await town.subscribe({}, { delayMs: 10 * second });
    await town.pass(15 * second);
    await town.restart(minute);
    await town.pass(minute);
    expect(town.bodies).toEqual(['a', 'b', 'c']);
    const { published } = await town.journal();
    expect(published).toHaveLength(3);
  });

  it('stays paused', async () => {
    const town = await PushTown.build();
    await town.subscribe();
    await town.change({ type: 'PauseSubscription' });
    await town.restart(minute);
    await town.produce(0, 'a');
    await town.pass(minute);
    expect(town.bodies).toEqual([]);
    await town.change({ type: 'ResumeSubscription' });
    await town.pass(minute);
    expect(town.bodies).toEqual(['a']);
  });
});
