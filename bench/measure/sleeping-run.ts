/** One run that the real server has put to sleep: what very many are copied from. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publishInBatches } from '../load/message-batches.js';
import { type RecordedRun, recordedEvents } from '../load/written-runs.js';
import type { SleepersSettings } from '../programs/sleepers.program.js';
import { startItem } from '../programs/workflow-protocol.js';
import { Sink } from './sink.js';
import { startStepwell } from './stepwell-server.js';

/** After so long the server has written down what the endpoint answered. */
const settleMs = 1000;

/** The run, and where it was made: its endpoint's program, and the port that this one asks. */
export interface SleepingRun {
  readonly run: RecordedRun;
  readonly sleepers: Sink;
  readonly port: number;
}

/** Makes one in a folder of its own. Its endpoint runs until `sleepers` is stopped. */
export async function sleepingRun(data: string): Promise<SleepingRun> {
  const port = await freePort();
  const settings: SleepersSettings = { server: `http://127.0.0.1:${port}` };
  const sleepers = await Sink.start('bench/programs/sleepers.program.js', settings);
  const server = await startStepwell(data, port);
  try {
    const item = startItem(`${sleepers.origin}/`, `wfr_${'0'.repeat(21)}`, '1h');
    await Promise.all([sleepers.arrivals(1), publishInBatches(server, 1, () => item)]);
    await new Promise((resolve) => setTimeout(resolve, settleMs));
  } finally {
    await server.stop();
  }
  return { run: await recordedEvents(data), sleepers, port };
}

/** The endpoint asks the server also after a restart: it must be where it was. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
