import { once } from 'node:events';
import { Agent, type IncomingMessage, request as requestOf } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { hopHeader, signHop } from '../../../src/cluster/forwarding/hop.js';
import { principalObject } from '../../../src/engine/principal/shown-principal.js';
import {
  basic,
  bearer,
  type ClusterNode,
  clusterSecret,
  startNode,
} from '../../support/cluster-node.js';

let owner: ClusterNode;
let follower: ClusterNode;
/** A node that knows of no owner until it becomes the owner. */
let lonely: ClusterNode;
let givenUp: Promise<readonly Response[]>;
/** A node whose owner does not answer and was last heard in the shared log long ago. */
let deaf: ClusterNode;
let unanswered: Promise<readonly Response[]>;
let taken = 0;
const still = createServer((socket) => {
  socket.once('data', () => {
    taken += 1;
  });
  socket.on('error', () => undefined);
});
let wire: Wire;

beforeAll(async () => {
  lonely = await startNode();
  // These requests are held for seconds, while the other tests run.
  const held = (body: string) => post(`/v2/publish/${hook}`, body, delayed, lonely);
  givenUp = Promise.all([held('held'), held('lost')]);
  still.listen(0, '127.0.0.1');
  await once(still, 'listening');
  deaf = await startNode();
  deaf.standing.otherOwner = addressOf(still);
  deaf.standing.heardMsAgo = 60_000;
  const asked = { headers: { authorization: bearer } };
  unanswered = Promise.all([
    post(`/v2/publish/${hook}`, 'once', delayed, deaf),
    fetch(`${deaf.url}/v2/queues`, asked),
  ]);
  owner = await startNode();
  owner.standing.mayServe = true;
  await owner.recovered;
  follower = await startNode();
  wire = await wireTo(owner.clusterUrl);
});

beforeEach(() => {
  wire.cutsAnswers = 0;
  follower.standing.otherOwner = wire.url;
});

afterAll(async () => {
  await Promise.all([deaf, lonely, follower, owner].map((node) => node.stop()));
  still.close();
  wire.close();
});

/** The connection between two nodes; it can lose answers. */
interface Wire {
  readonly url: string;
  /** How many answers to cut off before their first byte. */
  cutsAnswers: number;
  close(): void;
}

