/** A collector of OpenTelemetry, asked over HTTP: one URL for each signal. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, request } from 'undici';
import type { Clock } from '../../engine/clock.js';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';

/** Connections to it: one request for traces and one for metrics are under way at once. */
const connectionsMax = 2;

/** Statuses that say that the same may be taken later (OTLP 1.x, "Retryable Response Codes"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** How long a second try waits, unless the collector names a shorter time (`Retry-After`). */
const againMs = 1000;

const compress = promisify(gzip);

/** It was not taken. */
class NotTaken extends Error {
  /** `afterMs`: when it may be sent again; null = it will not be taken then, either. */
  constructor(
    message: string,
    readonly afterMs: number | null,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

type CollectorSettings = Pick<TelemetrySettings, 'headers' | 'timeoutMs' | 'isCompressed'>;

/** One for all signals. A message is given up after a timeout that the settings name. */
export class Collector {
  private readonly agent = new Agent({ connections: connectionsMax });
  /** URLs whose last message was taken in neither try: they get one until they answer again. */
  private readonly gone = new Set<string>();

  constructor(
    private readonly settings: CollectorSettings,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  /**
   * Sends `message` as JSON, a second time where the first one may have met a restart of the
   * collector; rejects where it was not taken. So a batch may be there twice, which ids tell.
   */
  async send(url: string, message: object): Promise<void> {
    const json = JSON.stringify(message);
    const body = this.settings.isCompressed ? await compress(json) : json;
    try {
      await this.post(url, body).catch(async (error: unknown) => {
        const afterMs = error instanceof NotTaken ? error.afterMs : null;
        if (afterMs === null || this.gone.has(url)) throw error;
        await new Promise<void>((resolve) => this.clock.after(afterMs, resolve));
        await this.post(url, body);
      });
      this.gone.delete(url);
    } catch (error) {
      this.gone.add(url);
      throw error;
    }
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async post(url: string, message: string | Buffer): Promise<void> {
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
      throw new NotTaken(error instanceof Error ? error.message : String(error), againMs, error);
    });
    await body.dump();
    if (statusCode >= 200 && statusCode <= 299) return;
    const afterMs = retryable.has(statusCode) ? waitOf(answered['retry-after']) : null;
    throw new NotTaken(`it answered ${statusCode}`, afterMs);
  }
}

/** A date and a time that is longer than a batch may hold up the next one are no second try. */
function waitOf(retryAfter: string | string[] | undefined): number | null {
  if (typeof retryAfter !== 'string') return againMs;
  const waitMs = Number(retryAfter) * 1000;
  return waitMs >= 0 && waitMs <= againMs ? waitMs : null;
}
