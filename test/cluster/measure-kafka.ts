/**
 * Measures appends over mock brokers, one in flight, in milliseconds: `NODE_OPTIONS="--import
 * @swc-node/register/esm-register" node test/cluster/measure-kafka.ts`.
 */
import { KafkaLog } from '../../src/cluster/kafka/kafka-log.js';
import { parseKafkaUrl } from '../../src/cluster/kafka/kafka-url.js';
import { systemClock } from '../../src/engine/clock.js';
import { MockBrokers } from './mock-brokers/mock-brokers.js';
import { oldProtocol } from './mock-brokers/old-protocol.js';

const appends = 500;
const rounds = 5;
const sizes = [1024, 16_384, 131_072];

const brokers = await MockBrokers.start();
const protocol = await oldProtocol();
const spent = new Map<number, number[]>(sizes.map((size) => [size, []]));
let cpuMs = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const size of sizes) {
    const topic = `measured-${size}-${round}`;
    await brokers.topic(topic);
    const target = parseKafkaUrl(`kafka://${brokers.addresses}/${topic}`);
    const log = new KafkaLog(protocol, target, systemClock);
    const bytes = Buffer.alloc(size, 1);
    for (let place = -20; place < appends / rounds; place += 1) {
      const cpu = process.cpuUsage();
      const from = performance.now();
      const { kind } = await log.append(place, bytes);
      if (kind !== 'stored') throw new Error(`an append was ${kind}`);
      if (place < 0) continue;
      spent.get(size)?.push(performance.now() - from);
      const { user, system } = process.cpuUsage(cpu);
      cpuMs += (user + system) / 1000;
    }
    await log.close();
  }
}
for (const [size, times] of spent) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(2);
  console.log(`${size} bytes: p50 ${at(0.5)}, p99 ${at(0.99)} (${sorted.length} appends)`);
}
console.log(`CPU of this process: ${(cpuMs / (appends * sizes.length)).toFixed(2)} an append`);
brokers.stop();