async function wireTo(url: string): Promise<Wire> {
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    open.add(near);
    near.once('close', () => open.delete(near));
    near.pipe(far);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    far.on('data', (bytes) => {
      if (made.cutsAnswers > 0) {
        made.cutsAnswers -= 1;
        near.destroy();
      } else near.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const made: Wire = {
    url: addressOf(server),
    cutsAnswers: 0,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
  return made;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const hook = 'http://127.0.0.1:9099/hook';
const post = (
  path: string,
  body: string | Buffer | null,
  headers: Record<string, string> = {},
  { url } = follower,
) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: bearer, ...headers },
    body,
  });
const delayed = { 'Svc-Delay': '1h' };

/** The ids of the messages in the journal of a node, in order. */
async function published({ journal } = owner): Promise<string[]> {
  const ids: string[] = [];
  for await (const events of journal.replay()) {
    for (const { id, event } of events) if (event.type === 'MessagePublished') ids.push(id);
  }
  return ids;
}

describe('a node that is not the owner', () => {
  it('answers as the owner does, for the same client and credential', async () => {
    const answer = await post(`/v2/publish/${hook}`, 'hello', delayed);
    const { messageId, url } = (await answer.json()) as { messageId: string; url: string };
    expect([answer.status, url, answer.headers.get('stepwell-durability')]).toEqual([
      200,
      hook,
      'fsync',
    ]);
    const shown = await fetch(`${follower.url}/v2/messages/${messageId}`, {
      headers: { authorization: bearer },
    });
    expect([shown.status, ((await shown.json()) as { body: string }).body]).toEqual([200, 'hello']);
    const [event] = await owner.journal
      .find(messageId, 0, Infinity)
      .next()
      .then(({ value }) => [value]);
    expect(principalObject(event?.by ?? null)).toEqual({
      name: 'env:1',
      address: '127.0.0.1',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it('lets the owner refuse a credential and a path', async () => {
    const statuses = await Promise.all([
      post(`/v2/publish/${hook}`, 'hello', { authorization: 'Bearer nothing' }),
      post('/v2/nowhere', ''),
    ]).then((answers) => answers.map(({ status }) => status));
    expect(statuses).toEqual([401, 404]);
  });

  it('forwards bodies up to the limit of the server, and refuses longer ones', async () => {
    const long = Buffer.alloc(5_000_000, 'a');
    const answer = await post(`/v2/publish/${hook}`, long, delayed);
    expect(answer.status).toBe(200);
    const { messageId } = (await answer.json()) as { messageId: string };
    const shown = await fetch(`${follower.url}/v2/messages/${messageId}`, {
      headers: { authorization: bearer },
    });
    expect(((await shown.json()) as { body: string }).body).toHaveLength(long.length);
    expect((await post(`/v2/publish/${hook}`, Buffer.alloc(17_000_000))).status).toBe(413);
  });

  it('refuses headers that only nodes may send', async () => {
    for (const { url } of [owner, follower]) {
      const headers = { authorization: bearer, [hopHeader]: '1' };
      const answer = await fetch(`${url}/v2/queues`, { headers });
      expect(answer.status).toBe(400);
    }
  });

  it('reports its own state', async () => {
    const get = async (path: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${follower.url}${path}`, { headers });
      return [answer.status, await answer.text()] as const;
    };
    expect(await get('/health/ready')).toEqual([200, '{"state":"standby","reason":null}']);
    const [status, shown] = await get('/admin/cluster', { authorization: basic });
    expect([status, JSON.parse(shown)]).toEqual([200, follower.standing.status]);
    expect((await get('/admin/cluster'))[0]).toBe(401);
    const [, metrics] = await get('/metrics');
    expect(metrics).toContain('stepwell_cluster_role{role="follower"} 1');
    expect(metrics).toMatch(/forwarded_requests_total\{result="answered"\} \d+/);
    follower.standing.otherOwner = null;
    expect((await get('/health/ready'))[0]).toBe(503);
  });

  it('forwards a planned takeover to the owner', async () => {
    const headers = { authorization: basic };
    const handOver = async () => (await post('/admin/cluster/handover', null, headers)).status;
    const version = '0.1.0';
    const heard = (heardMsAgo: number) => [
      { node: follower.clusterUrl, behind: 0, heardMsAgo, version },
    ];
    for (const followers of [[], heard(20_000)]) {
      owner.standing.followers = followers;
      expect(await handOver()).toBe(409);
    }
    owner.standing.followers = heard(3000);
    expect(await handOver()).toBe(202);
    expect([owner.standing.handedOver, follower.standing.handedOver]).toEqual([1, 0]);
  });

  it('holds requests until an owner is known', async () => {
    follower.standing.otherOwner = null;
    const held = post(`/v2/publish/${hook}`, 'held', delayed);
    follower.standing.otherOwner = wire.url;
    expect((await held).status).toBe(200);
  });

  it('streams an answer, and ends the stream at the owner when its client goes', async () => {
    const request = requestOf(`${follower.url}/v2/live`, { headers: { authorization: bearer } });
    request.end();
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect(answer.headers['content-type']).toContain('text/event-stream');
    await post(`/v2/publish/${hook}`, 'seen', delayed);
    const [first] = await once(answer, 'data');
    expect(String(first)).not.toBe('');
    const isOpen = async () => {
      const metrics = await (await fetch(`${owner.url}/metrics`)).text();
      return metrics.includes('stepwell_open_streams{kind="live"} 1');
    };
    expect(await isOpen()).toBe(true);
    request.destroy();
    while (await isOpen()) await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe('a request whose answer was lost', () => {
  it('is not carried out again, and is answered from the journal', async () => {
    const before = await published();
    wire.cutsAnswers = 2;
    const answer = await post(`/v2/publish/${hook}`, 'once', delayed);
    expect(wire.cutsAnswers).toBe(0);
    const { messageId, url } = (await answer.json()) as { messageId: string; url: string };
    expect([answer.status, url]).toEqual([200, hook]);
    expect(await published()).toEqual([...before, messageId]);
  });

  it('is reported as carried out if its answer cannot be repeated', async () => {
    const before = await published();
    wire.cutsAnswers = 1;
    const items = [
      { destination: hook, headers: delayed, body: 'a' },
      { destination: hook, headers: delayed, body: 'b' },
    ];
    const answer = await post('/v2/batch', JSON.stringify(items));
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('was carried out'),
    ]);
    const after = await published();
    expect(after).toHaveLength(before.length + 2);
    expect(after).toContain(answer.headers.get('stepwell-message-id'));
  });

  it('is not sent again if the owner could not recognise it', async () => {
    wire.cutsAnswers = 1;
    const produce = (headers: Record<string, string>) =>
      post('/produce/rides', JSON.stringify({ value: 'v' }), { authorization: basic, ...headers });
    const answer = await produce({});
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('may or may not have been carried out'),
    ]);
    wire.cutsAnswers = 1;
    const known = await produce({ 'idempotency-key': 'k1' });
    expect(known.status).toBe(200);
  });

  it('is recognised by its Idempotency-Key, and not by the topic that it has created', async () => {
    wire.cutsAnswers = 1;
    const produce = (value: string) =>
      post('/produce/made', JSON.stringify({ value }), {
        authorization: basic,
        'idempotency-key': 'k2',
      });
    const answer = await produce('v');
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      [{ topic: 'made', offset: 0 }],
    ]);
    expect(await (await produce('v')).json()).toMatchObject([{ topic: 'made', offset: 0 }]);
  });

  it('is refused within seconds if the owner does not answer and has no successor', async () => {
    const [published, listed] = await unanswered;
    for (const answer of [published, listed]) {
      expect([answer?.status, answer?.headers.get('retry-after')]).toEqual([503, '2']);
      expect(await answer?.text()).toContain('may or may not have been carried out');
    }
    expect(published?.headers.get('stepwell-message-id')).toMatch(/^msg_/);
    expect(taken).toBe(2);
  });

  it('is carried out if the node becomes the owner in time, and refused otherwise', async () => {
    for (const answer of await givenUp) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    }
    const held = post(`/v2/publish/${hook}`, 'held', delayed, lonely);
    lonely.standing.mayServe = true;
    expect((await held).status).toBe(200);
    expect(await published(lonely)).toHaveLength(1);
  });
});

describe('the port for other nodes', () => {
  const path = `/v2/publish/${hook}`;
  const body = Buffer.from('hello');
  const request = { method: 'POST', path, body };
  let seeds = 0;
  const send = (attempt: number, seed: string, more: Record<string, string> = {}) =>
    fetch(`${owner.clusterUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: bearer,
        ...delayed,
        'x-request-id': `r-${seed}`,
        ...signHop(clusterSecret, request, { client: '203.0.113.7', seed, attempt }, Date.now()),
        ...more,
      },
      body,
    });
  const seed = () => {
    seeds += 1;
    return `01M0000000ABCDEFGHJKM${String(seeds).padStart(2, '0')}`;
  };

  it('refuses requests without a signature, or with a body that does not match', async () => {
    const unsigned = await fetch(`${owner.clusterUrl}/v2/queues`, {
      headers: { authorization: bearer },
    });
    expect([unsigned.status, unsigned.headers.get(hopHeader)]).toEqual([401, 'it is not signed']);
    const changed = await send(1, seed(), { [`${hopHeader}-client`]: '10.0.0.1' });
    expect(changed.status).toBe(401);
    const other = { ...request, body: Buffer.from('other') };
    const signed = signHop(
      clusterSecret,
      other,
      { client: 'a', seed: seed(), attempt: 1 },
      Date.now(),
    );
    expect((await send(1, seed(), signed)).status).toBe(401);
  });

  it('sends back requests that this node may not answer', async () => {
    owner.standing.mayServe = false;
    expect((await send(1, seed())).status).toBe(421);
    owner.standing.mayServe = true;
  });

  it('carries out the request of a seed once, in whatever order its attempts arrive', async () => {
    const before = await published();
    const own = seed();
    const answers = await Promise.all([send(1, own), send(2, own), send(3, own)]);
    const late = await send(1, own);
    expect(late.status).toBe(503);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect(await published()).toEqual([...before, `msg_${own}1`]);
    const again = await send(4, own);
    expect(await again.json()).toEqual({ messageId: `msg_${own}1`, url: hook });
    expect(await published()).toHaveLength(before.length + 1);
  });
});

it('a node that ends waits for the requests of others, but not for their connections', async () => {
  const ending = await startNode();
  ending.standing.mayServe = true;
  await ending.recovered;
  const signed = { method: 'POST', path: '/v2/queues', body: Buffer.from('{}') };
  const hop = { client: '203.0.113.7', seed: '01M0000000ABCDEFGHJKM99', attempt: 1 };
  const agent = new Agent({ keepAlive: true });
  const url = `${ending.clusterUrl}${signed.path}`;
  const hopHeaders = signHop(clusterSecret, signed, hop, Date.now());
  const headers = { ...hopHeaders, 'content-length': '2', expect: '100-continue' };
  const request = requestOf(url, { method: signed.method, agent, headers });
  request.flushHeaders();
  // The head has arrived, and the body has not.
  await once(request, 'continue');
  request.write('{');
  const stopped = ending.stop();
  request.end('}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  // Otherwise the connection would stay for a minute, and a planned takeover would wait for the
  // deadline of the stop.
  await stopped;
  agent.destroy();
}, 8000);
