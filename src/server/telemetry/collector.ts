/** An OpenTelemetry collector, reached over HTTP: one URL for each signal. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import { messageOf } from '../../../storage/faults/storage-errors.js';
import { type Clock, sleep } from '../../engine/clock.js';
import { fieldsOf, parseJson } from '../../grammar/json.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';

/** Connections to it: one request for traces and one for metrics can be in flight at once. */
const connectionsMax = 2;

/**
 * Statuses which say that the same message may be accepted later (OTLP 1.x, "Retryable Response
 * Codes").
 */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The delay of the second try, unless the collector requests a shorter one (`Retry-After`). */
const againMs = 1000;

/** How much of an answer is read: the report of a partial success is far shorter. */
const answerBytesMax = 64 * 1024;

const compress = promisify(gzip);

/** What a collector rejected of a message that it accepted (OTLP 1.x, "Partial Success"). */
export interface Rejection {
  /** How many spans or data points were rejected. */
  readonly count: number;
  /** In the collector's words. */
  readonly reason: string;
}

/** A message was not accepted. */
class NotTaken extends Error {
  /** `afterMs`: when it may be sent again; null if it would not be accepted then, either. */
  constructor(
    message: string,
    readonly afterMs: number | null,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

type CollectorSettings = Pick<TelemetrySettings, 'headers' | 'timeoutMs' | 'isCompressed'>;

/** One instance for all signals. A message is given up after the configured timeout. */
export class Collector {
  private readonly agent = new Agent({ connections: connectionsMax });
  /**
   * URLs whose last message failed in both tries: they get one try until they accept a message
   * again.
   */
  private readonly gone = new Set<string>();

  constructor(
    private readonly settings: CollectorSettings,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  /**
   * Sends `message` as JSON, with a second try in case the collector was just restarting; rejects
   * if it was not accepted. So a batch may arrive twice, which its ids reveal. Null if all of it
   * was accepted.
   */
  async send(url: string, message: object): Promise<Rejection | null> {
    const json = JSON.stringify(message);
    const body = this.settings.isCompressed ? await compress(json) : json;
    try {
      const rejection = await this.post(url, body).catch(async (error: unknown) => {
        const afterMs = error instanceof NotTaken ? error.afterMs : null;
        if (afterMs === null || this.gone.has(url)) throw error;
        await sleep(this.clock, afterMs);
        return this.post(url, body);
      });
      this.gone.delete(url);
      return rejection;
    } catch (error) {
      this.gone.add(url);
      throw error;
    }
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async post(url: string, message: string | Buffer): Promise<Rejection | null> {
    const { headers, timeoutMs, isCompressed } = this.settings;
    const coding = isCompressed ? ['content-encoding', 'gzip'] : [];
    const {
      statusCode,
      headers: answered,
      body,
    } = await request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers: ['content-type', 'application/json', ...coding, ...headers],
      body: message,
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new NotTaken(messageOf(error), againMs, error);
    });
    const answer = await beginningOf(body);
    if (statusCode >= 200 && statusCode <= 299) return rejectionIn(answer);
    const afterMs = retryable.has(statusCode) ? waitOf(answered['retry-after']) : null;
    throw new NotTaken(`it answered ${statusCode}`, afterMs);
  }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= answerBytesMax) break;
  }
  return Buffer.concat(chunks);
}

/** An answer that is not OTLP rejects nothing. */
function rejectionIn(answer: Buffer): Rejection | null {
  const json = parseJson(answer);
  const partly = fieldsOf(json.ok ? fieldsOf(json.value)['partialSuccess'] : null);
  const { rejectedSpans, rejectedDataPoints, errorMessage = '' } = partly;
  // The JSON form of Protocol Buffers encodes a 64-bit number as a string.
  const count = Number(rejectedSpans ?? rejectedDataPoints ?? 0);
  return count > 0 ? { count, reason: String(errorMessage) } : null;
}

/**
 * Null (no second try) for a date, or for a delay that is longer than a batch may hold up the next
 * one.
 */
function waitOf(retryAfter: string | string[] | undefined): number | null {
  if (typeof retryAfter !== 'string') return againMs;
  const waitMs = Number(retryAfter) * 1000;
  return waitMs >= 0 && waitMs <= againMs ? waitMs : null;
}
