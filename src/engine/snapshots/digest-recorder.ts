/** Records among the events what memory is: of a large one a part, the next one each time. */
import type { Engine } from '../engine.js';
import type { StreamPart } from '../resting/stream-part.js';
import { digestAtOnce, digestStanding } from './live-digest.js';
import type { MemoryDigests } from './memory-digests.js';
import { partDigest, partInTurn } from './part-digest.js';

/** Fewer events since the last digest are not worth another one, which is an event itself. */
const eventsMin = 2000;

/** What a recorder works with. */
export interface DigestRecorderPorts {
  readonly engine: Engine;
  readonly digests: Pick<MemoryDigests, 'record'>;
  /** See `imageLabel`. */
  label(): string;
  /** Unix milliseconds. */
  now(): number;
}

/** Of the node that writes the journal. */
export class DigestRecorder {
  private recordedUntil = Number.NEGATIVE_INFINITY;
  /** The turn of the next part. Each life begins with another one: it may be a short life. */
  private turn: number | null = null;

  constructor(private readonly ports: DigestRecorderPorts) {}

  /**
   * Between two turns; memory holds all below `until` and nothing else. `standsStill`: no turn
   * comes any more, so that there is time for more of it. Rejects as the engine does.
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

  /** As `record`, if enough has happened since the last one. */
  async recordDue(until: number): Promise<void> {
    if (until - this.recordedUntil >= eventsMin) await this.record(until);
  }

  private nextPart(until: number): StreamPart {
    const turn = this.turn ?? until;
    this.turn = turn + 1;
    return partInTurn(this.ports.engine, turn);
  }
}
