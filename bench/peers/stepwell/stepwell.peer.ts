/** Stepwell, as its users start it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../../load/api-call.js';
import { consumingPass } from '../../load/consuming-pass.js';
import { endsOf, fillTopic } from '../../load/log-topic.js';
import { publishInBatches } from '../../load/message-batches.js';
import { connectionsTo, passes } from '../../load/topic-passes.js';
import { MeasuredProcess } from '../../measure/measured-process.js';
import { Sink } from '../../measure/sink.js';
import { startStepwell } from '../../measure/stepwell-server.js';
import type { ApplicationSettings } from '../../programs/application.program.js';
import type { SleepersSettings } from '../../programs/sleepers.program.js';
import { startItem } from '../../programs/workflow-protocol.js';
import type { Peer, PeerServer, Place, Presence, WorkKind } from '../peer.js';
import { repeating } from '../processes/http.js';
import { installPackages, newerNode, packageVersion } from '../processes/installed.js';
import { produceRequest, publishRequest } from './requests.js';

const kinds: readonly WorkKind[] = [
  ...(['accept', 'batch', 'deliver', 'queue', 'run', 'published-run'] as const),
  ...(['produce', 'consume', 'wait', 'sleep'] as const),
];
const oneReader = { groups: 1, instances: 1, way: 'long polling' } as const;

const strict = 'as shipped (STEPWELL_FSYNC=strict): answered after fdatasync';

/** On the Node.js that runs the bench. */
export const stepwell: Peer = {
  name: 'stepwell',
  title: 'Stepwell',
  durability: strict,
  kinds,
  look: () => ({ versions: `Node ${process.versions.node}` }),
  start: (place) => start(place, process.execPath),
};

/** On the newer Node.js that the peers' packages bring. */
export const stepwellOnNewerNode: Peer = {
  name: 'stepwell-24',
  title: 'Stepwell, Node 24',
  durability: strict,
  kinds,
  look(): Presence {
    const version = packageVersion('node');
    if (newerNode === null || version === null) return { install: installPackages };
    return { versions: `Node ${version}` };
  },
  start: (place) => start(place, newerNode ?? process.execPath),
};

async function start({ directory, kind }: Place, node: string): Promise<PeerServer> {
  await mkdir(directory, { recursive: true });
  const server = await startStepwell(join(directory, 'stepwell'), 0, node);
  const queue = kind === 'queue' ? 'orders' : null;
  const application = await prepare(server, kind, queue).catch(async (error) => {
    await server.stop();
    throw error;
  });
  return {
    processes: [server.pid],
    applications: application === null ? [] : [application.pid],
    publish: (publishing) => publishRequest(server.address, publishing, queue),
    run: async (runs, seconds) => {
      if (application === null) throw new Error('started for another kind of work');
      return application.ask({ runs, seconds });
    },
    produce: (records, value, connections) =>
      repeating(produceRequest(server.address, records, value), connections, records),
    consume: async (contents) => {
      await fillTopic(server, contents);
      const pool = connectionsTo(server, 1);
      const pass = consumingPass(server, pool, endsOf(contents), oneReader);
      return (seconds) => passes(seconds, pass);
    },
    sleep: (runs) => putToSleep(server, runs),
    stop: async () => {
      await application?.stop();
      await server.stop();
    },
  };
}

/** What a work needs beside the server: its queue, or the program that serves its runs. */
async function prepare(
  server: MeasuredProcess,
  kind: WorkKind,
  queueName: string | null,
): Promise<MeasuredProcess | null> {
  if (queueName === null) return startApplication(server, kind);
  await call(server, 'POST', '/v2/queues', { queueName, parallelism: 1 });
  return null;
}

/** The program that serves five steps; null where the work has none. */
export async function startApplication(
  { address }: MeasuredProcess,
  kind: WorkKind,
): Promise<MeasuredProcess | null> {
  if (kind !== 'run' && kind !== 'published-run') return null;
  const settings: ApplicationSettings = {
    server: address,
    kind: kind === 'run' ? 'minimal' : 'published',
  };
  return MeasuredProcess.start('bench/programs/application.program.js', [JSON.stringify(settings)]);
}

async function putToSleep(server: MeasuredProcess, runs: number): Promise<void> {
  const settings: SleepersSettings = { server: server.address };
  const sleepers = await Sink.start('bench/programs/sleepers.program.js', settings);
  try {
    const itemOf = (number: number) =>
      startItem(`${sleepers.origin}/`, `wfr_${String(number).padStart(21, '0')}`, '1h');
    await Promise.all([sleepers.arrivals(runs), publishInBatches(server, runs, itemOf)]);
  } finally {
    await sleepers.stop();
  }
}
