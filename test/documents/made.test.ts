import { execFile } from 'node:child_process';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../build/documents');

/** What a check of pages says of those that are out of date. */
function check(script: string, word = '--check'): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [join(folder, script), word], (error, stdout, stderr) => {
      if (stderr !== '') reject(new Error(stderr));
      else resolve(error === null ? stdout : `${stdout}exit code ${error.code}`);
    });
  });
}

it('the pages that are made from the sources are what the sources say', async () => {
  expect(await check('write.mjs')).toBe('');
});

it('the commands that pages show print lines of the shape that stands there', async () => {
  expect(await check('transcripts.mjs')).toBe('');
}, 300_000);

it('the SDKs that are installed do what docs/compatibility.md says', async () => {
  expect(await check('compatibility.mjs', '--installed')).toBe('');
});
