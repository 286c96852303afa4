/**
 * A day of consumer groups in a second: readers that join, read, commit, lose answers, die and
 * leave; topics that grow; power cuts at any change of the disk.
 */
import { Refusal } from '../../../src/grammar/result.js';
import { fullGrant } from '../../../src/http/identity/grant.js';
import { ConsumeCall } from '../../../src/topics/consume/consume-call.js';
import type {
  ConsumerPlace,
  ConsumerSettings,
} from '../../../src/topics/groups/consumer.events.js';
import { recordText } from '../../../src/topics/records/record-text.js';
import type { ConsumerCaller } from '../../../src/topics/sessions/consumers.service.js';
import { topicKind } from '../../../src/topics/topics/topic.events.js';
import { SeededRandom } from '../../simulation/seeded-random.js';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { PlannedCrash, settled } from '../../simulation/simulated-server.js';
import { consumerSettings } from '../../support/consumer-commands.js';
import { GroupHistory, type SeenRecord } from './group-history.js';
import { type GroupWorld, openGroupWorld, ResponseEnd } from './group-world.js';

const second = 1000;
const minute = 60 * second;
const topics = ['t', 'u'];

/** A reader: a client program that knows only what it has processed. */
interface Reader {
  readonly place: ConsumerPlace;
  readonly settings: ConsumerSettings;
  topics: readonly string[];
  /** Whether the reader itself commits what it has processed; otherwise the server does. */
  readonly commits: boolean;
  /** The id of the last answer that the reader received; null = the reader names no answers. */
  received: string | null;
  generation: number | null;
  /** By partition, the offset after the last record processed in this generation. */
  readonly progress: Map<string, number>;
  /** The answer that the reader waits for. */
  waiting: ResponseEnd | null;
  /** Whether the reader has died, and must delete its instance before it reads again. */
  hasDied: boolean;
}

/** An answer as a reader receives it. */
interface Answer {
  readonly id: string;
  readonly generation: number;
  readonly texts: readonly string[];
}

function callerOf({ received }: Reader): Pick<ConsumerCaller, 'by' | 'received'> {
  return { by: null, received };
}

export class GroupSimulation {
  readonly history = new GroupHistory();
  readonly groups = ['commits', 'leaves-it', 'names-answers'];
  /**
   * How often each kind of event happened: a simulation in which nothing happens proves nothing.
   */
  readonly counts = {
    read: 0,
    lost: 0,
    lostUnseen: 0,
    refused: 0,
    died: 0,
    committed: 0,
    stale: 0,
    crashes: 0,
    rebalances: 0,
  };
  private readonly random: SeededRandom;
  private readonly readers: Reader[];
  private current: GroupWorld | null = null;
  private planned: PlannedCrash | null = null;
  private values = 0;
  private isCalm = false;

  constructor(readonly seed: number) {
    this.random = new SeededRandom(seed);
    this.readers = this.groups.flatMap((group) =>
      ['a', 'b', 'c'].map((instance) => this.reader({ group, instance })),
    );
  }

  get world(): GroupWorld {
    if (this.current === null) throw new Error('the simulation has not started');
    return this.current;
  }

  async run(steps: number): Promise<void> {
    const disk = new SimulatedDisk(new SeededRandom(this.seed + 2));
    await disk.makeDirectory('/data');
    await disk.syncDirectory('/');
    await this.start(disk, 1_767_000_000_000);
    for (const topic of topics) await this.world.service.forConsume(topic, null);
    for (let step = 0; step < steps; step += 1) {
      if (this.planned === null && this.random.chance(0.1)) {
        this.planned = new PlannedCrash(this.world.disk, this.random, 1 + this.random.below(30));
      }
      for (let act = 0; act < 4; act += 1) this.act();
      await settled();
      await this.pass(this.random.pick([0, 0, 20, 2 * second, 6 * second, 3 * minute]));
      if (this.isDead) await this.restart();
      this.history.check(this.world);
    }
    await this.comeToRest();
  }

  /** Ends all faults: from now on every reader reads everything, and commits. */
  private async comeToRest(): Promise<void> {
    this.planned = null;
    this.world.disk.afterChange = null;
    this.isCalm = true;
    for (const reader of this.readers) {
      reader.waiting?.breakOff();
      reader.topics = topics;
    }
    await settled();
    for (let round = 0; round < 12; round += 1) {
      for (const reader of this.readers) {
        void this.consume(reader, 0);
        await settled();
        await this.pass(20);
        if (reader.commits) void this.commit(reader);
        await settled();
      }
      await this.pass(6 * second);
      this.history.check(this.world);
    }
    this.history.checkCoverage(this.groups);
  }

