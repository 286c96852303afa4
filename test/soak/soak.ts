/**
 * A server under load on a small disk, swept several times a second, which dies, whose clock steps
 * and whose disk fills up, for as long as it is asked to. What it has acknowledged has to be there.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeededRandom } from '../simulation/seeded-random.js';
import { freePort } from '../support/program/server-process.js';
import { takeAll } from '../support/program/small-file-system.js';
import { type Cost, differences, SoakedServer } from '../support/program/soaked-server.js';
import { Clients, pause } from './clients.js';
import { MessageLoad } from './message-load.js';
import { OperatorLoad } from './operator-load.js';
import { RunLoad } from './run-load.js';
import { ServerClock } from './server-clock.js';
import { Sink } from './sink.js';
import { TopicLoad } from './topic-load.js';

const retentions = { logMs: 2000, letterMs: 90_000 };

const environment = {
  STEPWELL_JOURNAL_RETENTION: 'sweep',
  STEPWELL_LOG_RETENTION: `${retentions.logMs / 1000}s`,
  STEPWELL_DLQ_RETENTION: `${retentions.letterMs / 1000}s`,
  STEPWELL_LOG_LEVEL: 'info',
};

/** Clients of each kind that ask at once. */
const clientsOf = { messages: 14, runs: 3, topics: 3, operators: 1 };

/** Soaks that are longer let the server live until it has looked at its topics. */
const longMs = 60_000;
const keeperMs = 65_000;

/** So much time passes in each round, beside a step of half a minute: a leap to no sweep. */
const passingMs = 20_000;

/** What is due at a time of a leap waits for the clock to come there again. */
const leapMs = 120_000;

/** What may go wrong. */
export type Fault = 'kill' | 'killInSweep' | 'sayAndDie' | 'clockStep' | 'fullDisk';

export class Soak {
  readonly costs: Cost[] = [];
  readonly happened = new Map<string, number>();
  /** Lines of errors that the server has logged, and what it remembered otherwise than before. */
  readonly problems: string[] = [];
  /** Records that sweeps have removed, and how many sweeps there were. */
  sweeps = 0;
  removed = 0;
  /** Times it died of a change of a segment that was being rewritten. */
  diedInSweeps = 0;
  private isOver = false;
  private readonly working: Promise<void>[] = [];

  private constructor(
    private server: SoakedServer,
    readonly clock: ServerClock,
    readonly clients: Clients,
    readonly sink: Sink,
    private readonly parent: string,
    private readonly random: SeededRandom,
    readonly messages: MessageLoad,
    readonly runs: RunLoad,
    readonly topics: TopicLoad,
    readonly operators: OperatorLoad,
  ) {}

  /** Starts the server in a folder below `parent`, and what there has to be before the load. */
  static async begin(parent: string, random: SeededRandom): Promise<Soak> {
    const port = await freePort();
    const sink = await Sink.start(random);
    const clients = new Clients(`http://127.0.0.1:${port}`);
    const clock = new ServerClock();
    const server = await startOn(parent, port, clock);
    const soak = new Soak(
      server,
      clock,
      clients,
      sink,
      parent,
      random,
      new MessageLoad(clients, sink, clock, random, retentions),
      await RunLoad.start(clients, clock, random, retentions.letterMs),
      new TopicLoad(clients, sink, random),
      new OperatorLoad(clients, sink, random),
    );
    await soak.operators.begin();
    await soak.topics.begin();
    return soak;
  }

  /** Puts it under load for `durationMs`, with one of `faults` every few seconds. */
  async run(durationMs: number, faults: readonly Fault[]): Promise<void> {
    const { random } = this;
    const until = Date.now() + durationMs;
    this.load();
    for (let round = 0; Date.now() < until; round += 1) {
      await pause(1500 + random.below(1500));
      await this.suffer(faults[round % faults.length] ?? 'kill');
      this.setClock(this.clock.aheadMs + passingMs);
      if (durationMs > longMs && round % 8 === 7) await this.live(keeperMs);
      if (round % 4 === 3) this.costs.push(await this.server.cost());
    }
  }

  /** Lets the server live; ten minutes pass, as long as ids of deduplication are known. */
  private async live(durationMs: number): Promise<void> {
    for (const until = Date.now() + durationMs; Date.now() < until; ) {
      await pause(2000);
      this.setClock(this.clock.aheadMs + passingMs);
    }
  }

