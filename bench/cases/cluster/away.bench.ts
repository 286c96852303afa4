/**
 * A node of a cluster that was away while the others went on: how long it takes until it is in step
 * with the owner again. The log that they share is a PostgreSQL of this machine.
 */

import { publishInBatches } from '../../load/message-batches.js';
import type { Figure, Measurement, MeasurementTools } from '../../measure/measurement.js';
import { Sink } from '../../measure/sink.js';
import { ClusterNodes, inStep } from './cluster-nodes.js';

const messagesPerSecond = 500;
const hourSeconds = 3600;
const body = 'x'.repeat(1024);

/** Takes minutes. It is away for `seconds` of 500 messages a second, each delivered once. */
export function awayMeasurements(seconds: number): readonly Measurement[] {
  const messages = messagesPerSecond * seconds;
  return [
    {
      scenario: 'away',
      name: `a node was away for ${seconds} s of ${messagesPerSecond} messages of 1 KiB a second`,
      isLong: true,
      measure: (tools) => measureAway(tools, messages, seconds === hourSeconds ? 30 : null),
    },
  ];
}

async function measureAway(
  { directory }: MeasurementTools,
  messages: number,
  goal: number | null,
): Promise<readonly Figure[]> {
  const nodes = await ClusterNodes.make(directory);
  const sink = await Sink.start();
  try {
    const owner = await nodes.startOwner('owner');
    const before = await nodes.start('follower');
    await inStep(before, owner);
    await before.stop();
    const destination = `${sink.origin}/`;
    await publishInBatches(owner, messages, () => ({ destination, body }));
    await sink.arrivals(messages);
    const startedAt = performance.now();
    const back = await nodes.start('follower');
    const startSeconds = (performance.now() - startedAt) / 1000;
    await inStep(back, owner);
    const seconds = (performance.now() - startedAt) / 1000;
    const { cpuMicroseconds, residentBytes } = await back.usage();
    return [
      {
        name: 'in step again after, s',
        value: seconds,
        goal: goal === null ? null : { atMost: goal },
      },
      { name: 'of which it started for, s', value: startSeconds, goal: null },
      { name: 'its process time, s', value: cpuMicroseconds / 1e6, goal: null },
      {
        name: 'an hour would take, at the pace after its start, s',
        value:
          startSeconds + ((seconds - startSeconds) * messagesPerSecond * hourSeconds) / messages,
        goal: null,
      },
      { name: 'RSS, MiB', value: residentBytes / 1024 ** 2, goal: null },
    ];
  } finally {
    await nodes.stop();
    await sink.stop();
  }
}