  private act(): void {
    if (this.isDead) return;
    const { random } = this;
    const reader = random.pick(this.readers);
    const die = random.next();
    if (die < 0.3) void this.produce();
    else if (die < 0.75) void this.consume(reader, random.pick([0, 50, 5 * second]));
    else if (die < 0.87) void this.commit(reader);
    else if (die < 0.91) this.breakOff(reader);
    else if (die < 0.95) void this.world.consumers.remove(reader.place, callerOf(reader));
    else if (die < 0.98) reader.topics = random.pick([topics, ['t'], ['u']]);
    else this.grow();
  }

  private async produce(): Promise<void> {
    const life = this.world;
    const topic = this.random.pick(topics);
    const log = this.random.pick((await life.topicLogs.logs(topic)) ?? []);
    if (log === undefined || this.isOver(life)) return;
    const partition = Number(log.name.split('/').at(-1));
    const values = Array.from({ length: 1 + this.random.below(4) }, () => `v${this.values++}`);
    const { baseOffset, durable } = log.append(
      values.map((value) => ({ key: null, value: Buffer.from(value) })),
    );
    await durable;
    if (this.isOver(life)) return;
    values.forEach((value, index) => {
      this.history.acknowledged({ topic, partition, offset: baseOffset + index, value });
    });
  }

  /** One call of a reader, from its request to the processing of the answer. */
  private async consume(reader: Reader, timeoutMs: number): Promise<void> {
    const life = this.world;
    const { consumers, sessions, starts, polls, clock } = life;
    if (reader.waiting !== null) return;
    const response = new ResponseEnd();
    reader.waiting = response;
    response.once('close', () => {
      if (reader.waiting === response) reader.waiting = null;
    });
    if (reader.hasDied) await consumers.remove(reader.place, callerOf(reader));
    reader.hasDied = false;
    const until = clock.monotonic() + timeoutMs;
    const options = { settings: reader.settings, strategy: null };
    const who = { grant: fullGrant, ...callerOf(reader) };
    const session = await consumers.enter(reader.place, reader.topics, who, () => {
      return { ok: true, value: options };
    });
    if (session instanceof Refusal || this.isOver(life)) return response.breakOff();
    const call = new ConsumeCall(sessions, starts, session, response.asResponse, who.received);
    if (!(await call.enter(until))) return response.breakOff();
    const terms = {
      until,
      maxRecords: this.isCalm ? 1000 : 1 + this.random.below(6),
      maxBytes: 1000,
    };
    const poll = polls.of(session, { ...terms, encoding: 'text', mayRead: () => true });
    call.watch(() => poll.cancel());
    const polled = await poll.run();
    if ('undecided' in polled || this.isOver(life)) return response.breakOff();
    const { generation } = session;
    for (const { own } of polled.parts) {
      if (!session.positions.owns(own)) this.history.found('read of what was lost', own.topic);
    }
    const id = call.answerId();
    await session.begun;
    // Writing a large answer takes time, in which much may happen.
    if (!this.isCalm) await this.delay(this.random.pick([0, 0, 10, second]));
    if (this.isOver(life) || reader.waiting !== response) return response.breakOff();
    const texts = polled.parts.flatMap(({ own, records }) =>
      records.map((record) => recordText(record, own)),
    );
    this.answered(reader, response, { id, generation, texts });
  }

