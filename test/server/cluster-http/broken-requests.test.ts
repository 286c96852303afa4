import { once } from 'node:events';
import { request as requestOf } from 'node:http';
import { signHop } from '../../../src/cluster/forwarding/hop.js';
import { basic, type ClusterNode, clusterSecret, startNode } from '../../support/cluster-node.js';
import { keptBytes } from '../../support/program/kept-bytes.js';

let owner: ClusterNode;

beforeAll(async () => {
  owner = await startNode();
  owner.standing.mayServe = true;
  await owner.recovered;
});

afterAll(() => owner.stop());

const mebibyte = 1024 * 1024;

/** A request that another node forwards, and breaks off while it waits for records. */
async function breakOff(seed: string): Promise<void> {
  const path = `/consume/group-${seed}/instance`;
  const text = JSON.stringify({ topic: 'empty', timeout: 10_000 });
  const body = Buffer.from(text.padEnd(mebibyte / 2));
  const hop = { client: '10.0.0.9', seed, attempt: 1 };
  const signed = signHop(clusterSecret, { method: 'POST', path, body }, hop, Date.now());
  const headers = { authorization: basic, ...signed };
  const sent = requestOf(`${owner.clusterUrl}${path}`, { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.end(body);
  await once(sent, 'finish');
  await new Promise((resolve) => setTimeout(resolve, 50));
  sent.destroy();
}

it('a node keeps nothing of the bodies of requests that were broken off', async () => {
  const made = await fetch(`${owner.url}/admin/topics`, {
    method: 'POST',
    headers: { authorization: basic },
    body: JSON.stringify({ name: 'empty', partitions: 1 }),
  });
  expect(made.status).toBe(201);
  await breakOff('first');
  const before = await keptBytes();
  for (let index = 0; index < 20; index += 1) await breakOff(`seed${index}`);
  // Each of them would wait for ten seconds; that a client is gone is known soon after.
  let kept = Number.POSITIVE_INFINITY;
  for (let looks = 0; kept >= 4 * mebibyte && looks < 50; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    kept = (await keptBytes()) - before;
  }
  expect(kept).toBeLessThan(4 * mebibyte);
});
