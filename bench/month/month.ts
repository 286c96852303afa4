/**
 * A month of a server in minutes: days pass on a clock that is moved, with the retentions as they
 * are shipped, fewer messages each day than a real one would have, and segments that are as much
 * smaller. What the disk holds stands beside what retention asks for.
 */
import { journalLogName } from '../../src/engine/journal.js';
import { readConfiguration } from '../../src/server/configuration/config.js';
import { productFolding } from '../../src/server/history/product-folding.js';
import { MonthLoad } from './month-load.js';
import { MonthServer } from './month-server.js';
import { RecordsLaw, RetentionLaw } from './retention-law.js';
import { type UsedDisk, usedDisk } from './used-disk.js';

const dayMs = 86_400_000;

export interface MonthSettings {
  readonly directory: string;
  readonly days: number;
  /** Messages of a day. */
  readonly messages: number;
  /** The clock moves on so often a day; sweeps are looked at each time. */
  readonly stepsOfDay: number;
  readonly segmentBytes: number;
}

/** The end of a day. */
export interface DayEnd {
  readonly day: number;
  /** What retention asks for, bytes. */
  readonly asked: { readonly journal: number; readonly topics: number };
  readonly used: UsedDisk;
}

export interface MonthReport {
  readonly days: readonly DayEnd[];
  /** What the server warned of, or could not go on from. */
  readonly problems: readonly string[];
}

export async function passMonth(settings: MonthSettings): Promise<MonthReport> {
  const { directory, days, messages, stepsOfDay, segmentBytes } = settings;
  const server = await MonthServer.start(directory, segmentBytes);
  try {
    const load = new MonthLoad(server);
    await load.begin();
    const disk = new ComparedDisk(server);
    const ends: DayEnd[] = [];
    for (let day = 1; day <= days; day += 1) {
      for (let step = 0; step < stepsOfDay; step += 1) {
        await load.publish(Math.round(messages / stepsOfDay));
        await server.rest();
        await disk.follow();
        await server.pass(dayMs / stepsOfDay);
        await disk.follow();
      }
      ends.push(await disk.endOf(day));
    }
    // Without what a stop on a busy machine says.
    return { days: ends, problems: [...server.problems] };
  } finally {
    await server.stop();
  }
}

/** The disk of a server beside the law. */
class ComparedDisk {
  private readonly journal;
  private readonly law: RetentionLaw;
  private readonly topics = new Map<number, RecordsLaw>();
  private readonly topicRetentionMs: number;

  constructor(private readonly server: MonthServer) {
    const { engine, store } = server;
    const { config } = readConfiguration({});
    const journal = store.log(journalLogName);
    if (journal === undefined) throw new Error('the server has no journal');
    const { codec } = productFolding({ ...config, sweepStretch: null });
    this.journal = journal;
    this.topicRetentionMs = config.topicRetentionMs;
    this.law = new RetentionLaw(engine, journal, codec, {
      logMs: config.logRetentionMs,
      deadLetterMs: config.deadLetterRetentionMs,
    });
  }

  async follow(): Promise<void> {
    await this.law.follow();
    for (const log of this.server.store.logs()) {
      if (log.id === this.journal.id) continue;
      const law = this.topics.get(log.id) ?? new RecordsLaw(log, this.topicRetentionMs);
      this.topics.set(log.id, law);
      await law.follow();
    }
  }

  async endOf(day: number): Promise<DayEnd> {
    const at = this.server.clock.now();
    let topics = 0;
    for (const law of this.topics.values()) topics += law.bytesAt(at);
    const used = await usedDisk(this.server.directory, this.journal.id);
    return { day, asked: { journal: this.law.bytesAt(at), topics }, used };
  }
}
