import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const check = join(import.meta.dirname, '../../deploy/check.mjs');

it('what npm packs installs into an empty folder, serves, and ends well', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [check, '--built']);
  expect(stdout).toContain('image: built, installed, served, and ended well');
  expect(stdout).toMatch(/^image: npm pack /m);
  expect(stdout).toMatch(/^image: npm install /m);
}, 300_000);
