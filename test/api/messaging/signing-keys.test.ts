import { callApi } from '../../support/clients/api-call.js';
import { rawRequest, statusOf } from '../../support/clients/raw-request.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.remove());

const pair = { current: expect.stringMatching(/./), next: expect.stringMatching(/./) };
const refusal = {
  error: 'forbidden: this token may not see signing keys, which let their reader sign deliveries',
};

describe('the signing keys', () => {
  it('are shown to a token that may do everything', async () => {
    expect(await callApi(server, 'GET', '/v2/keys')).toMatchObject({ status: 200, body: pair });
    const query = await fetch(`${server.url}/v2/keys?token=${server.token}`);
    expect([query.status, await query.json()]).toEqual([200, pair]);
  });

  it('are not shown to a token that may only read, however it spells the path', async () => {
    const authorization = `Bearer ${server.readToken}`;
    for (const path of ['/v2/keys', '/v2/keys?a=b', '/v2/keys#a', '/v2/%6beys', '/%762/keys']) {
      const { status, body } = await callApi(server, 'GET', path, { authorization });
      expect([path, status, body]).toEqual([path, 403, refusal]);
    }
    for (const path of [
      '/v2/keys/',
      '//v2/keys',
      '/v2//keys',
      '/v2/keys;a',
      '/V2/KEYS',
      '/v2/./keys',
    ]) {
      const head = [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: ${authorization}`];
      const lines = [...head, 'Connection: close', '', ''];
      const answer = await rawRequest(server.port, lines.join('\r\n'));
      expect([path, answer.includes('sig_')]).toEqual([path, false]);
      expect([401, 403, 404]).toContain(statusOf(answer));
    }
    const query = await fetch(`${server.url}/v2/keys?token=${server.readToken}`);
    expect([query.status, await query.json()]).toEqual([403, refusal]);
  });

  it('are not rotated by a token that may only read', async () => {
    const before = (await callApi(server, 'GET', '/v2/keys')).body;
    const authorization = `Bearer ${server.readToken}`;
    expect(await callApi(server, 'POST', '/v2/keys/rotate', { authorization })).toMatchObject({
      status: 403,
    });
    expect((await callApi(server, 'GET', '/v2/keys')).body).toEqual(before);
  });
});
