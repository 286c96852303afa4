import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer } from '../../support/server.js';

test('long answers give back their room in memory once they are stored', async () => {
  const server = await startServer();
  const endpoint = await RecordingEndpoint.start(() => ({ body: 'x'.repeat(1024 * 1024) }));
  try {
    const { origin } = new URL('http://127.0.0.1:1024/');
    const admin = { authorization: server.basic };
    await callApi(server, 'POST', '/admin/origins/pause', admin, JSON.stringify({ origin }));
    const item = {
      destination: endpoint.url,
      body: 'x',
      headers: { 'Svc-Retries': '0', 'Svc-Callback': origin },
    };
    // One origin has room for 32 such answers at once.
    const batch = JSON.stringify(Array(40).fill(item));
    const own = { authorization: server.bearer, 'content-type': 'application/json' };
    await callApi(server, 'POST', '/v2/batch', own, batch);
    let delivered = 0;
    while (delivered < 40) {
      const url = `${server.url}/v2/logs?state=DELIVERED&trimBody=-1`;
      const answer = await fetch(url, { headers: { authorization: server.bearer } });
      delivered = ((await answer.json()) as { logs: unknown[] }).logs.length;
    }
    expect(endpoint.requests.length).toBe(40);
  } finally {
    await endpoint.stop();
    await server.remove();
  }
});
