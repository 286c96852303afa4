import { connect } from 'node:net';
import { bearer, startNode } from '../../support/cluster-node.js';

/** The size of a body that waits for room. */
const longBytes = 20_000;

it('strangers who send no body keep no known client of a follower waiting', async () => {
  const owner = await startNode();
  owner.standing.mayServe = true;
  await owner.recovered;
  const follower = await startNode();
  follower.standing.otherOwner = owner.clusterUrl;
  const port = Number(new URL(follower.url).port);
  const strangers = Array.from({ length: 24 }, (_, index) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (index % 3)}` });
    socket.on('error', () => undefined);
    socket.write('POST /v2/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 16777216\r\n\r\n');
    return socket;
  });
  const inFlight = async () => {
    const text = await (await fetch(`${follower.url}/metrics`)).text();
    return Number(/^stepwell_in_flight_bytes (\d+)$/m.exec(text)?.[1]);
  };
  while ((await inFlight()) < 128 * 1024 ** 2) await new Promise((next) => setTimeout(next, 20));
  const answer = await fetch(`${follower.url}/v2/publish/https://example.com/`, {
    method: 'POST',
    headers: { authorization: bearer, 'svc-delay': '1h' },
    body: 'x'.repeat(longBytes),
  });
  expect(answer.status).toBe(200);
  expect(await inFlight()).toBe(128 * 1024 ** 2);
  for (const socket of strangers) socket.destroy();
  await follower.stop();
  await owner.stop();
});