  /** Ends the load and the faults, and waits for what was acknowledged to arrive. */
  async comeToRest(withinMs: number): Promise<void> {
    this.isOver = true;
    await Promise.all(this.working);
    // What was to wait by a clock that was set back since is due.
    this.setClock(this.clock.aheadAtMost + 10_000);
    await this.runs.settle(withinMs);
    let until = Date.now() + withinMs;
    const { texts, records } = this.sink;
    let left = texts.missing.length + records.missing.length;
    // A partition is pushed message by message: as long as something arrives there is hope.
    while (left > 0 && Date.now() < until) {
      await pause(100);
      const now = texts.missing.length + records.missing.length;
      if (now < left) until = Date.now() + withinMs;
      left = now;
    }
  }

  /** Ends everything; the exit code of the server. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.isOver = true;
    const code = await this.server.kill(signal);
    this.listen();
    await this.runs.stop();
    await this.sink.stop();
    return code;
  }

  get folder(): string {
    return folderIn(this.parent);
  }

  private load(): void {
    const { messages, runs, topics, operators } = this;
    const loads = { messages, runs, topics, operators };
    for (const [name, count] of Object.entries(clientsOf)) {
      const load = loads[name as keyof typeof loads];
      for (let client = 0; client < count; client += 1) this.working.push(this.work(load));
    }
  }

  private async work(load: { act(): Promise<void> }): Promise<void> {
    while (!this.isOver) {
      await load.act();
      await pause(this.random.below(60));
    }
  }

  private async suffer(fault: Fault): Promise<void> {
    this.happened.set(fault, (this.happened.get(fault) ?? 0) + 1);
    switch (fault) {
      case 'kill':
        await this.server.kill();
        return this.restart();
      case 'killInSweep':
        if (await this.server.dieAt(1 + this.random.below(40), 4000)) this.diedInSweeps += 1;
        return this.restart();
      case 'sayAndDie':
        await this.server.sayAndDie();
        await this.restart();
        for (const name of await differences(stateFileIn(this.parent))) {
          this.problems.push(`${name} is not remembered as it was`);
        }
        return;
      case 'clockStep':
        return this.stepClock();
      case 'fullDisk':
        return this.fillDisk();
    }
  }

  /** Ahead and back: no sweep believes a leap of more than a minute. */
  private async stepClock(): Promise<void> {
    const { random, server } = this;
    const before = this.clock.aheadMs;
    this.setClock(before + random.pick([-5000, 15_000, 30_000, leapMs]));
    if (this.clock.aheadMs - before < leapMs) return;
    await pause(500);
    server.setClock(before);
    this.clock.aheadMs = before;
  }

  private setClock(aheadMs: number): void {
    this.clock.aheadMs = aheadMs;
    this.clock.now();
    this.server.setClock(aheadMs);
  }

  private async fillDisk(): Promise<void> {
    const giveBack = await takeAll(this.parent);
    await Promise.race([pause(1000 + this.random.below(1000)), this.server.gone()]);
    await giveBack();
    // The journal may have met the very last byte.
    const code = await Promise.race([this.server.gone(), pause(1200)]);
    if (code === undefined) return;
    if (code !== 74) this.problems.push(`a full disk ended the server with ${code}`);
    await this.restart();
  }

  private async restart(): Promise<void> {
    this.listen();
    this.server = await startOn(this.parent, Number(new URL(this.clients.url).port), this.clock);
  }

  /** What the server that has just ended has logged. */
  private listen(): void {
    const lines = this.server.output.split('\n').filter((line) => line.startsWith('{'));
    for (const line of lines) {
      const { level, msg, err, removedRecords } = JSON.parse(line);
      if (msg === 'the journal was swept') {
        this.sweeps += 1;
        this.removed += removedRecords;
      }
      const isOfFullDisk = /disk|ENOSPC|no space/i.test(JSON.stringify(err ?? ''));
      if (level >= 50 && !isOfFullDisk) this.problems.push(line);
    }
  }
}

const folderIn = (parent: string) => join(parent, 'data');
const stateFileIn = (parent: string) => `${parent}-state`;

function startOn(parent: string, port: number, clock: ServerClock): Promise<SoakedServer> {
  const { aheadMs } = clock;
  return SoakedServer.start(folderIn(parent), stateFileIn(parent), port, aheadMs, environment);
}

/** Removes what a soak leaves beside its folder. */
export async function removeStates(parent: string): Promise<void> {
  for (const name of ['died', 'born']) await rm(`${stateFileIn(parent)}.${name}`, { force: true });
}
