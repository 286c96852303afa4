import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ForwardedRequest,
  Forwarder,
  type ForwarderOptions,
  misdirected,
} from '../../../src/cluster/forwarding/forwarder.js';
import { hasDigest, hopHeader, openHop } from '../../../src/cluster/forwarding/hop.js';
import { systemClock } from '../../../src/engine/clock.js';
import { ManualClock } from '../../support/manual-clock.js';
import { standStill } from '../../support/process/stand-still.js';

const secret = 'shared by all nodes';

interface Seen {
  readonly seed: string;
  readonly client: string;
  readonly attempt: number;
  readonly body: string;
}

/** What an owner does with a request whose signature it accepts. */
type Behavior = (response: ServerResponse, incoming: IncomingMessage, count: number) => void;

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  closing = [];
});

/** A node that takes forwarded requests; others get 401. */
async function owner(behave: Behavior) {
  const seen: Seen[] = [];
  const server: Server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    const { method = '', url: path = '', headers } = incoming;
    const opened = openHop(secret, { method, path }, headers, systemClock.now());
    if (opened.kind !== 'hop' || !hasDigest(body, opened.digest)) {
      response.writeHead(401, { [hopHeader]: 'not believed' }).end();
      return;
    }
    seen.push({ ...opened.hop, body: body.toString() });
    behave(response, incoming, seen.length);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen, connections: () => connections };
}

function forwarder(options: Partial<ForwarderOptions> & Pick<ForwarderOptions, 'owner'>) {
  const made = new Forwarder({
    secret,
    clock: systemClock,
    heldMs: 60_000,
    retryMs: 5,
    ...options,
  });
  closing.push(() => made.close());
  return made;
}

const request = (seed: string, body = 'hello', isRepeatable = true): ForwardedRequest => ({
  method: 'POST',
  path: '/v2/publish/a?b=c',
  headers: ['Content-Type', 'text/plain'],
  body: Buffer.from(body),
  client: '203.0.113.7',
  seed,
  isRepeatable,
});

const text = async (forwarded: Awaited<ReturnType<Forwarder['forward']>>) =>
  forwarded.kind === 'answered'
    ? `${forwarded.answer.statusCode} ${await forwarded.answer.body.text()}`
    : forwarded.kind;

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A clock that a test advances, and what depends on it. */
function manualTime() {
  // Nodes do not accept requests of nodes whose clocks differ by more than 30 s.
  const clock = new ManualClock(systemClock.now());
  // What became due may need the network.
  const passes = async (ms: number) => {
    clock.advance(ms);
    await soon();
  };
  return { clock, passes };
}

const answer: Behavior = (response, _, count) => response.end(`answer ${count}`);

