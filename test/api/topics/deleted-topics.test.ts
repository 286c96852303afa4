/** A topic that is deleted and created again while groups read it. */
import { dispatchAll } from '../../../src/engine/bulk/slices.js';
import { Engine } from '../../../src/engine/engine.js';
import {
  callLog,
  committedOf,
  consumed,
  type LogMessage,
  produceTo,
} from '../../support/clients/log-client.js';
import { joinGroup } from '../../support/consumer-commands.js';
import { startServer, type TestServer } from '../../support/server.js';

let server: TestServer;

afterEach(() => server.remove());

const earliest = { 'Stream-Auto-Offset-Reset': 'earliest' };
/**
 * Many times more than one turn accepts, so that the last groups are handled long after the first.
 */
const groups = 8000;

it('a topic that is created again is new to the last of many groups of the old one', async () => {
  server = await startServer({ environment: { STEPWELL_TOPIC_PARTITIONS: '1' } });
  await produceTo(server, 'rides', 0, 'old 0', 'old 1');
  const engine = server.application.nest.get(Engine);
  const joins = Array.from({ length: groups }, (_, index) => joinGroup('i', { id: `g${index}` }));
  await dispatchAll(engine, joins);
  expect(await consumed(server, 'last/i', 'rides', earliest)).toEqual(['old 0', 'old 1']);
  await callLog(server, '/admin/topics/rides', undefined, { method: 'DELETE' });
  await produceTo(server, 'rides', 0, 'new 0', 'new 1', 'new 2');
  expect(await committedOf(server, 'last', 'rides', 1)).toEqual([-1]);
  const { body } = await callLog(server, '/consume/last/i/rides?timeout=10000');
  expect((body as LogMessage[]).map(({ value }) => value)).toEqual(['new 0', 'new 1', 'new 2']);
}, 60_000);
