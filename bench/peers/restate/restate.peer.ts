/** Restate: one process, which calls services that are written with its SDK. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeanRequest } from '../../load/lean-connection.js';
import type { Peer, PeerServer, Place } from '../peer.js';
import { json, requestRound } from '../processes/http.js';
import { installPackages, newerNode, packageVersion, presence } from '../processes/installed.js';
import { ownPort } from '../processes/ports.js';
import { Program, peersFolder } from '../processes/program.js';
import { type ServiceSettings, serviceSettings } from '../processes/service.js';

const packages = ['@restatedev/restate-server', '@restatedev/restate-sdk', 'node'];
const askEveryMs = 50;

export const restate: Peer = {
  name: 'restate',
  title: 'Restate',
  durability: 'as shipped: RocksDB with its WAL synced (rocksdb-disable-wal-fsync = false)',
  kinds: ['accept', 'deliver', 'run', 'published-run', 'wait', 'sleep'],
  look: () =>
    presence(
      packages.map((name) => ({ name, version: packageVersion(name), by: installPackages })),
    ),
  start,
};

async function start({ directory, kind }: Place): Promise<PeerServer> {
  await mkdir(directory, { recursive: true });
  const place = join(directory, 'application-port');
  const known = await readFile(place, 'utf8').catch(() => null);
  const applicationPort = known === null ? await ownPort() : Number(known);
  const application = startApplication(serviceSettings(applicationPort, kind));
  const [bind, ingress, admin] = [await ownPort(), await ownPort(), await ownPort()];
  const server = startServer(join(directory, 'restate'), { bind, ingress, admin });
  const origin = `http://127.0.0.1:${ingress}`;
  const stop = async () => {
    for (const program of [server, application]) await program.stop();
  };
  try {
    const uri = await application.address();
    await server.until(() => isWell(`${origin}/restate/health`));
    await server.until(() => isWell(`http://127.0.0.1:${admin}/health`));
    if (known === null) await register(`http://127.0.0.1:${admin}/deployments`, uri);
    await writeFile(place, String(applicationPort));
  } catch (error) {
    await stop();
    throw error;
  }
  return { ...works(origin, application), processes: [server.pid], stop };
}

function works(origin: string, application: Program) {
  const sleepers = { origin, path: '/runs/sleep/send', headers: json, body: Buffer.alloc(0) };
  const steps: LeanRequest = { ...sleepers, path: '/runs/steps' };
  return {
    applications: [application.pid],
    publish: ({ url, bodies: [body = ''], delaySeconds }: Parameters<Publish>[0]) => ({
      origin,
      path: `/messages/deliver/send${delaySeconds > 0 ? `?delay=${delaySeconds}s` : ''}`,
      headers: { 'content-type': 'application/octet-stream', 'x-destination': url },
      body: Buffer.from(body),
    }),
    run: (runs: number, seconds: number) => requestRound(steps, runs, 1, { seconds }),
    sleep: async (runs: number) => {
      await requestRound(sleepers, 64, 1, { calls: runs });
      const count = async () => (await application.ask<{ asleep: number }>({})).asleep;
      while ((await count()) < runs)
        await new Promise((resolve) => setTimeout(resolve, askEveryMs));
    },
  };
}

type Publish = NonNullable<PeerServer['publish']>;

function startApplication(settings: ServiceSettings): Program {
  const file = join(peersFolder, 'restate/application.mjs');
  return Program.start(newerNode ?? process.execPath, [file, JSON.stringify(settings)]);
}

function startServer(
  directory: string,
  ports: { readonly bind: number; readonly ingress: number; readonly admin: number },
): Program {
  return Program.start(serverFile(), ['--no-logo'], {
    RESTATE_BASE_DIR: directory,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_BIND_IP: '127.0.0.1',
    RESTATE_BIND_PORT: String(ports.bind),
    RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
    RESTATE_ADMIN__BIND_PORT: String(ports.admin),
    RESTATE_DISABLE_TELEMETRY: 'true',
    RESTATE_LOG_FILTER: 'warn',
  });
}

/** The server itself: what npm links would stand between it and its signals. */
function serverFile(): string {
  const { arch, platform } = process;
  const own = `@restatedev/restate-server-${platform}-${arch}/bin/restate-server`;
  return join(peersFolder, 'node_modules', own);
}

async function isWell(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function register(url: string, uri: string): Promise<void> {
  const body = JSON.stringify({ uri });
  const answer = await fetch(url, { method: 'POST', headers: json, body });
  if (!answer.ok) throw new Error(`the deployment was refused: ${await answer.text()}`);
}
