import { Journal } from '../../../src/engine/journal.js';
import { revealsPerMinute } from '../../../src/server/reveals/reveal-recorder.js';
import { callApi } from '../../support/clients/api-call.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;
let id = '';
let sent = 0;

beforeAll(async () => {
  server = await startServer();
  const headers = { 'svc-delay': '1h', 'svc-redact-fields': 'body,header' };
  const password = {
    'svc-forward-password': 'hunter2',
    'svc-callback': 'http://127.0.0.1:8999/back',
    'svc-callback-forward-password': 'hunter3',
  };
  const target = '/v2/publish/http://127.0.0.1:8999/x';
  const published = await callApi(server, 'POST', target, { ...headers, ...password }, 'sesame');
  id = (published.body as { messageId: string }).messageId;
});

afterAll(() => server.remove());

async function get(path: string, headers: Record<string, string> = {}) {
  sent += 1;
  const requestId = `reveals-${sent}`;
  const response = await fetch(`${server.url}/admin/journal${path}`, {
    headers: { authorization: server.basic, 'x-request-id': requestId, ...headers },
  });
  return { status: response.status, text: await response.text(), requestId };
}

/** The events of reveals in the journal. */
async function reveals() {
  const journal = server.application.nest.get(Journal, { strict: false });
  const found: { readonly by: unknown; readonly event: object }[] = [];
  const range = { from: 0, until: journal.highWatermark, order: 'oldest' as const };
  for await (const { event, by } of journal.query({ terms: [], ...range })) {
    if (event.type === 'JournalRevealed') found.push({ by, event });
  }
  return found;
}

describe('?reveal=true', () => {
  it('shows events in clear and is recorded as an event that names the caller', async () => {
    expect((await get(`?stream=${id}&bodies=true`)).text).not.toContain('hunter2');
    expect(await reveals()).toEqual([]);
    const { status, text, requestId } = await get(`?stream=${id}&bodies=true&reveal=true`);
    expect(status).toBe(200);
    expect(text).toContain('hunter2');
    expect(text).toContain(Buffer.from('sesame').toString('base64'));
    const [revealed, ...others] = await reveals();
    expect(others).toEqual([]);
    expect(revealed?.event).toMatchObject({ what: 'events', stream: id, from: 0, bodies: true });
    const name = `rest:${server.credentials.restUsername}`;
    expect(revealed?.by).toMatchObject({ type: 'caller', name, requestId });
  });

  it('shows what the state of a message holds of its callback in clear', async () => {
    const path = `/entity?stream=message/${id}`;
    const shown = await get(path);
    expect(shown.text).toContain('"password","REDACTED:');
    expect(shown.text).not.toContain('hunter3');
    expect((await get(`${path}&reveal=true`)).text).toContain('"password","hunter3"');
  });

  it('shows the state of an entity in clear', async () => {
    await callApi(server, 'POST', '/v2/keys/rotate');
    const path = '/entity?stream=signing-keys/keys';
    const shown = await get(path);
    const key = /sig_\w+/;
    expect([shown.status, key.test(shown.text)]).toEqual([200, false]);
    const before = (await reveals()).length;
    const revealed = await get(`${path}&reveal=true`);
    expect(revealed.text).not.toContain('***');
    expect(await reveals()).toHaveLength(before + 1);
  });

  it('is for administrators, and not for streams', async () => {
    const made = await callApi(
      server,
      'POST',
      '/admin/tokens',
      { authorization: server.basic },
      JSON.stringify({ name: 'looks', role: 'read' }),
    );
    const { token } = made.body as { token: string };
    const authorization = `Bearer ${token}`;
    const before = (await reveals()).length;
    expect((await get('', { authorization })).status).toBe(200);
    expect((await get('?reveal=true', { authorization })).status).toBe(403);
    expect((await get('/entity?stream=a/b&reveal=true', { authorization })).status).toBe(403);
    expect((await get('?reveal=true', { accept: 'text/event-stream' })).status).toBe(400);
    expect((await get(`?reveal=true&stream=${'x'.repeat(2000)}`)).status).toBe(400);
    expect(await reveals()).toHaveLength(before);
  });

  it('is limited to a number per minute', async () => {
    let last = 200;
    for (let count = 0; count <= revealsPerMinute && last === 200; count += 1) {
      last = (await get('?count=1&reveal=true')).status;
    }
    expect(last).toBe(503);
    expect(await reveals()).toHaveLength(revealsPerMinute);
  });
});
