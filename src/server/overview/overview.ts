/** The state of the server at a glance: its numbers now, what waits for what, what fires next. */
import { Inject, Injectable } from '@nestjs/common';
import type { Disk, Space } from '../../../storage/disk/disk.js';
import { type Clock, systemClock } from '../../engine/clock.js';
import { Journal } from '../../engine/journal.js';
import { ProcessLife } from '../../engine/lifecycle/process-life.js';
import { provided } from '../../engine/provided.js';
import { keysOf } from '../../grammar/keys.js';
import { version } from '../../grammar/version.js';
import { durabilityOf } from '../../http/durability.js';
import { EndpointCalls } from '../../messaging/delivery/message.effects.js';
import { Gates } from '../../messaging/gates/gates.js';
import { Origins } from '../../messaging/origins/origin.entity.js';
import { OriginTraffic } from '../../messaging/outbound/origin-traffic.js';
import { Schedules } from '../../messaging/schedules/schedule.entity.js';
import type { Membership } from '../cluster/membership.js';
import type { Config } from '../configuration/config.js';
import { DiskQuestion } from '../disks/disk-question.js';
import { DiskTrend } from './disk-trend.js';
import { MetricReader } from './metric-reader.js';
import { seriesTable } from './series-table.js';

/** How many schedules are examined to find the ones that fire next. */
const schedulesMax = 5000;
const itemsPerTick = 256;
const firesMax = 10;
const originsMax = 10;

/** A schedule that will fire. */
interface NextFire {
  readonly scheduleId: string;
  readonly at: number;
}

/** Composed anew for each request, from memory and one query to the disk. */
@Injectable()
export class Overview {
  private readonly startedAt: number;
  private readonly freeSpace: DiskQuestion<Space>;

  constructor(
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.disk) disk: Pick<Disk, 'space'>,
    @Inject(provided.config) private readonly config: Config,
    @Inject(provided.membership) private readonly membership: Membership | null,
    private readonly life: ProcessLife,
    private readonly journal: Journal,
    private readonly reader: MetricReader,
    private readonly calls: EndpointCalls,
    private readonly gates: Gates,
    private readonly schedules: Schedules,
    private readonly traffic: OriginTraffic,
    private readonly origins: Origins,
    private readonly trend: DiskTrend,
  ) {
    this.startedAt = clock.now();
    this.freeSpace = new DiskQuestion(() => disk.space(config.dataDirectory), systemClock.after);
  }

  /** The answer; see `overviewSchema`. */
  async now() {
    const { clock, config, life, reader } = this;
    const at = clock.now();
    const reading = await reader.read(false);
    const levels = keysOf(seriesTable)
      .filter((name) => seriesTable[name].measure.how === 'level')
      .map((name) => [name, reading[name]]);
    return {
      at,
      startedAt: this.startedAt,
      version,
      ...life.status,
      durability: durabilityOf(config),
      cluster: this.membership?.status ?? null,
      // A level always has a number.
      numbers: Object.fromEntries(levels) as Record<string, number>,
      backlog: this.backlog(reading.pending ?? 0),
      schedules: await this.fires(),
      origins: this.worstOrigins(),
      disk: await this.space(),
    };
  }

  /** Why messages are not delivered yet; those held back by no limit wait for their time. */
  private backlog(pending: number) {
    const { calls, gates } = this;
    const { inFlight } = calls;
    const waiting = Object.fromEntries(gates.waitingAt);
    const later = Math.max(0, pending - inFlight - gates.waiting);
    return { pending, inFlight, later, waiting };
  }

  /** The origins with the most failed attempts in the last day. */
  private worstOrigins() {
    const failing = [...this.traffic.report()].filter(({ failed }) => failed > 0);
    failing.sort((one, other) => other.failed - one.failed);
    return failing.slice(0, originsMax).map(({ origin, failed, succeeded, lastFailure }) => {
      const pausedAt = this.origins.stateOf(origin)?.pausedAt ?? null;
      return { origin, failed, succeeded, lastFailure, pausedAt };
    });
  }

  private async fires() {
    const { actors } = this.schedules;
    // Keyed by id: a schedule that is woken during the walk is visited twice.
    const looked = new Map<string, number | null>();
    for await (const { id, actor } of actors.walk(itemsPerTick)) {
      const { value, context } = actor.state;
      looked.set(id, value === 'active' ? context.nextAt : null);
      if (looked.size === schedulesMax) break;
    }
    const next: NextFire[] = [];
    for (const [scheduleId, at] of looked) if (at !== null) next.push({ scheduleId, at });
    next.sort((one, other) => one.at - other.at);
    const isComplete = looked.size === actors.size;
    return { count: actors.size, isComplete, next: next.slice(0, firesMax) };
  }

  /** If the disk fails or does not answer, its figures are null; everything else is shown. */
  private async space() {
    const found = await this.freeSpace.ask();
    let journalBytes = 0;
    for (const { byteLength } of this.journal.segments) journalBytes += byteLength;
    const { available = null, total = null } = found ?? {};
    const daysLeft = available === null ? null : this.trend.daysLeft(available);
    return { availableBytes: available, totalBytes: total, journalBytes, daysLeft };
  }
}
