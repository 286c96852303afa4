/**
 * The server as it was at a moment in the past (ADR 47): the whole application over the same
 * folder, in which nothing changes, nothing runs, and the journal ends at that moment. So every
 * `GET` is answered by the same code that answers it today.
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Store } from '../../storage/store.js';
import { Engine } from '../engine/engine.js';
import type { PastView } from '../engine/history/past-moment.js';
import type { Identifiers } from '../engine/identifiers.js';
import { Journal, journalLogName } from '../engine/journal.js';
import { ProcessLife } from '../engine/lifecycle/process-life.js';
import { keysOf } from '../grammar/keys.js';
import { BasicCredentials } from '../http/identity/basic-auth.js';
import { BearerTokens, tokenDigest } from '../http/identity/bearer-token.js';
import { InboundMetrics } from '../http/inbound.metrics.js';
import { applicationModule } from './app.module.js';
import type { Config } from './configuration/config.js';
import type { Credentials } from './credentials/credentials.js';
import { createHttpServer } from './http-server.js';
import { InboundConnections } from './inbound/connections.js';
import {
  type PastAnswer,
  type PastQuestion,
  type PastRole,
  type PastServer,
  PastTooLarge,
} from './past/past-server.js';
import type { Ports } from './ports.js';
import type { Shared } from './shared.js';

/** The largest answer that is assembled, in bytes. */
const answerBytesMax = 16 * 1024 * 1024;

/** Length of the tokens and secrets made here, in bytes; only this process knows them. */
const tokenBytes = 24;

/**
 * Replays the journal below the moment. Rejects as a start does, and with whatever `throwIfStopped`
 * throws.
 */
export async function openPastApplication(
  configured: Config,
  view: PastView,
  ports: Omit<Ports, 'past' | 'log'>,
): Promise<PastServer> {
  let { until, at } = view;
  const past: PastView = {
    get until() {
      return until;
    },
    get at() {
      return at;
    },
    throwIfStopped: view.throwIfStopped,
  };
  const clock = { ...ports.clock, now: () => at };
  const log = pino({ level: 'silent' });
  const shared = sharedOf(configured, { ...ports, clock, log, past });
  const { life, bearer, inbound } = shared;
  const limits = { connections: 1, connectionsPerAddress: 1 };
  const connections = new InboundConnections(limits, { clock, log, metrics: inbound });
  try {
    const nest = await createHttpServer(shared, connections, applicationModule);
    await life.recover();
    const reaches = nest.get(Store).log(journalLogName)?.highWatermark ?? 0;
    // Durable records are proven on the disk only a moment later, so the caller opens the past
    // again then.
    if (reaches < view.until)
      throw new Error(`the folder proves its journal up to ${reaches} only`);
    // The present credentials decided who may ask, so the tokens of the past are not used.
    const tokens: Record<PastRole, string> = {
      read: secretOf(ports.identifiers),
      operate: secretOf(ports.identifiers),
      admin: secretOf(ports.identifiers),
    };
    const roles = new Map(keysOf(tokens).map((role) => [tokenDigest(tokens[role]), role]));
    bearer.alsoKnow((digest) => {
      const role = roles.get(digest);
      return role && { principal: role, role };
    });
    return {
      reaches,
      async ask({ role, target, moment }: PastQuestion) {
        const from = until;
        ({ until, at } = moment);
        if (until > from) await foldOn(nest, from, view.throwIfStopped);
        return answerOf(nest, tokens[role], target);
      },
      async end() {
        await life.stop('it is not asked any more');
        await nest.close();
      },
    };
  } catch (error) {
    await life.stop('the past cannot be shown');
    throw error;
  }
}

/**
 * What the server of the past shares: nothing in it changes, and it accepts no credential from
 * outside.
 */
function sharedOf(configured: Config, ports: Ports): Shared {
  const { identifiers, clock, log } = ports;
  const life = new ProcessLife(clock, log);
  life.changeNothing('this is what was');
  const registry = new Registry();
  const credentials: Credentials = {
    tokens: [],
    readTokens: [],
    restUsername: 'none',
    restPassword: secretOf(identifiers),
    currentSigningKey: secretOf(identifiers),
    nextSigningKey: secretOf(identifiers),
  };
  return {
    config: { ...configured, scrubBytesPerSecond: 0 },
    credentials,
    ports,
    life,
    registry,
    inbound: new InboundMetrics(registry),
    bearer: new BearerTokens([], []),
    basic: new BasicCredentials(credentials.restUsername, credentials.restPassword),
    openPast: null,
    cluster: null,
    membership: null,
    tracer: null,
  };
}

function secretOf(identifiers: Identifiers): string {
  return identifiers.randomBytes(tokenBytes).toString('base64url');
}

/** Only the indexes learn of these events: observers are meant for what happens now. */
async function foldOn(
  nest: NestFastifyApplication,
  from: number,
  throwIfStopped: () => void,
): Promise<void> {
  const engine = nest.get(Engine);
  for await (const envelopes of nest.get(Journal).replay(from)) {
    throwIfStopped();
    engine.replay(envelopes.filter(({ offset }) => offset >= from));
  }
}

async function answerOf(
  nest: NestFastifyApplication,
  token: string,
  url: string,
): Promise<PastAnswer> {
  const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
  const response = await nest.inject({ method: 'GET', url, headers, payloadAsStream: true });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response.stream()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > answerBytesMax) {
      throw new PastTooLarge(`the answer has more than ${answerBytesMax} bytes: ask for less`);
    }
  }
  const contentType = response.headers['content-type'];
  return {
    status: response.statusCode,
    contentType: typeof contentType === 'string' ? contentType : null,
    body: Buffer.concat(chunks),
  };
}
