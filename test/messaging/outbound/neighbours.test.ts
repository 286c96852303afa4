import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Endpoints } from '../../../src/messaging/outbound/endpoints.js';
import { callApi } from '../../support/clients/api-call.js';
import { EvilEndpoint, type EvilName, evils } from '../../support/clients/evil-endpoint.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer, type TestServer } from '../../support/server.js';

const places = 100;
const environment = {
  STEPWELL_GLOBAL_PARALLELISM: `${places}`,
  STEPWELL_ORIGIN_PARALLELISM: '20',
};

/** Accepts connections at every address of the loopback network, and never answers. */
class HangingHosts {
  connections = 0;
  private readonly server = createServer(() => {
    this.connections += 1;
  });

  static async start(): Promise<HangingHosts> {
    const hosts = new HangingHosts();
    await once(hosts.server.listen(0, '0.0.0.0'), 'listening');
    return hosts;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.close();
  }
}

describe('a good destination', () => {
  const toStop: (() => Promise<unknown>)[] = [];
  let server: TestServer;
  let good: RecordingEndpoint;

  beforeEach(async () => {
    server = await startServer({ environment });
    good = await RecordingEndpoint.start();
    toStop.push(() => good.stop());
  });

  afterEach(async () => {
    await server.remove();
    await Promise.all(toStop.splice(0).map((stop) => stop()));
  });

  /** In one request, so that they ask for their places in sequence. */
  async function publishMany(url: string, count: number, headers = {}): Promise<void> {
    const items = Array.from({ length: count }, (_, number) => ({
      destination: `${url}/${number}`,
      headers: { 'Svc-Retries': '0', ...headers },
      body: 'x',
    }));
    const { status } = await callApi(server, 'POST', '/v2/batch', {}, JSON.stringify(items));
    expect(status).toBe(200);
  }

  async function publish(path: string): Promise<{ readonly messageId: string }> {
    const { body } = await callApi(server, 'POST', path, {}, 'x');
    return body as { messageId: string };
  }

  const running = async () => {
    const { body } = await callApi(server, 'GET', '/v2/globalParallelism');
    return (body as { parallelismCount: number }).parallelismCount;
  };

  /** Messages that are not final. */
  const backlog = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    return Number(/^stepwell_backlog_messages (\d+)$/m.exec(metrics)?.[1]);
  };

  it.each([
    ['one after the other', false],
    ['at once', true],
  ])('is served while twenty hanging ones have a backlog, published %s', async (_how, isAtOnce) => {
    let release: () => void = () => undefined;
    const released = new Promise<object>((resolve) => {
      release = () => resolve({});
    });
    const hanging = await Promise.all(
      Array.from({ length: 20 }, () => RecordingEndpoint.start(() => released)),
    );
    toStop.push(...hanging.map((endpoint) => () => endpoint.stop()));
    const each = 60;
    if (isAtOnce) await Promise.all(hanging.map(({ url }) => publishMany(url, each)));
    else for (const { url } of hanging) await publishMany(url, each);
    await Promise.all(hanging.map((endpoint) => endpoint.received(1)));

    await publishMany(good.url, 50);
    // None of the others has ended: this resolves only because a share was left.
    await good.received(50);
    expect(await running()).toBeLessThan(places);

    release();
    await Promise.all(hanging.map((endpoint) => endpoint.received(each)));
    expect(good.requests).toHaveLength(50);
  });

  it('is served while the hosts of a platform hang, all at the same time', async () => {
    await server.remove();
    const hanging = await HangingHosts.start();
    toStop.push(() => hanging.stop());
    /** As a name server would do it: shop-7.platform.example is 127.0.1.7. */
    const disturbs = (usual: Endpoints): Endpoints => ({
      call: (attempt, signal) => {
        const url = new URL(attempt.url);
        const shop = /^shop-(\d+)\.platform\.example$/.exec(url.hostname)?.[1];
        url.host = shop === undefined ? new URL(good.url).host : `127.0.1.${shop}:${hanging.port}`;
        return usual.call({ ...attempt, url: url.href }, signal);
      },
      close: () => usual.close(),
    });
    server = await startServer({ environment, ports: { disturbs } });
    let messageId = '';
    for (let shop = 1; shop <= 2 * places; shop += 1) {
      const path = `/v2/publish/http://shop-${shop}.platform.example/hook`;
      ({ messageId } = await publish(path));
    }
    // Half of the places that are not reserved.
    while (hanging.connections < 44) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await running()).toBe(44);

    await publishMany('http://good.example', 50);
    await good.received(50);
    expect(hanging.connections).toBe(44);
    const why = await callApi(server, 'GET', `/v2/messages/${messageId}/why`);
    expect(why.body).toMatchObject({
      reason: 'domain_limit',
      sentence: expect.stringMatching(/^44 attempts to hosts in platform\.example in flight are /),
    });
  });

  it('is served beside every kind of bad one, each of which ends in time', async () => {
    const bad = await Promise.all(
      (Object.keys(evils) as EvilName[]).map((name) => EvilEndpoint.start(name)),
    );
    toStop.push(...bad.map((endpoint) => () => endpoint.stop()));
    const closed = await RecordingEndpoint.start();
    const urls = [...bad, closed].map(({ url }) => url);
    await closed.stop();
    await Promise.all(urls.map((url) => publishMany(url, 3, { 'Svc-Timeout': '1s' })));
    await publishMany(good.url, 200);
    await good.received(200);

    while ((await backlog()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(bad.filter(({ requests }) => requests === 0)).toEqual([]);
    expect(await running()).toBe(0);
    expect(good.requests).toHaveLength(200);
  });
});
