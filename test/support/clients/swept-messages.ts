/** Messages for the journal of a server that sweeps it meanwhile. */
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { type ApiServer, callApi } from './api-call.js';
import type { RecordingEndpoint } from './recording-endpoint.js';

const stepMs = 20;

/**
 * Repeats `work` until `isEnough`, and waits longer each time. A sweep waits for the disk many
 * times for each of the small segments of a test: on a machine so slow that the journal grows
 * faster than it is swept, each sweep would have more to do than the one before.
 */
export async function repeatMoreSlowly(
  work: () => Promise<unknown>,
  isEnough: () => Promise<boolean>,
): Promise<void> {
  for (let waitMs = stepMs; !(await isEnough()); waitMs += stepMs) {
    await work();
    await pause(waitMs);
  }
}

/** Publishes `count` messages at once and waits until they have arrived: then they can be swept. */
export async function publishDelivered(
  server: ApiServer,
  endpoint: RecordingEndpoint,
  count: number,
): Promise<void> {
  const delivered = endpoint.requests.length;
  const message = { destination: `${endpoint.url}/x`, body: 'x'.repeat(400) };
  const body = JSON.stringify(Array.from({ length: count }, () => message));
  expect((await callApi(server, 'POST', '/v2/batch', {}, body)).status).toBe(200);
  await endpoint.received(delivered + count);
}

/** The value of a metric without labels; NaN = there is none. */
export async function metricOf(server: ApiServer, name: string): Promise<number> {
  const headers = { authorization: server.bearer };
  const text = await (await request(`${server.url}/metrics`, { headers })).body.text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** How many records sweeps have removed from the server's journal since its start. */
export const sweptRecords = (server: ApiServer) =>
  metricOf(server, 'stepwell_journal_swept_records_total');
