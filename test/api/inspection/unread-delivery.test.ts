/** A message whose sectors the disk does not read when it is due, and reads later. */
import { setTimeout as pause } from 'node:timers/promises';
import { SimulatedDisk } from '../../simulation/simulated-disk.js';
import { callApi } from '../../support/clients/api-call.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { startServer } from '../../support/server.js';

it('is held until the disk reads it, and delivered then', async () => {
  const disk = new SimulatedDisk();
  await disk.makeDirectory('/data');
  await disk.syncDirectory('/');
  const endpoint = await RecordingEndpoint.start();
  // Small segments: the one of the message is sealed, and read from the disk.
  const fileSizes = { segmentBytes: 64 * 1024, reserveBytes: 0 };
  const start = () =>
    startServer({
      dataDirectory: '/data',
      environment: { STEPWELL_JOURNAL_RETENTION: 'forever' },
      ports: { disk, fileSizes },
    });
  let server = await start();
  const publish = (name: string, delay: string, body: string) =>
    callApi(server, 'POST', `/v2/publish/${endpoint.url}/${name}`, { 'svc-delay': delay }, body);
  const standing = async () => {
    const { body } = await callApi(server, 'GET', '/health/ready');
    return (body as { warnings?: string[] }).warnings ?? [];
  };

  await publish('unread', '8s', 'the body that is not read');
  await publish('later', '1h', 'x'.repeat(80_000));
  const [path = '', bytes] =
    [...disk.files()].find(([, content]) => content.includes('the body that is not read')) ?? [];
  const from = bytes?.indexOf('the body that is not read') ?? 0;
  // A start remembers the message, and not its body.
  await server.stop();
  server = await start();
  disk.spoil(path, { from, to: from + 10 });
  while ((await standing()).length === 0) await pause(50);
  expect(await standing()).toEqual([expect.stringMatching(/^1 message is damaged on the disk/)]);
  expect(endpoint.requests).toEqual([]);

  disk.spoil(path, null);
  await endpoint.received(1);
  expect(endpoint.requests.map(({ url, body }) => [url, body.toString()])).toEqual([
    ['/unread', 'the body that is not read'],
  ]);
  expect(await standing()).toEqual([]);
  await server.stop();
  await endpoint.stop();
}, 60_000);
