import { encodeEntry } from '../../../src/cluster/entry.js';
import { KafkaLog } from '../../../src/cluster/kafka/kafka-log.js';
import { parseKafkaUrl } from '../../../src/cluster/kafka/kafka-url.js';
import { systemClock } from '../../../src/engine/clock.js';
import { knownNodes } from '../../../src/server/copies/known-nodes.js';
import { describeWithMockBrokers, MockBrokers } from '../../cluster/mock-brokers/mock-brokers.js';
import { oldProtocol } from '../../cluster/mock-brokers/old-protocol.js';

const topic = 'nodes';

/** Mock brokers delete the first entries once there are more than 5 MiB. */
const large = Buffer.alloc(900 * 1024);

const claim = encodeEntry({
  kind: 'claim',
  epoch: 2,
  life: '0123456789abcdef',
  after: 9,
  node: 'http://owner',
});

describeWithMockBrokers('the nodes that a topic of Kafka names', () => {
  it('are found even if the topic was trimmed', async () => {
    const [brokers, protocol] = await Promise.all([MockBrokers.start(), oldProtocol()]);
    await brokers.topic(topic);
    const url = parseKafkaUrl(`kafka://${brokers.addresses}/${topic}`);
    const log = new KafkaLog(protocol, url, systemClock);
    for (let place = 0; place < 9; place += 1) await log.append(place, large);
    await log.append(9, claim);
    const { start } = await log.read(0);
    expect(start).toBeGreaterThan(0);
    expect(await knownNodes(log)).toEqual({ start, owner: 'http://owner', followers: [] });
    await log.close();
    brokers.stop();
  });
});
