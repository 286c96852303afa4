/** Records digests of memory among the events: of a large memory one part, the next each time. */
import type { Engine } from '../engine.js';
import type { StreamPart } from '../resting/stream-part.js';
import { digestAtOnce, digestStanding } from './live-digest.js';
import type { MemoryDigests } from './memory-digests.js';
import { partDigest, partInTurn } from './part-digest.js';

/** After fewer events than this a new digest, itself an event, is not worth it. */
const eventsMin = 2000;

/** What a recorder uses. */
export interface DigestRecorderPorts {
  readonly engine: Engine;
  readonly digests: Pick<MemoryDigests, 'record'>;
  /** See `imageLabel`. */
  label(): string;
  /** Unix milliseconds. */
  now(): number;
}

/** Used by the node that writes the journal. */
export class DigestRecorder {
  private recordedUntil = Number.NEGATIVE_INFINITY;
  /** The number of the next part. Each process starts with another one, as it may end soon. */
  private turn: number | null = null;

  constructor(private readonly ports: DigestRecorderPorts) {}

  /**
   * Call it between two turns, when memory holds everything below `until` and nothing else.
   * `standsStill`: no more turns come, so that there is time for a larger memory. Rejects like the
   * engine.
   */
  async record(until: number, standsStill = false): Promise<void> {
    const { engine, digests, label, now } = this.ports;
    const whole = standsStill ? await digestStanding(engine) : digestAtOnce(engine);
    const part = whole === null ? this.nextPart(until) : null;
    const digest = part === null ? whole : partDigest(engine, part);
    if (digest === null) return;
    this.recordedUntil = until;
    await digests.record(until, digest, label(), now(), part);
  }

  /** Like `record`, if enough has happened since the last one. */
  async recordDue(until: number): Promise<void> {
    if (until - this.recordedUntil >= eventsMin) await this.record(until);
  }

  private nextPart(until: number): StreamPart {
    const turn = this.turn ?? until;
    this.turn = turn + 1;
    return partInTurn(this.ports.engine, turn);
  }
}
