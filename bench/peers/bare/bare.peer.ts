/** The bare loops of the same work: the distance to what a Node.js process could do. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endsOf, fillTopic, type TopicContents } from '../../load/log-topic.js';
import { batchSize } from '../../load/message-batches.js';
import { journalBytes } from '../../load/message-events.js';
import { connectionsTo, fetchingPass, passes, shared } from '../../load/topic-passes.js';
import { startBarePages } from '../../measure/bare-pages.js';
import { startBareServer } from '../../measure/bare-server.js';
import type { Round } from '../../measure/contest.js';
import { journalWeight } from '../../measure/journal-weight.js';
import { MeasuredProcess } from '../../measure/measured-process.js';
import { startStepwell } from '../../measure/stepwell-server.js';
import type { BareServerSettings } from '../../programs/bare-server.program.js';
import { deliveriesEach, requestsEach } from '../../programs/workflow-application.js';
import type { Peer, PeerServer, Place } from '../peer.js';
import { repeating } from '../processes/http.js';
import { produceRequest, publishRequest } from '../stepwell/requests.js';
import { startApplication } from '../stepwell/stepwell.peer.js';

export const bare: Peer = {
  name: 'bare',
  title: 'bare loop',
  durability: 'answered after fdatasync; it cannot recover anything',
  kinds: ['accept', 'batch', 'deliver', 'queue', 'run', 'published-run', 'produce', 'consume'],
  look: () => ({ versions: `Node ${process.versions.node}` }),
  async start(place) {
    await mkdir(place.directory, { recursive: true });
    if (place.kind === 'run' || place.kind === 'published-run') return startRuns(place);
    if (place.kind === 'consume') return startPages(place);
    return startServer(place);
  },
};

async function startServer(place: Place): Promise<PeerServer> {
  const server = await startBareServer(settingsOf(place));
  const { address } = server;
  return {
    processes: [server.pid],
    applications: [],
    publish: (publishing) => publishRequest(address, publishing),
    produce: (records, value, connections) =>
      repeating(produceRequest(address, records, value), connections, records),
    stop: () => server.stop(),
  };
}

/** As many bytes as Stepwell writes for the same. */
function settingsOf({ directory, kind, bytes, destination }: Place): BareServerSettings {
  const at = Date.now();
  const text = 'x'.repeat(bytes);
  const url = `${destination}/`;
  const weight = journalBytes({ number: 0, url, body: Buffer.from(text), at, notBefore: at });
  const batch = publishRequest(url, { url, bodies: Array(batchSize).fill(text), delaySeconds: 1 });
  const common = { directory: join(directory, 'bare'), prepares: true, delivery: null };
  if (kind === 'produce') return { ...common, besideBytes: 0, prepares: false };
  const isBatch = kind === 'batch' || kind === 'queue';
  const besideBytes = isBatch
    ? Math.max(0, batchSize * weight.published - batch.body.length)
    : weight.published - bytes;
  if (kind !== 'deliver' && kind !== 'queue') return { ...common, besideBytes };
  const delivery = {
    ...{ origin: destination, bodyBytes: bytes, recordBytes: weight.delivered },
    ...{ copies: isBatch ? batchSize : 1, isOrdered: kind === 'queue' },
  };
  return { ...common, besideBytes, delivery };
}

/** Commits of a run: one for each request, and one for each delivery but the last one. */
const turnsEach = requestsEach + deliveriesEach - 1;

async function startRuns({ directory, kind }: Place): Promise<PeerServer> {
  const turnBytes = await weighRun(join(directory, 'stepwell'));
  const own = join(directory, 'bare');
  await mkdir(own);
  const settings = JSON.stringify({ directory: own, turnBytes });
  const server = await MeasuredProcess.start('bench/programs/bare-runs.program.js', [settings]);
  const application = await startApplication(server, kind);
  return {
    processes: [server.pid],
    applications: application === null ? [] : [application.pid],
    run: async (runs, seconds) => {
      if (application === null) throw new Error('started for another kind of work');
      return application.ask<Round>({ runs, seconds });
    },
    stop: async () => {
      await application?.stop();
      await server.stop();
    },
  };
}

/** Bytes of one commit of a run, as Stepwell writes them. */
async function weighRun(data: string): Promise<number> {
  const server = await startStepwell(data);
  const application = await startApplication(server, 'run');
  try {
    const round = await application?.ask<Round>({ runs: 1, seconds: 0.3 });
    return Math.round((await journalWeight(data)) / (round?.operations ?? 1) / turnsEach);
  } finally {
    await application?.stop();
    await server.stop();
  }
}

/** It has Stepwell's answers ready-made, so that Stepwell fills the topic first. */
async function startPages({ directory }: Place): Promise<PeerServer> {
  let pages: MeasuredProcess | null = null;
  const pids: number[] = [];
  return {
    processes: pids,
    applications: [],
    consume: async (contents: TopicContents) => {
      const server = await startStepwell(join(directory, 'stepwell'));
      try {
        await fillTopic(server, contents);
        pages = await startBarePages(join(directory, 'pages'), server, contents);
      } finally {
        await server.stop();
      }
      pids.push(pages.pid);
      const readers = shared(contents.partitions, 1);
      const pass = fetchingPass(connectionsTo(pages, 1), endsOf(contents), readers);
      return (seconds) => passes(seconds, pass);
    },
    stop: async () => pages?.stop(),
  };
}
