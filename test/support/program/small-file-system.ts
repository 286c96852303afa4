/** A file system of a few megabytes that a test may fill: a tmpfs, where one may be mounted. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

function mounted(megabytes: number): string | null {
  const path = mkdtempSync(join(tmpdir(), 'stepwell-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'none', path]);
  if (status === 0) return path;
  rmdirSync(path);
  return null;
}

function unmount(path: string): void {
  spawnSync('umount', [path]);
  rmdirSync(path);
}

function mayMount(): boolean {
  const path = mounted(1);
  if (path !== null) unmount(path);
  return path !== null;
}

/** A test that gets the path of an empty file system; where none may be mounted, skipped. */
export function itOnASmallFileSystem(
  name: string,
  megabytes: number,
  run: (path: string) => Promise<void>,
  ms: number,
): void {
  if (!mayMount()) {
    it.skip(`${name} (no tmpfs may be mounted here)`, () => undefined);
    return;
  }
  it(
    name,
    async () => {
      const path = mounted(megabytes);
      if (path === null) throw new Error('a tmpfs could be mounted a moment ago');
      try {
        await run(path);
      } finally {
        unmount(path);
      }
    },
    ms,
  );
}

/** From now on nothing can be changed on a file system, or everything again. */
export function remount(path: string, mode: 'ro' | 'rw'): void {
  const { status, stderr } = spawnSync('mount', ['-o', `remount,${mode}`, path]);
  if (status !== 0) throw new Error(`${path} is not ${mode}: ${stderr}`);
}

/** Takes all that is free on a file system; the answer gives it back. */
export async function takeAll(path: string): Promise<() => Promise<void>> {
  const file = join(path, 'somebody-elses');
  await writeFile(file, Buffer.alloc(64 * 1024 * 1024)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOSPC') throw error;
  });
  return () => rm(file);
}
