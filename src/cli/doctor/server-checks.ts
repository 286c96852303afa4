/** Checks the configured server: whether it answers, what it warns of, and what its clock says. */
import { createServer } from 'node:net';
import { errorCode } from '../../../storage/faults/storage-errors.js';
import type { Clock } from '../../engine/clock.js';
import type { Config } from '../../server/configuration/config.js';
import type { ApiClient } from '../connect/api-client.js';
import { ApiRefusal, Unreachable } from '../connect/client-errors.js';
import { textOf } from '../connect/exchange.js';
import { doubt, type Finding, fine, wrong } from './finding.js';

/** A date in a header is rounded to seconds, and takes some time to arrive. */
const clockDistanceMs = 5000;

/** A server that takes longer to report its state is of no use to clients. */
const patienceMs = 10_000;

/** What a server that answers is like; nothing where none does. */
export async function checkServer(
  api: ApiClient,
  clock: Clock,
  patience = patienceMs,
): Promise<readonly Finding[]> {
  const { url } = api.address;
  const signal = AbortSignal.timeout(patience);
  try {
    const response = await api.send('GET', '/health/ready', { signal });
    const { warnings = [] } = JSON.parse(await textOf(response)) as Readiness;
    return [
      fine('server', `${url} serves`),
      ...warnings.map((warning) => doubt('server', warning)),
      clockFinding(response.headers.date, clock),
    ];
  } catch (error) {
    if (signal.aborted)
      return [wrong('server', `${url} has not answered for ${patience / 1000} s`)];
    if (error instanceof Unreachable) return [];
    if (error instanceof ApiRefusal) return [wrong('server', `${url} answers ${error.status}`)];
    return [wrong('server', `${url} is not a Stepwell: ${String(error)}`)];
  }
}

/** The part of `/health/ready` that is used. */
interface Readiness {
  readonly warnings?: readonly string[];
}

/** Which SDKs have called the server since its start; empty if the caller may not know that. */
export async function checkClients(api: ApiClient): Promise<readonly Finding[]> {
  const { clients = [] } = await api.get<BuildAnswer>('/admin/build').catch(() => nothing);
  const words = clients.map(({ name, requests }) => `${name} (requests: ${requests})`);
  return words.length === 0 ? [] : [fine('clients', `since its start: ${words.join(', ')}`)];
}

/** The part of `/admin/build` that is used. */
interface BuildAnswer {
  readonly clients?: readonly { readonly name: string; readonly requests: number }[];
}

const nothing: BuildAnswer = {};

function clockFinding(date: string | undefined, clock: Clock): Finding {
  const apart = Date.parse(date ?? '') - clock.now();
  if (Number.isNaN(apart)) return doubt('clock', 'the server does not send its time');
  if (Math.abs(apart) <= clockDistanceMs)
    return fine('clock', 'the same as the clock of the server');
  const seconds = Math.round(Math.abs(apart) / 1000);
  const side = apart > 0 ? 'ahead of' : 'behind';
  return doubt('clock', `the clock of the server is ${seconds} s ${side} the clock here`);
}

/** Whether a server could listen on the configured address. */
export async function checkPort({ host, port }: Config, url: string): Promise<Finding> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return fine('port', `no server answers at ${url}; ${host} port ${port} is free`);
  } catch (error) {
    const why = errorCode(error);
    const said = why === 'EADDRINUSE' ? 'another program has it' : `${why}`;
    return wrong('port', `${host} port ${port} cannot be listened on: ${said}`);
  } finally {
    server.close();
  }
}
