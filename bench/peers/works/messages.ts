/** Messages: accepted, accepted by hundreds, delivered. */
import { bytesOf, LeanConnection } from '../../load/lean-connection.js';
import { batchSize } from '../../load/message-batches.js';
import type { Round } from '../../measure/contest.js';
import { machineTime } from '../../measure/machine-time.js';
import type { Sink } from '../../measure/sink.js';
import type { PeerServer, Publishing } from '../peer.js';
import { requestRound } from '../processes/http.js';
import { type Rounds, required, type Work } from './work.js';

const hourSeconds = 3600;
const kibibyte = 1024;
const batchesInFlight = 16;
const deliveredInFlight = 64;
const queuedBatchesInFlight = 4;
const steadyPerSecond = 100;

/** Deliveries per second of the first round, which does not count. */
const firstGuess = 500;

const message = { unit: 'messages', bytes: kibibyte, compares: 'rate', share: 1 } as const;

export const messageWorks: readonly Work[] = [
  ...[1, 16, 64, 256].map(
    (inFlight): Work => ({
      ...message,
      name: `publish accepted, 1 KiB, ${inFlight} in flight`,
      kind: 'accept',
      begin: (server) => accepting(server, 1, kibibyte, inFlight),
    }),
  ),
  ...[kibibyte, 100].map(
    (bytes): Work => ({
      ...message,
      name: `batches of ${batchSize} x ${bytes === kibibyte ? '1 KiB' : `${bytes} B`} accepted`,
      kind: 'batch',
      bytes,
      begin: (server) => accepting(server, batchSize, bytes, batchesInFlight),
    }),
  ),
  {
    ...message,
    name: `published to delivered, 1 KiB, ${deliveredInFlight} in flight`,
    kind: 'deliver',
    begin: (server, sink) => delivering(server, sink, 1, deliveredInFlight),
  },
  {
    ...message,
    name: `queue, one at a time, 1 KiB, in batches of ${batchSize}`,
    kind: 'queue',
    begin: (server, sink) => delivering(server, sink, batchSize, queuedBatchesInFlight),
  },
  {
    ...message,
    name: `published to delivered, 1 KiB, ${steadyPerSecond}/s`,
    kind: 'deliver',
    compares: 'latency',
    share: 2,
    begin: deliveringSteadily,
  },
];

/** Due in an hour: none is sent. */
async function accepting(
  server: PeerServer,
  messages: number,
  bytes: number,
  inFlight: number,
): Promise<Rounds> {
  const bodies = Array<string>(messages).fill('x'.repeat(bytes));
  const publishing = { url: 'http://127.0.0.1:8080/orders', bodies, delaySeconds: hourSeconds };
  const request = publish(server, publishing);
  return { run: (seconds) => requestRound(request, inFlight, messages, { seconds }) };
}

/**
 * As many as the last round would have delivered in the time; the clock runs from the first publish
 * to the last arrival.
 */
async function delivering(
  server: PeerServer,
  sink: Sink,
  messages: number,
  inFlight: number,
): Promise<Rounds> {
  const bodies = Array<string>(messages).fill(bodyOf());
  const request = publish(server, { url: `${sink.origin}/`, bodies, delaySeconds: 0 });
  let rate = firstGuess;
  return {
    run: async (seconds): Promise<Round> => {
      const calls = Math.ceil((rate * seconds) / messages);
      const operations = calls * messages;
      const start = machineTime();
      await requestRound(request, inFlight, messages, { calls });
      const { lastAt } = await sink.arrivals(operations);
      const elapsed = (lastAt - start) / 1000;
      rate = operations / elapsed;
      return { operations, seconds: elapsed, latencies: [] };
    },
  };
}

/** From the moment the publish is sent to the moment the sink has the message. */
async function deliveringSteadily(server: PeerServer, sink: Sink): Promise<Rounds> {
  const requestOf = (number: number) =>
    bytesOf(
      publish(server, { url: `${sink.origin}/${number}`, bodies: [bodyOf()], delaySeconds: 0 }),
    );
  const { origin } = publish(server, { url: sink.origin, bodies: [bodyOf()], delaySeconds: 0 });
  return {
    run: async (seconds): Promise<Round> => {
      const count = Math.ceil(steadyPerSecond * seconds);
      const connections = new IdleConnections(origin);
      const sentAt: number[] = [];
      const sent: Promise<void>[] = [];
      const start = performance.now();
      for (let number = 1; number <= count; number += 1) {
        const request = requestOf(number);
        const dueIn = start + (number * 1000) / steadyPerSecond - performance.now();
        if (dueIn > 0) await new Promise((resolve) => setTimeout(resolve, dueIn));
        sentAt[number] = machineTime();
        sent.push(connections.send(request));
      }
      await Promise.all(sent).finally(() => connections.close());
      const { numbered } = await sink.arrivals(count);
      const latencies = numbered.map(([number, at]) => at - (sentAt[number] ?? Number.NaN));
      return { operations: count, seconds, latencies };
    },
  };
}

/** As many connections as there are requests under way. */
class IdleConnections {
  private readonly opened: LeanConnection[] = [];
  private readonly idle: LeanConnection[] = [];

  constructor(private readonly origin: string) {}

  async send(request: Buffer): Promise<void> {
    const connection = this.idle.pop() ?? (await this.open());
    await connection.send(request);
    this.idle.push(connection);
  }

  close(): void {
    for (const connection of this.opened) connection.close();
  }

  private async open(): Promise<LeanConnection> {
    const connection = await LeanConnection.open(this.origin);
    this.opened.push(connection);
    return connection;
  }
}

function publish(server: PeerServer, publishing: Publishing) {
  return required(server.publish)(publishing);
}

function bodyOf(): string {
  return 'x'.repeat(kibibyte);
}