  private delay(durationMs: number): Promise<void> {
    if (durationMs === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.world.clock.after(durationMs, resolve);
    });
  }

  private answered(reader: Reader, response: ResponseEnd, { id, generation, texts }: Answer): void {
    const fate = this.isCalm ? 1 : this.random.next();
    if (fate < 0.1) {
      this.counts.lost += 1;
      reader.progress.clear();
      response.breakOff();
      return;
    }
    if (fate < 0.15) {
      this.counts.refused += 1;
      reader.progress.clear();
      response.refuse();
      return;
    }
    response.finish();
    // The server counts the answer as written, but the reader, which names its answers, never sees
    // it.
    if (reader.received !== null && fate < 0.3) {
      this.counts.lostUnseen += 1;
      reader.progress.clear();
      reader.hasDied = fate < 0.2;
      return;
    }
    if (reader.received !== null) reader.received = id;
    // A reader that commits what it has processed loses nothing if it dies before the commit.
    if (reader.commits && fate < 0.25) {
      this.counts.died += 1;
      reader.hasDied = true;
      reader.progress.clear();
      return;
    }
    if (reader.generation !== generation) {
      reader.progress.clear();
      this.counts.rebalances += 1;
    }
    reader.generation = generation;
    for (const text of texts) {
      const record = JSON.parse(text) as SeenRecord;
      const place = `${record.topic}/${record.partition}`;
      this.history.read(reader.place.group, record, reader.progress.get(place));
      reader.progress.set(place, record.offset + 1);
      this.counts.read += 1;
    }
  }

  /** Commits what the reader has processed, in the generation that it knows. */
  private async commit(reader: Reader): Promise<void> {
    if (!reader.commits || reader.hasDied || reader.generation === null) return;
    const life = this.world;
    const { views, commits } = life;
    const { group, instance } = reader.place;
    const positions = [...reader.progress].map(([place, offset]) => {
      const [topic = '', partition] = place.split('/');
      return { topic, partition: Number(partition), offset };
    });
    if (positions.length === 0) return;
    const view = views.find(group);
    const isStale = view?.members.has(instance) === true && view.generation !== reader.generation;
    const refusal = await commits.commit(reader.place, positions, reader);
    if (this.isOver(life)) return;
    if (isStale && refusal === null) this.history.found('stale commit taken', group);
    if (refusal !== null) {
      this.counts.stale += 1;
      return;
    }
    this.counts.committed += 1;
    for (const { topic, partition, offset } of positions) {
      this.history.committed(group, `${topic}/${partition}`, offset);
    }
  }

  /** A reader gives up waiting. */
  private breakOff(reader: Reader): void {
    reader.waiting?.breakOff();
    reader.progress.clear();
  }

  private grow(): void {
    const topic = this.random.pick(topics);
    const partitions = this.world.topics.partitionsOf(topic) + 1;
    if (partitions > 6) return;
    const at = this.world.clock.now();
    const changes = { partitions };
    this.world.engine.dispatchAndForget([
      { type: 'AlterTopic', kind: topicKind, id: topic, at, changes } as never,
    ]);
  }

  private get isDead(): boolean {
    return this.planned?.hasHappened === true;
  }

  /** Whether this life of the server has ended, so that no reader gets its answers any more. */
  private isOver(life: GroupWorld): boolean {
    return this.current !== life || this.isDead;
  }

  private async start(disk: SimulatedDisk, at: number): Promise<void> {
    this.current = await openGroupWorld(disk, at, this.random.below(2 ** 31));
  }

  private async restart(): Promise<void> {
    const { clock, failures } = this.world;
    for (const failure of failures) this.history.found('failure', String(failure));
    const disk = this.planned?.image;
    if (disk === null || disk === undefined) throw new Error('nothing has crashed');
    this.planned = null;
    this.counts.crashes += 1;
    for (const reader of this.readers) {
      reader.waiting = null;
      reader.progress.clear();
    }
    await this.start(disk, clock.now() + this.random.pick([0, second, 5 * minute]));
  }

  private async pass(durationMs: number): Promise<void> {
    const { clock } = this.world;
    const until = clock.now() + durationMs;
    for (let due = clock.nextDue(); due !== null && due <= until; due = clock.nextDue()) {
      if (this.isDead) return;
      clock.advance(Math.max(0, due - clock.now()));
      await settled();
    }
    if (!this.isDead) clock.advance(Math.max(0, until - clock.now()));
    await settled();
  }

  private reader(place: ConsumerPlace): Reader {
    const commits = place.group === 'commits';
    return {
      place,
      settings: consumerSettings({
        autoCommit: !commits,
        autoCommitIntervalMs: this.random.pick([100, 5 * second]),
        offsetReset: 'earliest',
        sessionTimeoutMs: 2 * minute,
      }),
      topics: this.random.pick([topics, ['t'], ['u']]),
      commits,
      received: place.group === 'names-answers' ? 'none' : null,
      generation: null,
      progress: new Map(),
      waiting: null,
      hasDied: false,
    };
  }
}
