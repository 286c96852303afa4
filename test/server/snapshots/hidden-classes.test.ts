import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorization, freePort, ServerProcess } from '../../support/program/server-process.js';

const program = join(import.meta.dirname, '../../../bin/stepwell.cjs');
/** V8 then prints a line for each object that it moves to another hidden class. */
const traced = ['--trace-migration', program, 'start'];

const perBatch = 100;
const batches = 20;
/** A start migrates some objects; a shape that is migrated for each message exceeds this. */
const migrationsMax = (perBatch * batches) / 4;

async function publish(server: ServerProcess, destination: string, delay: string): Promise<void> {
  const item = { destination, headers: { 'svc-delay': delay }, body: 'x' };
  for (let batch = 0; batch < batches; batch += 1) {
    const answer = await fetch(`${server.url}/v2/batch`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(Array(perBatch).fill(item)),
    });
    expect(answer.status).toBe(200);
  }
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** How often objects were migrated, by the fields that changed. */
function migrations(output: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, fields = ''] of output.matchAll(/\[migrating\](.*)/g)) {
    counts.set(fields, (counts.get(fields) ?? 0) + 1);
  }
  return counts;
}

test('V8 does not migrate each message that rests or wakes after a snapshot', async () => {
  let arrived = 0;
  const sink = createServer((request, response) => {
    arrived += 1;
    request.resume();
    response.end();
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const address = sink.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const destination = `http://127.0.0.1:${address.port}/`;
  const folder = await mkdtemp(join(tmpdir(), 'stepwell-hidden-classes-'));
  const environment = { STEPWELL_SNAPSHOT_EVERY: '16kb' };
  const server = await ServerProcess.start(folder, await freePort(), environment, [], traced);
  try {
    await publish(server, destination, '1h');
    const snapshots = () => readdir(join(folder, 'snapshots')).catch(() => []);
    await until(async () => (await snapshots()).length > 0);
    await publish(server, destination, '1h');
    await publish(server, destination, '1s');
    await until(() => arrived === perBatch * batches);
  } finally {
    await server.kill('SIGTERM');
    sink.closeAllConnections();
    sink.close();
    await rm(folder, { recursive: true });
  }
  const counts = migrations(server.output);
  expect([...counts].filter(([, count]) => count > migrationsMax)).toEqual([]);
  // The flag works: a start is never without any.
  expect(counts.size).toBeGreaterThan(0);
});
