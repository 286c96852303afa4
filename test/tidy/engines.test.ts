/** `npm ci` is the first command of a new user, and prints no warning. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const lock = join(import.meta.dirname, '../../package-lock.json');
/** The oldest Node.js of `engines`. */
const oldest = 20;

interface Locked {
  readonly engines?: { readonly node?: string };
}

/** Whether one of the ranges begins at `oldest` or before. */
const allowsOldest = (range: string) =>
  range.split('||').some((part) => Number(/\d+/.exec(part)?.[0] ?? 0) <= oldest);

// Parts of @platformatic/kafka, which itself allows Node.js 20 and is tested there, ask for 22.19:
// their `engines` are not in the lock. Where npm has written them again, take them out again.
it('no package of the lock asks for a later Node.js than this one does', async () => {
  const { packages } = JSON.parse(await readFile(lock, 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const later = Object.entries(packages).filter(
    ([, { engines }]) => !allowsOldest(engines?.node ?? ''),
  );
  expect(later.map(([path]) => path)).toEqual([]);
});
