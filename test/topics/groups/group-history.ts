/**
 * Checks what the readers of simulated groups have seen against what a log may do. It detects
 * anomalies of Jepsen's Kafka workload (lost writes, unseen records, inconsistent offsets, and
 * polls that skip or go back), and some of our own: two owners, commits ahead of what was
 * processed, and vanished commits.
 */
import type { GroupWorld } from './group-world.js';

export interface SeenRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: string;
}

const placeOf = ({ topic, partition }: { topic: string; partition: number }) =>
  `${topic}/${partition}`;

export class GroupHistory {
  readonly anomalies: string[] = [];
  /** By partition, the acknowledged records by offset. */
  readonly produced = new Map<string, Map<number, string>>();
  private readonly seen = new Map<string, string>();
  /** By group and partition, the offsets that a reader of the group has processed. */
  private readonly processed = new Map<string, Set<number>>();
  private readonly committedOffsets = new Map<string, number>();

  acknowledged(record: SeenRecord): void {
    const own = this.produced.get(placeOf(record)) ?? new Map<number, string>();
    own.set(record.offset, record.value);
    this.produced.set(placeOf(record), own);
  }

  /**
   * Notes that a reader of `group` has processed a record; `expected` is its position in the
   * partition.
   */
  read(group: string, record: SeenRecord, expected: number | undefined): void {
    const name = `${placeOf(record)}/${record.offset}`;
    const before = this.seen.get(name);
    if (before !== undefined && before !== record.value) this.found('inconsistent offset', name);
    this.seen.set(name, record.value);
    if (expected !== undefined && record.offset < expected) this.found('nonmonotonic poll', name);
    if (expected !== undefined && record.offset > expected) this.found('poll skip', name);
    const own = this.processed.get(`${group} ${placeOf(record)}`) ?? new Set();
    own.add(record.offset);
    this.processed.set(`${group} ${placeOf(record)}`, own);
  }

  /** Notes an acknowledged commit, which no crash may undo. */
  committed(group: string, place: string, offset: number): void {
    const key = `${group} ${place}`;
    this.committedOffsets.set(key, Math.max(this.committedOffsets.get(key) ?? 0, offset));
  }

  /** How much of a partition the group has processed without a gap. */
  coverage(group: string, place: string): number {
    const own = this.processed.get(`${group} ${place}`) ?? new Set();
    let covered = 0;
    while (own.has(covered)) covered += 1;
    return covered;
  }

  /** Checks the current state of the groups. */
  check(world: GroupWorld): void {
    for (const group of world.views.names()) {
      for (const place of world.offsets.of(group)) {
        const stored = world.offsets.find(group, place);
        const name = placeOf(place);
        const resumes = stored?.start ?? stored?.committed ?? 0;
        const covered = this.coverage(group, name);
        if (resumes > covered) {
          this.found('commit ahead of what was processed', `${group} ${name}: ${resumes}`);
        }
      }
    }
    for (const [key, committed] of this.committedOffsets) {
      const [group = '', name = ''] = key.split(' ');
      const [topic = '', partition] = name.split('/');
      const stored = world.offsets.find(group, { topic, partition: Number(partition) });
      if ((stored?.committed ?? 0) < committed)
        this.found('vanished commit', `${key}: ${committed}`);
    }
    this.checkOwners(world);
  }

  /** Checks that at the end every group has processed every acknowledged record. */
  checkCoverage(groups: readonly string[]): void {
    for (const [place, records] of this.produced) {
      for (const group of groups) {
        const missing = [...records.keys()].filter(
          (offset) => offset >= this.coverage(group, place),
        );
        if (missing.length > 0) this.found('unseen', `${group} ${place}: ${missing.join(', ')}`);
      }
      for (const [offset, value] of records) {
        const seen = this.seen.get(`${place}/${offset}`);
        if (seen !== value) this.found('lost write', `${place}/${offset} is ${seen}`);
      }
    }
  }

  found(anomaly: string, what: string): void {
    this.anomalies.push(`${anomaly}: ${what}`);
  }

  private checkOwners(world: GroupWorld): void {
    const owners = new Map<string, string>();
    for (const { place, positions } of world.sessions.all()) {
      for (const own of positions.all) {
        const name = `${place.group} ${placeOf(own)}`;
        const other = owners.get(name);
        if (other !== undefined) this.found('two owners', `${name}: ${other}, ${place.instance}`);
        owners.set(name, place.instance);
      }
    }
  }
}