describe('a forwarded request', () => {
  it('is answered by the owner over persistent connections', async () => {
    const { url, seen, connections } = await owner(answer);
    const nodes = forwarder({ owner: () => url });
    expect(await text(await nodes.forward(request('s1')))).toBe('200 answer 1');
    expect(await text(await nodes.forward(request('s2', 'again')))).toBe('200 answer 2');
    expect(seen).toEqual([
      { seed: 's1', client: '203.0.113.7', attempt: 1, body: 'hello' },
      { seed: 's2', client: '203.0.113.7', attempt: 1, body: 'again' },
    ]);
    for (let more = 0; more < 8; more += 1) await text(await nodes.forward(request(`m${more}`)));
    expect(seen).toHaveLength(10);
    expect(connections()).toBeLessThan(5);
    expect(nodes.heldBytes).toBe(0);
  });

  it('is refused, and not sent again, if the secrets differ', async () => {
    const { url, seen } = await owner(answer);
    const stranger = forwarder({ owner: () => url, secret: 'another one' });
    const reason = 'not believed';
    expect(await stranger.forward(request('s1'))).toEqual({ kind: 'refused', reason });
    expect(seen).toEqual([]);
  });

  it('is sent again with its seed when the connection breaks before the answer', async () => {
    const { url, seen } = await owner((response, incoming, count) => {
      if (count < 3) incoming.socket.destroy();
      else answer(response, incoming, count);
    });
    const nodes = forwarder({ owner: () => url });
    expect(await text(await nodes.forward(request('s1')))).toBe('200 answer 3');
    expect(seen.map(({ seed, attempt }) => [seed, attempt])).toEqual([
      ['s1', 1],
      ['s1', 2],
      ['s1', 3],
    ]);
  });

  it('is not sent again if it may have been carried out and cannot be recognized', async () => {
    const { url, seen } = await owner((_, incoming) => incoming.socket.destroy());
    const nodes = forwarder({ owner: () => url });
    expect(await text(await nodes.forward(request('s1', 'once', false)))).toBe('unknown');
    expect(seen).toHaveLength(1);
  });

  it('is sent again as a first attempt if no connection was established', async () => {
    const { url, seen } = await owner(answer);
    let asked = 0;
    const nodes = forwarder({
      owner: () => {
        asked += 1;
        return asked < 4 ? 'http://127.0.0.1:1' : url;
      },
    });
    expect(await text(await nodes.forward(request('s1', 'once', false)))).toBe('200 answer 1');
    expect(seen.map(({ attempt }) => attempt)).toEqual([1]);
  });

  it('is carried out here when this node becomes the owner', async () => {
    let isHere = false;
    const nodes = forwarder({ owner: () => null, isHere: () => isHere });
    const held = nodes.forward(request('s1'));
    isHere = true;
    expect(await held).toEqual({ kind: 'here', attempt: 1 });
  });

  it('leaves an owner that hangs when another node takes over', async () => {
    const still = await owner(() => undefined);
    const next = await owner(answer);
    let known = still.url;
    const nodes = forwarder({ owner: () => known });
    const [first, second] = [
      nodes.forward(request('s1')),
      nodes.forward(request('s2', 'once', false)),
    ];
    while (still.seen.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    known = next.url;
    expect([await text(await first), await text(await second)]).toEqual([
      '200 answer 1',
      'unknown',
    ]);
    expect(next.seen.map(({ attempt }) => attempt)).toEqual([2]);
  });

  it('is given up, and not sent again, when its owner is neither heard nor answers', async () => {
    const still = await owner(() => undefined);
    const { clock, passes } = manualTime();
    const overdueMs = () => 60_000;
    const nodes = forwarder({ owner: () => still.url, heldMs: 5000, overdueMs, clock });
    const forwarded = nodes.forward(request('s1'));
    while (still.seen.length === 0) await soon();
    await passes(4900);
    expect(await Promise.race([forwarded, 'waits'])).toBe('waits');
    await passes(200);
    expect(await forwarded).toEqual({ kind: 'unknown' });
    expect(still.seen).toHaveLength(1);
    expect(nodes.heldBytes).toBe(0);
  });

  it('waits if the owner is heard or answers others, or if it may be sent only once', async () => {
    const finish: (() => void)[] = [];
    const slow = await owner((response, { url }) => {
      if (url === '/quick') response.end();
      else finish.push(() => response.end('late'));
    });
    const { clock, passes } = manualTime();
    let overdueMs = 0;
    const owned = { owner: () => slow.url, overdueMs: () => overdueMs };
    const nodes = forwarder({ ...owned, heldMs: 5000, clock });
    const waiting = [nodes.forward(request('s1')), nodes.forward(request('s2', 'once', false))];
    while (finish.length < 2) await soon();
    await passes(8000);
    for (const seed of ['q1', 'q2', 'q3']) {
      overdueMs = 60_000;
      await text(await nodes.forward({ ...request(seed), path: '/quick' }));
      await passes(4000);
    }
    expect(await Promise.race([...waiting, 'wait'])).toBe('wait');
    await passes(2000);
    expect(await waiting[0]).toEqual({ kind: 'unknown' });
    for (const end of finish) end();
    expect(await text(await waiting[1]!)).toBe('200 late');
  });

  it('goes to the next owner when the last one is not the owner', async () => {
    const before = await owner((response) => response.writeHead(misdirected).end());
    const after = await owner(answer);
    const nodes = forwarder({ owner: () => (before.seen.length < 2 ? before.url : after.url) });
    expect(await text(await nodes.forward(request('s1')))).toBe('200 answer 1');
    expect([before.seen.length, after.seen.length]).toEqual([2, 1]);
  });

  it('waits while no owner is known', async () => {
    const { url } = await owner(answer);
    let asked = 0;
    const nodes = forwarder({
      owner: () => {
        asked += 1;
        return asked < 5 ? null : url;
      },
    });
    expect(await text(await nodes.forward(request('s1')))).toBe('200 answer 1');
  });

  it('is given up when it times out', async () => {
    const nodes = forwarder({ owner: () => null, heldMs: 50 });
    expect(await nodes.forward(request('s1'))).toEqual({ kind: 'unavailable' });
    expect(nodes.heldBytes).toBe(0);
  });

  it('is not given up for the time in which this process stood still', async () => {
    const { url } = await owner(answer);
    let isBack = false;
    const nodes = forwarder({ owner: () => (isBack ? url : null), heldMs: 1000 });
    const forwarded = nodes.forward(request('s1'));
    await soon();
    standStill(1500);
    setTimeout(() => (isBack = true), 100);
    expect(await text(await forwarded)).toBe('200 answer 1');
  });

  it('is not held if the bodies of other requests leave no room', async () => {
    const { url } = await owner(answer);
    let known: string | null = null;
    const nodes = forwarder({ owner: () => known, heldBytes: 8 });
    const held = nodes.forward(request('s1', '12345'));
    expect(await text(await nodes.forward(request('s2', '1234')))).toBe('unavailable');
    const small = nodes.forward(request('s3', '123'));
    expect(nodes.heldBytes).toBe(8);
    known = url;
    const answers = [await text(await held), await text(await small)];
    expect(answers.sort()).toEqual(['200 answer 1', '200 answer 2']);
    expect(nodes.heldBytes).toBe(0);
  });

  it('is given up when its client disconnects, and when the node ends', async () => {
    const nodes = forwarder({ owner: () => null });
    const leaving = new AbortController();
    const [left, ended] = [
      nodes.forward(request('s1'), leaving.signal),
      nodes.forward(request('s2')),
    ];
    leaving.abort();
    expect(await text(await left)).toBe('gone');
    await nodes.close();
    expect(await text(await ended)).toBe('gone');
  });

  it('streams its answer while the owner still writes it', async () => {
    let finish = () => {};
    const { url } = await owner((response) => {
      response.write('first,');
      finish = () => response.end('last');
    });
    // An answer that has begun continues even if the owner is no longer heard.
    const { clock, passes } = manualTime();
    const nodes = forwarder({ owner: () => url, heldMs: 5000, overdueMs: () => 60_000, clock });
    const forwarded = await nodes.forward(request('s1'));
    await passes(60_000);
    if (forwarded.kind !== 'answered') throw new Error(forwarded.kind);
    const pieces: string[] = [];
    for await (const piece of forwarded.answer.body) {
      pieces.push(String(piece));
      if (pieces.length === 1) finish();
    }
    expect(pieces).toEqual(['first,', 'last']);
  });
});
