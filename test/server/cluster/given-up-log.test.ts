import type { CommitLog } from '../../../src/cluster/commit-log.js';
import { decodeEntry } from '../../../src/cluster/entry.js';
import { provided } from '../../../src/engine/provided.js';
import type { Cluster } from '../../../src/server/cluster/cluster.js';
import { callLog, produceTo } from '../../support/clients/log-client.js';
import { serves, TestCluster, type TestNode, until } from '../../support/cluster/test-cluster.js';

const cluster = new TestCluster();

afterAll(() => cluster.remove());

const produce = (node: TestNode, value: string) => produceTo(node, 't', 0, value);

const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster, { strict: false }).status;

/** The release gets no answer, and reads after it wait until `shown`. */
function withLostRelease(log: CommitLog, shown: Promise<void>): CommitLog {
  let isReleased = false;
  return {
    ...log,
    append: async (expected, bytes) => {
      const outcome = await log.append(expected, bytes);
      if (decodeEntry(bytes)?.kind !== 'release') return outcome;
      isReleased = true;
      return { kind: 'unknown' };
    },
    read: async (from) => {
      if (isReleased) await shown;
      return log.read(from);
    },
  };
}

it('an owner that gives the log up keeps no place behind what the next one writes', async () => {
  let show = (): void => undefined;
  const shown = new Promise<void>((resolve) => {
    show = resolve;
  });
  const first = await cluster.start({
    ports: { commitLog: withLostRelease(cluster.log.open(), shown) },
  });
  await serves(first);
  const second = await cluster.start();
  const isInStep = (node: TestNode, owner: TestNode) =>
    statusOf(node).appliedSequence === statusOf(owner).sequence;
  await produce(first, 'one');
  await until(() => isInStep(second, first));
  const stopped = first.stop();
  await serves(second);
  await produce(second, 'two');
  show();
  await stopped;
  const again = await cluster.start({ dataDirectory: first.dataDirectory });
  await produce(second, 'three');
  await until(() => again.failures.length > 0 || isInStep(again, second));
  expect(again.failures).toEqual([]);
  await second.stop();
  await serves(again);
  const { body } = await callLog(again, '/fetch', { topic: 't', partition: 0, offset: 0 });
  expect(body).toMatchObject([{ value: 'one' }, { value: 'two' }, { value: 'three' }]);
}, 30_000);
