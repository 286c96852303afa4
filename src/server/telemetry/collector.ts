/** A collector of OpenTelemetry, asked over HTTP: one URL for each signal. */
import { Agent, request } from 'undici';
import type { TelemetrySettings } from '../configuration/telemetry-settings.js';

/** Connections to it: one request for traces and one for metrics are under way at once. */
const connectionsMax = 2;

export class Collector {
  private readonly agent = new Agent({ connections: connectionsMax });

  constructor(private readonly settings: Pick<TelemetrySettings, 'headers' | 'timeoutMs'>) {}

  /** Sends `message` as JSON; rejects where it was not taken. */
  async send(url: string, message: object): Promise<void> {
    const { headers, timeoutMs } = this.settings;
    const { statusCode, body } = await request(url, {
      dispatcher: this.agent,
      method: 'POST',
      headers: ['content-type', 'application/json', ...headers],
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(timeoutMs),
    });
    await body.dump();
    if (statusCode < 200 || statusCode > 299) throw new Error(`it answered ${statusCode}`);
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
