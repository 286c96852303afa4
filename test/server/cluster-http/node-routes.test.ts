import { callNode } from '../../../src/cluster/forwarding/node-call.js';
import { systemClock } from '../../../src/engine/clock.js';
import { systemIdentifiers } from '../../../src/engine/identifiers.js';
import { provided } from '../../../src/engine/provided.js';
import type { Cluster } from '../../../src/server/cluster/cluster.js';
import { standingPath } from '../../../src/server/cluster/standing-reports.js';
import { copyPath } from '../../../src/server/cluster-http/node-routes.js';
import {
  clusterSecret,
  serves,
  TestCluster,
  type TestNode,
  until,
} from '../../support/cluster/test-cluster.js';

const cluster = new TestCluster();
const stranger = 'http://203.0.113.7:7070';
let owner: TestNode;
let follower: TestNode;

const statusOf = ({ application }: TestNode) =>
  application.nest.get<Cluster>(provided.cluster as never, { strict: false }).status;
const followersOf = (node: TestNode) => (statusOf(node).followers ?? []).map((each) => each.node);

beforeAll(async () => {
  owner = await cluster.start();
  await serves(owner);
  follower = await cluster.start();
  await until(() => statusOf(follower).owner !== null);
});

afterAll(() => cluster.remove());

describe('what nodes ask of each other', () => {
  const asks = [
    [copyPath, { held: [] }],
    [standingPath, { node: stranger, place: 0 }],
  ] as const;

  it.each(asks)('is not for clients, whichever node they ask: %s', async (path, json) => {
    for (const { url, bearer, basic } of [owner, follower]) {
      for (const credential of [null, bearer, basic]) {
        const answer = await fetch(`${url}${path}`, {
          method: 'PUT',
          headers: credential === null ? {} : { authorization: credential },
          body: JSON.stringify(json),
        });
        expect([401, 404]).toContain(answer.status);
        await answer.arrayBuffer();
      }
    }
    expect(followersOf(owner)).not.toContain(stranger);
  });

  it.each(asks)('is for nodes: %s', async (path, json) => {
    const [clock, identifiers] = [systemClock, systemIdentifiers];
    const caller = { url: stranger, secret: clusterSecret, clock, identifiers };
    const origin = statusOf(owner).node;
    const body = Buffer.from(JSON.stringify(json));
    const answer = await callNode(caller, { origin, path, body, withinMs: 5000 });
    expect([200, 204]).toContain(answer.statusCode);
    await answer.body.dump();
  });
});
