import { request } from 'undici';
import { nodeDisk } from '../../../storage/disk/node-disk.js';
import { startServer } from '../../support/server.js';

test('a file system that does not report its free space is assumed to have space', async () => {
  const space = () => Promise.reject(Object.assign(new Error('EIO: statfs'), { code: 'EIO' }));
  const server = await startServer({ ports: { disk: { ...nodeDisk, space } } });
  const text = await (await request(`${server.url}/metrics`)).body.text();
  await server.remove();
  expect(text).toMatch(/^stepwell_disk_full 0$/m);
  // StepwellDiskFull treats this value as an unknown size.
  expect(text).toMatch(/^stepwell_disk_total_bytes 0$/m);
});
