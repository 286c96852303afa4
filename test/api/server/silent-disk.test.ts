import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { GatedDisk } from '../../support/program/gated-disk.js';
import { startServer, type TestServer } from '../../support/server.js';

const silence = /^the disk has not answered for \d+ s: requests wait for the disk$/;

let gated: GatedDisk;
let server: TestServer;

beforeAll(async () => {
  gated = new GatedDisk(nodeDisk);
  server = await startServer({ ports: { disk: gated.disk } });
});
afterAll(() => server.remove());

/** The health of the server, once `isAsked` holds for its warnings. */
async function health(isAsked: (warnings: readonly string[]) => boolean) {
  for (;;) {
    const { status, body } = await callApi(server, 'GET', '/health/ready');
    // The form of the answer is checked by the route's own tests against its description.
    const { warnings = [] } = body as { warnings?: readonly string[] };
    if (isAsked(warnings)) return { status, warnings };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('a disk that does not answer causes a warning until it answers', async () => {
  gated.hold();
  const startedAt = performance.now();
  const published = callApi(
    server,
    'POST',
    '/v2/publish/https://example.com/x',
    { 'svc-delay': '1h' },
    'x',
  );
  try {
    expect(await health(({ length }) => length > 0)).toEqual({
      status: 200,
      warnings: [expect.stringMatching(silence)],
    });
    expect(performance.now() - startedAt).toBeGreaterThan(9000);
    const overview = await callApi(server, 'GET', '/admin/overview', {
      authorization: server.basic,
    });
    expect(overview).toMatchObject({
      status: 200,
      body: { disk: { availableBytes: null, totalBytes: null, daysLeft: null } },
    });
    const scraped = await (await fetch(`${server.url}/metrics`)).text();
    expect(scraped).toMatch(/^stepwell_warnings 1$/m);
  } finally {
    // Also if an expectation fails: otherwise the end of the server would break the request off.
    gated.release();
  }
  expect((await published).status).toBe(200);
  expect(await health(({ length }) => length === 0)).toEqual({ status: 200, warnings: [] });
}, 60_000);
